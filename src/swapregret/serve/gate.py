"""How much one key may ask for at once and how often, and how many streams there may be."""

import time
from collections import Counter
from typing import Any

from swapregret.serve import Settings
from swapregret.serve.refusals import TooMany

_BURST_SECONDS = 10.0


class Gate:
    """Counts requests and streams by key; those without a key count as one key's."""

    def __init__(self, settings: Settings) -> None:
        self._limits = settings
        self._requests: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()
        self._tokens: dict[str, tuple[float, float]] = {}

    def enter(self, state: Any) -> None:
        """Count a request in, or refuse it; ``state`` is that of the request, and names its key."""
        most, rate = self._limits.key_requests, self._limits.key_rate
        if self._requests[state.key] >= most:
            raise TooMany(f"a key must have at most {most} requests at once", "another one", "Wait for their answers.")
        if rate > 0.0:
            now = time.monotonic()
            left, before = self._tokens.get(state.key, (rate * _BURST_SECONDS, now))
            left = min(rate * _BURST_SECONDS, left + rate * (now - before))
            self._tokens[state.key] = (max(0.0, left - 1.0), now)
            if left < 1.0:
                raise TooMany(f"a key must ask at most {rate:g} times per second", "more", "Wait a little.")
        self._requests[state.key] += 1
        state.is_counted = True

    def follow(self, state: Any) -> None:
        """Count a stream in, or refuse it."""
        in_all, each = self._limits.streams, self._limits.key_streams
        if self._streams[state.key] >= each or self._streams.total() >= in_all:
            raise TooMany(
                f"there must be at most {each} streams of a key, {in_all} in all", "another one", "Close one."
            )
        self._streams[state.key] += 1
        state.is_stream = True

    def leave(self, state: dict[str, Any]) -> None:
        """Count a request out when its answer has ended."""
        for name, counts in (("is_counted", self._requests), ("is_stream", self._streams)):
            if state.get(name):
                counts[state["key"]] -= 1
                if not counts[state["key"]]:
                    del counts[state["key"]]
