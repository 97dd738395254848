"""When another process may be taken for dead, without trusting any clock but one's own.

A process that serves problems raises the beat of each with every transaction and every few seconds. Who sees the same owner
and the same beat for the time of a lease may take the problem over; every transaction checks that the lease is still held, so
an owner that was only slow writes nothing.
"""

import os
import socket
import time

__all__ = ["Watch"]


class Watch:
    """Remembers when each lease was last seen to move.

    Parameters
    ----------
    seconds : float
        How long a lease lasts without a sign of life.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._seen: dict[str, tuple[str, int, float]] = {}

    def is_stale(self, problem: str, owner: str, beat: int) -> bool:
        """Tell whether the owner of a problem is dead: gone from this machine, or silent for the time of a lease."""
        now = time.monotonic()
        before = self._seen.get(problem)
        if before is None or before[:2] != (owner, beat):
            self._seen[problem] = before = (owner, beat, now)
        return now - before[2] >= self._seconds or _is_gone(owner)


def _is_gone(owner: str) -> bool:
    host, _, rest = owner.partition(":")
    pid = rest.partition(":")[0]
    if host != socket.gethostname() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
