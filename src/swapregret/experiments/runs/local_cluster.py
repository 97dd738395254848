"""A Dask cluster of worker processes on this machine, for one experiment: nobody else can use it, and it shows no pages.

Scheduler and workers talk over loopback, encrypted with a key that is made for this cluster and forgotten with it. Dask
would also open a web server in each of them; here none does.
"""

import logging

import distributed

from swapregret.experiments.runs.backends import ONE_THREAD
from swapregret.experiments.runs.cluster import Dask

_dask: Dask = distributed


class _Scheduler(distributed.Scheduler):
    """A scheduler without a web server."""

    def start_http_server(self, *arguments: object, **options: object) -> None:
        """Listen nowhere."""


class _Worker(distributed.Worker):
    """A worker without a web server."""

    def start_http_server(self, *arguments: object, **options: object) -> None:
        """Listen nowhere."""


def local_cluster(n_workers: int) -> Dask:
    """Start a cluster of ``n_workers`` processes with one thread each; a context manager that ends it."""
    secret, quiet = _dask.Security.temporary(), logging.WARNING
    common = {"host": "tls://127.0.0.1", "security": secret, "dashboard": False}
    scheduler = {"cls": _Scheduler, "options": {**common, "port": 0}}
    of_worker = {"worker_class": _Worker, "nthreads": 1, "env": ONE_THREAD, "protocol": "tls", "silence_logs": quiet}
    worker = {"cls": distributed.Nanny, "options": common | of_worker}
    return _dask.SpecCluster(
        workers=dict.fromkeys(range(n_workers), worker), scheduler=scheduler, security=secret, silence_logs=quiet
    )
