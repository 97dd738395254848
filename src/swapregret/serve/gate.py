"""How much one key may ask for at once and how often, and how much all together."""

import time
from collections import Counter

from swapregret.files.storage import Json
from swapregret.serve import Settings
from swapregret.serve.refusals import TooMany

_BURST_SECONDS = 10.0


class Gate:
    """Counts requests, streams and logs by key; those without a key count as one key's."""

    def __init__(self, settings: Settings) -> None:
        limits = self._limits = settings
        self._most = {
            "requests": (limits.key_requests, limits.connections),
            "streams": (limits.key_streams, limits.streams),
            "logs": (limits.key_logs, limits.logs),
        }
        self._counts = {name: Counter[str]() for name in self._most}
        self._tokens: dict[str, tuple[float, float]] = {}

    def enter(self, state: Json, what: str) -> None:
        """Count a request in as one of these, or refuse it; ``state`` is that of the request, and has its key."""
        key, counts, (most, in_all) = state["key"], self._counts[what], self._most[what]
        if what in state.get("counted", ()):
            return
        if counts[key] >= most or counts.total() >= in_all:
            must = f"there must be at most {most} {what} of a key at once, and {in_all} in all"
            raise TooMany(must, "another one", "Wait until one has ended.")
        if what == "requests":
            self._take_token(key)
        counts[key] += 1
        state["counted"] = (*state.get("counted", ()), what)

    def _take_token(self, key: str) -> None:
        rate, now = self._limits.key_rate, time.monotonic()
        if rate > 0.0:
            left, before = self._tokens.get(key, (rate * _BURST_SECONDS, now))
            left = min(rate * _BURST_SECONDS, left + rate * (now - before))
            self._tokens[key] = (max(0.0, left - 1.0), now)
            if left < 1.0:
                raise TooMany(f"a key must ask at most {rate:g} times per second", "more", "Wait a little.")

    def leave(self, state: Json) -> None:
        """Count a request out when its answer has ended."""
        for what in state.get("counted", ()):
            counts = self._counts[what]
            counts[state["key"]] -= 1
            if not counts[state["key"]]:
                del counts[state["key"]]
