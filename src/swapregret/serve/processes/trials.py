"""New problems are tried out: what they take must be within the limits."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from swapregret.serve import Settings
from swapregret.serve.problems import ProblemSpec, as_text
from swapregret.serve.processes.child import Trial
from swapregret.serve.processes.nursery import Child, Gone, Nursery, TooLong
from swapregret.serve.refusals import TooCostly

NICENESS = 10
"""Of processes that nobody should wait for."""
MB = 1_000_000
_LIGHT_SECONDS = 1.0


class Trials:
    """Tries problems out, some at a time."""

    def __init__(self, nursery: Nursery, settings: Settings) -> None:
        self._nursery, self._settings = nursery, settings
        self._room = asyncio.Semaphore(settings.making)
        self._warm: set[str] = set()

    async def of(self, spec: ProblemSpec) -> Trial:
        """Make a problem in a process of its own and play some days, or refuse it because of what that takes."""
        text = as_text(spec)
        async with self._room:
            made = await self._try_out(text)
        await self._load_code(spec, text, made)
        return made

    async def _try_out(self, text: str) -> Trial:
        limits = self._settings
        child = await self._nursery.spawn(limits.problem_memory * MB, NICENESS)
        with within(limits, child, "be made and played for some days"):
            made: Trial = await child.ask(
                limits.create_seconds, "try_out", text, limits.max_dimension, limits.decision_seconds
            )
        child.end()
        if made.day_seconds > limits.decision_seconds:
            raise too_costly(
                f"a problem must take at most {limits.decision_seconds:g} seconds for a decision and its reward",
                f"about {made.day_seconds:.2g} seconds",
                "decision_seconds",
            )
        return made

    async def _load_code(self, spec: ProblemSpec, text: str, made: Trial) -> None:
        """Have processes of such problems begin with their code loaded, if that is soon done."""
        kind = spec.set.split()[0] if isinstance(spec.set, str) else str(spec.set.get("kind"))
        name = f"{kind} {spec.feedback} {spec.learner} {spec.preset} {spec.horizon is None}"
        if name not in self._warm and made.make_seconds + 10.0 * made.day_seconds < _LIGHT_SECONDS:
            self._warm.add(name)
            await self._nursery.warm(text, self._settings.max_dimension)


@contextmanager
def within(limits: Settings, child: Child, do: str, *, may_end: bool = False) -> Iterator[None]:
    """End a process where something happens, and say which limit a problem would need to ``do`` what it was to do.

    A process that ``may_end`` is gone, unless it said itself that it had no memory left.
    """
    try:
        yield
    except TooLong:
        must = f"a problem must {do} within {limits.create_seconds:g} seconds"
        raise too_costly(must, "one that takes longer", "create_seconds") from None
    except Gone as error:
        if may_end and not error.args:
            raise
        raise too_large(limits, error, child) from None
    except BaseException:
        child.end()
        raise


def too_large(limits: Settings, error: Gone, child: Child) -> TooCostly:
    """Say that a problem needs more memory than it may have, and how much, as far as its process could tell."""
    most = limits.problem_memory
    came = "one whose process was ended, as happens without memory"
    if error.args:
        came = f"more than {max(most, (error.args[0] - child.shared) // MB):,} MB"
    return too_costly(f"a problem must need at most {most} MB of memory", came, "problem_memory")


def too_costly(must: str, came: str, limit: str, smaller: str = "Use a smaller set") -> TooCostly:
    """Say what a problem, or a request, takes too much of, and which limit to raise."""
    return TooCostly(must, came, f"{smaller}, or start the server with a larger --limit {limit}.")
