"""Counts for Prometheus, in its text format."""

import threading
from bisect import bisect_left
from collections import Counter

_NAMES = {"act": "decisions", "reward": "rewards", "skip": "skips", "default": "deadlines", "expire": "deadlines"}
_METHODS = ("GET", "HEAD", "OPTIONS", "POST")
_BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class _Histogram:
    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str, help_text: str) -> list[str]:
        lines = [f"# HELP {name} {help_text}", f"# TYPE {name} histogram"]
        running = 0
        for bound, count in zip((*_BOUNDS, "+Inf"), self.counts, strict=True):
            running += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {running}')
        return [*lines, f"{name}_sum {self.total:.6f}", f"{name}_count {running}"]


class Metrics:
    """What the server counts of itself; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._request_time, self._commit_time = _Histogram(), _Histogram()

    def count(self, name: str, number: int = 1) -> None:
        """Count something that happened."""
        with self._lock:
            self._counts[name] += number

    def committed(self, kinds: list[str], seconds: float) -> None:
        """Count a transaction and the events it wrote."""
        with self._lock:
            self._counts["commits"] += 1
            self._counts["events"] += len(kinds)
            for kind, number in Counter(kinds).items():
                self._counts[_NAMES[kind]] += number
            self._commit_time.add(seconds)

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = method if method in _METHODS else "other"  # what anybody may invent must not fill the memory
        with self._lock:
            self._requests[known, status] += 1
            self._request_time.add(seconds)

    def text(self, gauges: dict[str, float]) -> str:
        """Return all counts, and what holds at the moment."""
        prefix = "swapregret_"
        lines: list[str] = []
        with self._lock:
            for name, value in sorted(self._counts.items()):
                lines += [f"# TYPE {prefix}{name}_total counter", f"{prefix}{name}_total {value}"]
            lines.append(f"# TYPE {prefix}requests_total counter")
            for (method, status), value in sorted(self._requests.items()):
                lines.append(f'{prefix}requests_total{{method="{method}",status="{status}"}} {value}')
            lines += self._request_time.lines(prefix + "request_seconds", "Seconds from request to answer.")
            lines += self._commit_time.lines(prefix + "commit_seconds", "Seconds of a transaction.")
        for name, gauge in gauges.items():
            lines += [f"# TYPE {prefix}{name} gauge", f"{prefix}{name} {gauge:g}"]
        return "\n".join(lines) + "\n"
