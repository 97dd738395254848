"""How a check speaks: a list of named checks is run in order, the first fault is raised, what was checked is reported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions
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
    """Raise a fault unless a claim holds.

    Examples
    --------
    >>> require(1 + 1 == 2, "arithmetic must hold", "something else", "Think again.")
    """
    if not holds:
        raise ConformanceError(must, came, do)


def agree(found: npt.ArrayLike, wanted: npt.ArrayLike, within: float, must: str, do: str) -> None:
    """Raise a fault unless two arrays are equal up to a tolerance, entry by entry; bit for bit if it is 0.

    Examples
    --------
    >>> agree([0.5, 0.5], [0.5, 0.5 + 1e-12], 1e-10, "halves must be halves", "Halve again.")
    """
    gap = float(np.abs(np.asarray(found) - np.asarray(wanted)).max())
    require(gap <= within, must, f"a difference of {gap:.3g}", do)


def refused(call: Callable[[], Any], error: type[Exception], must: str, came: str, do: str) -> None:
    """Raise a fault unless a call is refused with an error of one kind; ``came`` says what an answer would be.

    Examples
    --------
    >>> refused(lambda: 1 // 0, ZeroDivisionError, "division by 0 must be refused", "a number", "Check it.")
    """
    try:
        call()
    except error:
        return
    except Exception as other:
        came = f"{type(other).__name__}: {other}"
    require(False, must, came, do)


def unspoilt(ask: Callable[[], npt.NDArray[Any]], name: str, do: str) -> None:
    """Raise a fault unless the same question has the same answer, even if the caller writes into it."""
    answer = ask()
    before = answer.copy()
    if answer.flags.writeable:
        answer[...] = 1 - answer
    must = f"`{name}` must be the same however often it is asked, even if the caller writes into the answer"
    require(np.array_equal(ask(), before), must, "another answer", do)


def require_action(found: Any, dimension: int, name: str) -> None:
    """Raise a fault unless a method returned an int64 vector of 0 and 1."""
    require(
        isinstance(found, np.ndarray) and found.dtype == np.int64 and found.shape == (dimension,),
        f"`{name}` must return an int64 vector of shape ({dimension},)",
        f"{type(found).__name__} of shape {np.shape(found)} and dtype {getattr(found, 'dtype', None)}",
        "Return the indicator vector of the chosen elements, np.zeros(d, dtype=np.int64) with ones.",
    )
    require(
        bool(np.isin(found, (0, 1)).all()),
        f"`{name}` must contain only 0 and 1",
        f"{found.tolist()}",
        "Return the indicator vector of the chosen elements.",
    )


def require_rows(table: Actions, dimension: int, name: str, do: str) -> None:
    """Raise a fault unless a list of actions is int64, of 0 and 1, each action once, in canonical order."""
    require(
        table.ndim == 2 and table.shape[1] == dimension and table.dtype == np.int64 and len(table) > 0,
        f"`{name}` must be a non-empty int64 array with {dimension} columns",
        f"dtype {table.dtype}, shape {table.shape}",
        do,
    )
    require(bool(np.isin(table, (0, 1)).all()), f"`{name}` must contain only 0 and 1", "other values", do)
    order = np.lexsort(table.T)
    require(
        np.array_equal(order, np.arange(len(table))) and bool((table[1:] != table[:-1]).any(axis=1).all()),
        f"`{name}` must list each action once, in canonical order (last coordinate most significant)",
        f"an action listed twice, or the order {order[:8].tolist()} ...",
        do,
    )


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
