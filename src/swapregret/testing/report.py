"""How a check speaks: a list of named checks is run in order, the first fault is raised, what was checked is reported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from swapregret.errors import ConformanceError

__all__ = ["Report", "require", "run"]

Case = TypeVar("Case")


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


def run(subject: str, case: Case, checks: Mapping[str, Callable[[Case], str | None]]) -> Report:
    """Run named checks on a case.

    A check returns None when it found nothing wrong, or a reason why it does not apply; it raises on a fault. An exception of
    any other kind that the subject raises is a fault too. The name of the check is added to the exception as a note.
    """
    passed: list[str] = []
    skipped: list[tuple[str, str]] = []
    for name, check in checks.items():
        try:
            reason = check(case)
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
        if reason is None:
            passed.append(name)
        else:
            skipped.append((name, reason))
    return Report(subject, tuple(passed), tuple(skipped))
