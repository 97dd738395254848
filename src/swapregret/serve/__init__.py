"""The decision service: problems over HTTP, durable, with a dashboard (``swapregret serve``, ``docs/service.md``).

A request becomes a job of the writer (``writer``), which changes learners in memory (``live_problem``) and the ``database``
together: what was answered is committed. ``api`` has the routes, ``shield`` stands before them, ``app`` puts all together.
"""

from dataclasses import dataclass

__all__ = ["SCOPES", "Settings"]

SCOPES = ("read", "decide", "admin")
"""What a key may do; each scope includes those before it."""


@dataclass(frozen=True)
class Settings:
    """What a server is told when it starts: where to listen, where to write, and the limits."""

    database: str = "sqlite:///swapregret.db"  # an SQLAlchemy URL: SQLite (a file) or PostgreSQL
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()  # further names it may be called by (a proxy's); loopback names always may
    origins: tuple[str, ...] = ()  # pages of other origins that may call it, e.g. https://shop.example
    max_body: int = 1_000_000  # bytes of a request
    max_answer: int = 10_000_000  # bytes of an answer to a request for decisions
    max_batch: int = 1_000  # decisions or rewards of one request
    max_dimension: int = 5_000  # elements of a set
    lease_seconds: float = 10.0  # a problem whose process was silent for so long may be taken over
    snapshot_every: int = 5_000  # events replayed at most after a restart, for each decision open when it was due
    answer_seconds: float = 86_400.0  # how long answers to requests with an Idempotency-Key are remembered
