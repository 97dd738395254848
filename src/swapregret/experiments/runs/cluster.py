"""Where runs are made: the workers of a Dask cluster, on this machine or on many.

The scheduler gives a run whose worker died to another worker, which goes on from the last snapshot. All workers must see the folder
of results and the files of the spec under the same paths.

A scheduler at ``tcp://`` runs whatever anyone who can reach it sends; at ``tls://`` both sides show a certificate of the same
authority, or nothing is sent.
"""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.experiments.runs.backends import TICK
from swapregret.experiments.runs.execute import Outcome, execute, fail
from swapregret.experiments.runs.plan_runs import RunTask
from swapregret.extras import require_extra
from swapregret.results.experiment import RunInfo
from swapregret.results.folder import ResultFolder

Dask: TypeAlias = Any
"""What is Dask's: it has no types."""
_PATIENCE = "30s"
_UNSEEN = "a worker said it made this run, but it is not in the folder: the folder must be one that all workers share"
_ADDRESS = re.compile(r"(tcp|tls)://([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}", flags=re.ASCII)


@dataclass(frozen=True)
class Credentials:
    """Files in PEM format for ``tls://``: the certificate of the authority, one of our own, and its key.

    Where none is given, Dask's own settings are used (``distributed.comm.tls`` in its configuration).
    """

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def security(self) -> Dask:
        """Return Dask's object, which refuses connections that are not encrypted."""
        from distributed import security

        dask: Dask = security
        files = {"tls_ca_file": self.authority, "tls_client_cert": self.certificate, "tls_client_key": self.key}
        given = {name: str(path) for name, path in files.items() if path is not None}
        made = dask.Security(require_encryption=True, **given)
        if made.tls_ca_file is None or made.tls_client_cert is None:
            raise InvalidInput(
                "a tls:// scheduler must be met with certificates",
                "no authority, or no certificate of our own",
                "Give --tls-ca, --tls-cert and --tls-key, or set distributed.comm.tls in Dask's configuration.",
            )
        return made


def check_address(address: str | None, credentials: Credentials) -> None:
    """Refuse what is neither ``local`` nor the address of a scheduler, and certificates that would not be used."""
    if address is not None and address != "local" and not _ADDRESS.fullmatch(address):
        must = "`--cluster` must be local, tls://HOST:PORT or tcp://HOST:PORT"
        raise InvalidInput(must, shown(address), "Start a scheduler with `dask scheduler`; it prints its address.")
    if any(astuple(credentials)) and not (address or "").startswith("tls://"):
        raise InvalidInput(
            "`--tls-ca`, `--tls-cert` and `--tls-key` must come with --cluster tls://HOST:PORT",
            shown(address) if address else "none",
            "Write tls:// in place of tcp://, or leave them out.",
        )
    for path in filter(None, astuple(credentials)):
        if not path.is_file():
            raise InvalidInput("a certificate or key must be a file", shown(str(path)), "Check the path.")


def run_on_dask(
    tasks: Sequence[RunTask],
    folder: str,
    *,
    address: str = "local",
    jobs: int = 1,
    credentials: Credentials | None = None,
) -> Iterator[Outcome | None]:
    """Make runs on the cluster of a scheduler, or on a cluster of ``jobs`` worker processes started here for them.

    The folder of results has the same path on all workers. ``address`` is that of the scheduler, such as ``tls://10.0.0.1:8786``;
    ``local`` starts one here.
    """
    require_extra("cluster", "running on a cluster")
    import distributed

    dask: Dask = distributed
    secret = credentials if credentials is not None else Credentials()
    check_address(address, secret)
    with ExitStack() as stack:
        target: Dask | str = address
        if address == "local":
            from swapregret.experiments.runs.local_cluster import local_cluster

            target = stack.enter_context(local_cluster(max(1, min(jobs, len(tasks)))))
        security = secret.security() if address.startswith("tls://") else None
        try:
            client = stack.enter_context(
                dask.Client(target, timeout=_PATIENCE, set_as_default=False, security=security)
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise InvalidInput(
                "`--cluster` must be the address of a running Dask scheduler",
                f"{address!r}: {error}",
                "Start one with `dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`.",
            ) from None
        yield from outcomes(client, tasks, folder)


def outcomes(client: Dask, tasks: Sequence[RunTask], folder: str) -> Iterator[Outcome | None]:
    """Yield what becomes of runs on the cluster of a client."""
    store = ResultFolder(folder)
    waiting = {
        client.submit(execute, task, folder, key=f"swapregret-{task.info.id}", pure=False, retries=2): task.info
        for task in tasks
    }
    while waiting:
        time.sleep(TICK)
        for future in [each for each in waiting if each.done()]:
            yield _outcome(future, waiting.pop(future), store)
            future.release()
        yield None


def _outcome(future: Dask, info: RunInfo, store: ResultFolder) -> Outcome:
    """Return what became of a run, or of the workers that tried to make it."""
    if future.status in ("cancelled", "lost"):  # all are, when Dask has lost its scheduler
        raise InvalidInput(
            "the scheduler of `--cluster` must be there until all runs are made",
            "a connection to it that was lost",
            "Start it again, then the same command: what is finished is not made again, and the rest goes on from its snapshots.",
        )
    error = future.exception()
    if error is not None:
        return fail(store, info, 0.0, f"{type(error).__name__}: {error}")
    outcome: Outcome = future.result()
    if outcome.error is None and not store.is_finished(info.id):
        return fail(store, info, outcome.seconds, _UNSEEN)
    return outcome
