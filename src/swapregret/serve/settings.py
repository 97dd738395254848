"""What a server is told when it starts."""

import ipaddress
from dataclasses import dataclass

__all__ = ["Settings", "is_loopback"]


@dataclass(frozen=True)
class Settings:
    """Where to listen, where to write, and the limits.

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


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
