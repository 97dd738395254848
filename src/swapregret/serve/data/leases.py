"""When a lease has ended: no clocks are compared, but signs of life counted."""

import socket
import time

from swapregret.experiments.runs.status import is_alive


class Watch:
    """Remembers when each lease was last seen to move; without a sign of life it lasts for so many seconds."""

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
    host, pid = [*owner.split(":"), ""][:2]
    return host == socket.gethostname() and pid.isdecimal() and not is_alive(int(pid))
