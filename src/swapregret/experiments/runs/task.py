"""One run to be made, as plain data that any process can take over: everything its result depends on, and its identity."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from swapregret import __version__
from swapregret.results.experiment import RunInfo
from swapregret.results.folder import FORMAT

_MOST_CUTS = 64
_DAYS_A_CUT = 250


@dataclass(frozen=True)
class RunTask:
    """One run."""

    info: RunInfo  # labels, horizon, replication, identity
    set_config: dict[str, Any] | None  # as `learners.config.encode` writes it; None where the environment has its own
    environment: tuple[str, dict[str, Any]]  # kind and parameters
    player: tuple[str, dict[str, Any]]
    files: str | None  # checksum of the file the environment replays
    seed: int
    measure: dict[str, Any]  # `measure`, `realised`, `windows`, `certificate` and `capacity` of `play`
    marks: tuple[int, ...]  # days after which to measure; the last is the horizon
    folder: str  # where files named in the spec lie; not part of the identity

    def identified(self) -> "RunTask":
        """Return the task with its identity: a hash of all the above, the library's version and the format of results."""
        content = asdict(self) | {"library": __version__, "format": FORMAT, "cuts": cuts_of(self.info.horizon)}
        del content["folder"]
        about = content.pop("info")
        content |= {"horizon": about["horizon"], "replication": about["replication"]}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]
        return replace(self, info=replace(self.info, id=digest))


def cuts_of(horizon: int) -> tuple[int, ...]:
    """Return the days between which a run may be interrupted and taken up again: at most 64 stretches, not too short.

    Examples
    --------
    >>> cuts_of(1000), len(cuts_of(10**6))
    ((250, 500, 750), 63)
    """
    n = min(_MOST_CUTS, max(1, horizon // _DAYS_A_CUT))
    return tuple(sorted({horizon * part // n for part in range(1, n)} - {0}))
