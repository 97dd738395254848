"""How a check speaks: a list of named checks is run in order, the first fault is raised, what was checked is reported."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Actions, AnyArray
from swapregret.errors import ConformanceError, TooLarge

Case = TypeVar("Case")


class _DoesNotApply(Exception):
    """A check has nothing to look at."""


@dataclass(frozen=True)
class Report:
    """What a conformance check looked at; handed back only if no fault was found.

    Attributes
    ----------
    subject : str
        What was checked.
    passed : tuple of str
        Names of the checks that found nothing wrong.
    skipped : tuple of (str, str)
        Names of the checks that do not apply, and why.
    """

    subject: str
    passed: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.subject}: {len(self.passed)} checks passed ({', '.join(self.passed)})"]
        lines += [f"  not applicable: {name}, {why}" for name, why in self.skipped]
        return "\n".join(lines)


def require(holds: bool, must: str, came: str, do: str) -> None:
    """Raise a fault unless a claim holds."""
    if not holds:
        raise ConformanceError(must, came, do)


def agree(found: npt.ArrayLike, wanted: npt.ArrayLike, within: float, must: str, do: str) -> None:
    """Raise a fault unless two arrays are equal up to a tolerance, entry by entry; bit for bit if it is 0."""
    gap = float(np.abs(np.asarray(found) - np.asarray(wanted)).max())
    require(gap <= within, must, f"a difference of {gap:.3g}", do)


def between(found: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, must: str, do: str) -> None:
    """Raise a fault unless all numbers lie between two bounds, entry by entry."""
    values = np.asarray(found)
    outside = float(np.maximum(low - values, values - high).max())
    require(outside <= 0.0, must, f"{values.min():.6g} to {values.max():.6g}, outside by {outside:.3g}", do)


def refused(call: Callable[[], object], error: type[Exception], must: str, came: str, do: str) -> None:
    """Raise a fault unless a call is refused with an error of one kind; ``came`` says what an answer would be."""
    try:
        call()
    except error:
        return
    except Exception as other:
        came = f"{type(other).__name__}: {other}"
    require(False, must, came, do)


def unspoilt(questions: Mapping[str, Callable[[], AnyArray]], do: str) -> None:
    """Raise a fault unless equal questions have equal answers, whatever is asked between, and written into the answers."""
    before = {}
    for name, ask in questions.items():
        answer = ask()
        before[name] = answer.copy()
        if answer.flags.writeable:
            answer += 1
    for name, ask in reversed(list(questions.items())):
        must = f"`{name}` must be the same however often it is asked, even if the caller writes into the answer"
        again = ask()
        require(np.array_equal(again, before[name]), must, f"{before[name]!r:.80}, then {again!r:.80}", do)


def require_array(found: npt.ArrayLike, dtype: type, shape: tuple[int, ...], name: str, do: str) -> None:
    """Raise a fault unless something is an array of one type and shape, of finite numbers."""
    holds = isinstance(found, np.ndarray) and found.dtype == dtype and found.shape == shape
    came = f"{type(found).__name__} of shape {np.shape(found)} and dtype {getattr(found, 'dtype', None)}"
    require(holds, f"`{name}` must be an array of {dtype.__name__} and of shape {shape}", came, do)
    require(bool(np.isfinite(found).all()), f"`{name}` must be finite", "NaN or infinity", do)


def require_action(found: npt.NDArray[np.int64], dimension: int, name: str) -> None:
    """Raise a fault unless a method returned an int64 vector of 0 and 1."""
    do = "Return the indicator vector of the chosen elements, np.zeros(d, dtype=np.int64) with ones."
    require_array(found, np.int64, (dimension,), name, do)
    require(bool(np.isin(found, (0, 1)).all()), f"`{name}` must contain only 0 and 1", f"{found.tolist()}", do)


def require_rows(table: Actions, dimension: int, name: str, do: str) -> None:
    """Raise a fault unless a list of actions is int64, of 0 and 1, each action once, in canonical order."""
    require_array(table, np.int64, (max(1, len(table)), dimension), name, do)
    require(bool(np.isin(table, (0, 1)).all()), f"`{name}` must contain only 0 and 1", "other values", do)
    order = np.lexsort(table.T)
    require(
        np.array_equal(order, np.arange(len(table))) and bool((table[1:] != table[:-1]).any(axis=1).all()),
        f"`{name}` must list each action once, in canonical order (last coordinate most significant)",
        f"an action listed twice, or the order {order[:8].tolist()} ...",
        do,
    )


def require_members(rows: Iterable[Action], is_member: Callable[[Action], bool], name: str, do: str) -> None:
    """Raise a fault unless all vectors are actions."""
    for row in rows:
        require(is_member(row), f"{name} must be actions of the set", f"{row.tolist()}, which is none", do)


def skip(why: str) -> NoReturn:
    """Say that a check does not apply."""
    raise _DoesNotApply(why)


def listed(actions: ActionSet, limit: int) -> Actions | None:
    """Return all actions of a set, or None where there are more than the limit."""
    try:
        return actions.enumerate(limit)
    except TooLarge:
        return None


def run_checks(subject: str, case: Case, checks: Mapping[str, Callable[[Case], None]]) -> Report:
    """Run named checks on a case.

    A check raises on a fault, or says by :func:`skip` that it does not apply. An exception of any other kind that the subject
    raises is a fault too. The name of the check is added to the exception as a note.
    """
    passed: list[str] = []
    skipped: list[tuple[str, str]] = []
    for name, check in checks.items():
        try:
            check(case)
        except _DoesNotApply as reason:
            skipped.append((name, str(reason)))
            continue
        except ConformanceError as fault:
            fault.add_note(f"found by the check '{name}' of {subject}")
            raise
        except Exception as error:
            crash = ConformanceError(
                f"{subject} must get through the check '{name}' without an exception",
                f"{type(error).__name__}: {error}",
                "The exception above this one shows where it comes from.",
            )
            crash.add_note(f"found by the check '{name}' of {subject}")
            raise crash from error
        passed.append(name)
    return Report(subject, tuple(passed), tuple(skipped))
