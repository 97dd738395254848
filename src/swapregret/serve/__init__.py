"""The decision service: problems over HTTP, durable, with a dashboard (``swapregret serve``, ``docs/service.md``).

A problem lives in a process of its own (``processes``). What a request changes there is written to the
``database`` by the one ``writer``, and then answered. ``api`` has the routes, ``shield`` stands before them, ``app`` puts
all together.
"""

from dataclasses import dataclass

__all__ = ["LIMITS", "SCOPES", "Settings"]

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
    check: bool = True  # read the whole database when the server starts, and refuse what is damaged
    lease_seconds: float = 10.0  # a problem whose process was silent for so long may be taken over
    snapshot_every: int = 5_000  # events replayed at most after a restart, for each decision open when it was due
    answer_seconds: float = 86_400.0  # how long answers to requests with an Idempotency-Key are remembered
    event_seconds: float = 0.0  # life of events that a snapshot follows; 0: they are kept
    archived_seconds: float = 0.0  # life of archived problems without open decisions; 0: they are kept
    # what one request may ask for
    max_body: int = 1_000_000  # bytes of a request
    max_answer: int = 1_000_000  # bytes of an answer to a request for decisions
    max_batch: int = 1_000  # decisions or rewards of one request
    call_seconds: float = 30.0  # for what one request asks of a problem
    # what one problem may need
    max_dimension: int = 5_000  # elements of its set
    create_seconds: float = 180.0  # to be made and played for some days, compiled included; or to be opened
    decision_seconds: float = 1.0  # for a decision and its reward
    problem_memory: int = 750  # MB, beyond the code that all processes share
    # what there may be at once
    memory: int = 2_000  # MB of all problems together, beyond the shared code
    max_live: int = 64  # problems in memory; each has a process
    idle_seconds: float = 600.0  # after which a problem that nobody asks for leaves memory
    making: int = 2  # trials of new problems
    logs: int = 2  # logs that are being made
    streams: int = 200  # dashboards that follow a problem
    connections: int = 2_000
    # what one key may do
    key_streams: int = 50  # streams at once
    key_logs: int = 1  # logs at once
    key_requests: int = 200  # requests at once
    key_answers: int = 500_000_000  # bytes of remembered answers; the oldest go first
    key_rate: float = 0.0  # requests per second, in bursts of ten seconds; 0: as many as it likes


_NAMES = list(Settings.__dataclass_fields__)
LIMITS = tuple(_NAMES[_NAMES.index("answer_seconds") :])
"""The names of the limits, as ``swapregret serve --limit`` takes them."""
