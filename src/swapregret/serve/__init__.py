"""The decision service: problems over HTTP, durable, with a dashboard (``swapregret serve``, ``docs/service.md``).

A request becomes a job of the writer (``writer``), which changes learners in memory (``live_problem``) and the ``database``
together: what was answered is committed. ``api`` has the routes, ``shield`` stands before them, ``app`` puts all together.
"""

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """What a server is told when it starts: where to listen, where to write, and the limits.

    Attributes
    ----------
    database : str
        An SQLAlchemy URL: SQLite (a file) or PostgreSQL.
    host, port : str and int
    hosts : tuple of str
        Further names under which the server may be called (a proxy's); loopback names always may.
    origins : tuple of str
        Pages of other origins that may call it, e.g. ``https://shop.example``.
    max_body : int
        Bytes of a request.
    max_batch : int
        Decisions or rewards of one request.
    max_dimension : int
        Elements of a set.
    lease_seconds : float
        A problem whose process gave no sign of life for so long may be taken over.
    snapshot_every : int
        Events replayed at most after a restart, for each decision that was open when the snapshot was due.
    answer_seconds : float
        How long answers to requests with an Idempotency-Key are remembered.
    """

    database: str = "sqlite:///swapregret.db"
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    max_body: int = 1_000_000
    max_batch: int = 1_000
    max_dimension: int = 5_000
    lease_seconds: float = 10.0
    snapshot_every: int = 5_000
    answer_seconds: float = 86_400.0
