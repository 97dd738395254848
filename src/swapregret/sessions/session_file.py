"""What the header of a session file says, checked: counts that add up, decisions of the set, nothing missing and nothing more."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.arrays import Action, NamedArrays, below, shown
from swapregret.errors import InvalidInput
from swapregret.units import read_range

__all__ = ["SessionHeader", "check_claims", "open_action", "read_header"]

_FIELDS = {"player", "reward_range", "is_cost", "max_open", "entropy", "rng", "counts", "open", "laws"}
_MOST = 2**63


@dataclass(frozen=True)
class SessionHeader:
    """The header of a session file.

    Attributes
    ----------
    player : object
        The configuration, as ``learners.config`` wrote it, or None.
    reward_range : (float, float)
    is_cost : bool
        Whether costs are counted.
    max_open : int
    entropy : int or None
    rng : dict
        The state of the generator.
    n_acted, n_closed, n_skipped : int
    open_days : tuple of int
        Decisions that wait for their reward, oldest first.
    laws : frozenset of int
        Those among them that were drawn from another state than the last.
    """

    player: Any
    reward_range: tuple[float, float]
    is_cost: bool
    max_open: int
    entropy: int | None
    rng: dict[str, Any]
    n_acted: int
    n_closed: int
    n_skipped: int
    open_days: tuple[int, ...]
    laws: frozenset[int]


def read_header(metadata: dict[str, Any], arrays: NamedArrays) -> SessionHeader:
    """Read the metadata of a session file, and see that its arrays are those it speaks of."""
    if set(metadata) != _FIELDS:
        raise _wrong(f"the fields {', '.join(sorted(_FIELDS))}", f"{sorted(metadata)!r:.200}")
    low_high, counts, days, laws = (metadata[name] for name in ("reward_range", "counts", "open", "laws"))
    if not isinstance(low_high, list) or not all(type(bound) in (int, float) for bound in low_high):
        raise _wrong("two numbers as `reward_range`", f"{low_high!r:.80}")
    if type(metadata["is_cost"]) is not bool:
        raise _wrong("true or false as `is_cost`", f"{metadata['is_cost']!r:.80}")
    if not _are_counts([metadata["max_open"]]) or metadata["max_open"] < 1:
        raise _wrong("a whole number of at least 1 as `max_open`", f"{metadata['max_open']!r:.80}")
    if not (metadata["entropy"] is None or (type(metadata["entropy"]) is int and metadata["entropy"] >= 0)):
        raise _wrong("a whole number or nothing as `entropy`", f"{metadata['entropy']!r:.80}")
    if not isinstance(metadata["rng"], dict):
        raise _wrong("the state of a generator as `rng`", f"{metadata['rng']!r:.80}")
    if not _are_counts(counts) or len(counts) != 3 or not _are_counts(days) or not _are_counts(laws):
        raise _wrong("whole numbers as `counts`, `open` and `laws`", f"{[counts, days, laws]!r:.80}")
    acted, closed, skipped = counts
    is_in_order = all(before < after for before, after in zip([-1, *days], [*days, acted], strict=True))
    if acted != closed + len(days) or skipped > closed or not is_in_order or len(days) > metadata["max_open"]:
        raise _wrong(
            "days acted = closed + open, no more open than allowed, no more skipped than closed",
            f"{acted}, {closed}, {len(days)} of {metadata['max_open']}, {skipped}",
        )
    if not set(laws) <= set(days) or len(set(laws)) != len(laws):
        raise _wrong("laws of open decisions only", f"{laws!r:.80}")
    known = {f"open.{day}.action" for day in days}
    prefixes = ("state.", *(f"open.{day}.law." for day in laws))
    unknown = [name for name in arrays if name not in known and not name.startswith(prefixes)]
    if unknown or not known <= set(arrays) or not all(below(arrays, prefix[:-1]) for prefix in prefixes):
        raise _wrong("a state, and an action for each open decision", f"{unknown!r:.80} and {len(arrays)} arrays")
    return SessionHeader(
        metadata["player"],
        read_range((low_high[0], low_high[1]) if len(low_high) == 2 else ()),  # type: ignore[arg-type]
        metadata["is_cost"],
        metadata["max_open"],
        metadata["entropy"],
        metadata["rng"],
        acted,
        closed,
        skipped,
        tuple(days),
        frozenset(laws),
    )


def check_claims(config: Any, n_bytes: int) -> None:
    """Refuse a configuration with a set larger than the file can hold, before the set is made.

    A state has a number per element or per action; only uniform play has none, and costs nothing.
    """
    if isinstance(config, dict) and config.get("class") == "UniformPlayer":
        return
    level = [config]
    while level:
        parts = [part for part in level if isinstance(part, dict | list)]
        for part in parts:
            given = part.get("args") if isinstance(part, dict) else None
            numbers = given.get("list") if isinstance(given, dict) else None
            for number in numbers if isinstance(numbers, list) else []:
                if type(number) is int and number > n_bytes:
                    raise _wrong("a set that the file can hold", f"{shown(number)} in {n_bytes:,} bytes")
        level = [inner for part in parts for inner in (part.values() if isinstance(part, dict) else part)]


def open_action(arrays: NamedArrays, day: int, actions: Any) -> Action:
    """Return the action of an open decision, which must be one of the set."""
    action = arrays[f"open.{day}.action"]
    if action.dtype != np.int64 or action not in actions:
        raise _wrong(f"an action of the set for day {day}", f"{action!r:.80}")
    action.flags.writeable = False
    return action


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value < _MOST for value in values)


def _wrong(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"a session in a file must have {must}", came, "Restore it from a copy.")
