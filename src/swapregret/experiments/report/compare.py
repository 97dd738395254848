"""Two campaigns on one page: their players side by side in the scenes that both have, and what changed.

With the same seed, replication i of both campaigns met the same rewards and differences are paired; otherwise the two means
are compared as independent samples (Welch).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from scipy.special import stdtrit

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.experiments.report.model import Ends, Scene
from swapregret.experiments.report.shell import TableCell, paragraph, plain_section, table

SIGNS = {"reward": 1.0, "swap": -1.0}
"""Which end is good: the most reward, the least swap regret."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """A mean difference with Student's 95 % interval over replications; NaN ends for a single one."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Tell whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0

    def text(self, sign: str = "+") -> str:
        """Write it with its interval, in HTML; ``sign`` as in a format."""
        value, *ends = (format(each, f"{sign}.4f") for each in (self.value, self.low, self.high))
        if math.isnan(self.low):
            return f"{value} (one replication: no interval)"
        return f'{value} <span class="interval">[{", ".join(ends)}]</span>'


def difference(one: Vector, other: Vector, *, is_paired: bool = True) -> Difference:
    """Return the mean of ``one`` less that of ``other`` with its interval; exactly 0 where it is no more than rounding.

    Entries are paired (Student's interval of their differences), or those of two independent samples (Welch's).

    Examples
    --------
    >>> print(difference(np.array([0.4, 0.5, 0.6]), np.array([0.2, 0.4, 0.4])).text())
    +0.1667 <span class="interval">[+0.0232, +0.3101]</span>
    >>> difference(np.array([0.3, 0.3]), np.array([0.3, 0.3 + 5e-17]))
    Difference(value=0.0, low=0.0, high=0.0)
    """
    samples = [one - other] if is_paired else [one, -other]
    mean = float(sum(sample.mean() for sample in samples))
    if min(len(sample) for sample in samples) < 2:
        return Difference(mean, math.nan, math.nan)
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in samples]
    total, half = sum(parts), 0.0
    if total > 0.0:
        freedom = total**2 / sum(part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True))
        half = float(stdtrit(freedom, 0.975)) * math.sqrt(total)
    if abs(mean) + half <= _ROUNDING * max(float(np.abs(each).max()) for each in (one, other)):
        return Difference(0.0, 0.0, 0.0)
    return Difference(mean, mean - half, mean + half)


def shared(one: Ends, other: Ends, quantity: str) -> tuple[Vector, Vector] | None:
    """Return a quantity of two players on the replications that both have; None where there are none."""
    _, first, second = np.intersect1d(one.replications, other.replications, return_indices=True)
    left, right = getattr(one, quantity)[first], getattr(other, quantity)[second]
    known = np.isfinite(left) & np.isfinite(right)
    return (left[known], right[known]) if known.any() else None


@dataclass(frozen=True)
class Change:
    """What became of one player in one scene: the second campaign less the first."""

    scene: str
    player: str
    reward: Difference | None
    swap: Difference | None


@dataclass(frozen=True)
class Comparison:
    """Two campaigns: their names, the scenes that both have, what changed in them, and which scenes only one of them has.

    Players of the scenes carry the name of their campaign.
    """

    names: tuple[str, str]
    scenes: tuple[Scene, ...]
    changes: tuple[Change, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]]
    is_paired: bool

    def section(self) -> str:
        """Return the table of changes as HTML."""
        first, second = (escape(name) for name in self.names)
        how = (
            "Both have the same seed, so differences are paired by replication."
            if self.is_paired
            else "Their seeds differ, so the two means are compared as independent samples (Welch)."
        )
        rows = [
            (change.scene, change.player, _cell(change.reward, "reward"), _cell(change.swap, "swap"))
            for change in self.changes
        ]
        missing = "".join(
            f"<p>Only in {name}: {escape(', '.join(labels))}.</p>"
            for name, labels in zip((first, second), self.alone, strict=True)
            if labels
        )
        words = paragraph(
            f"{second} less {first}, per round. {how} In brackets: 95 % interval. ▲ is better, ▼ worse, ≈ not told apart, = the "
            "same."
        )
        changes = table("changes", ("scene", "player", "reward", "swap regret"), rows)
        title = f"What changed from {self.names[0]} to {self.names[1]}"
        return plain_section("changes", title, words + self._verdict() + changes + missing)

    def _verdict(self) -> str:
        """Say in one sentence per quantity how often it became better or worse."""
        sentences = []
        for quantity, name in (("reward", "Reward"), ("swap", "Swap regret")):
            found = [getattr(change, quantity) for change in self.changes]
            marks = [_mark(each, quantity) for each in found if each is not None]
            counts = f"better in {marks.count('▲')}, worse in {marks.count('▼')}, not told apart in {marks.count('≈')}"
            sentences.append(
                f"<p><b>{name}:</b> {counts}, the same in {marks.count('=')} of {len(marks)} comparisons.</p>"
            )
        return "".join(sentences)


def _mark(change: Difference, quantity: str) -> str:
    if change.value == change.low == change.high == 0.0:
        return "="
    return "≈" if not change.is_clear else "▲" if SIGNS[quantity] * change.value > 0.0 else "▼"


def compare(first: Sequence[Scene], second: Sequence[Scene], names: tuple[str, str], *, is_paired: bool) -> Comparison:
    """Put the scenes of two campaigns of different names together.

    They are paired where replications with the same number met the same rewards.
    """
    table = {scene.key: scene for scene in second}
    both = [(scene, table[scene.key]) for scene in first if scene.key in table]
    if not both:
        raise InvalidInput(
            "two campaigns that are compared must have a scene in common (set, environment, horizon)",
            f"{[scene.label for scene in first]} and {[scene.label for scene in second]}",
            "Write a report of each on its own: `swapregret report DIR`.",
        )
    scenes, changes = [], []
    for one, other in both:
        tagged = [
            replace(runs, name=f"{runs.name} ({name})")
            for name, scene in zip(names, (one, other), strict=True)
            for runs in scene.players
        ]
        scenes.append(replace(one, players=tuple(tagged)))
        later = {runs.name: runs.ends for runs in other.players}
        for runs in one.players:
            before, after = runs.ends, later.get(runs.name)
            if before is not None and after is not None:
                pair = [_change(before, after, quantity, is_paired) for quantity in SIGNS]
                changes.append(Change(one.label, runs.name, pair[0], pair[1]))
    found = {scene.key for scene, _ in both}
    alone = tuple(tuple(scene.label for scene in side if scene.key not in found) for side in (first, second))
    return Comparison(names, tuple(scenes), tuple(changes), (alone[0], alone[1]), is_paired)


def _change(before: Ends, after: Ends, quantity: str, is_paired: bool) -> Difference | None:
    if is_paired:
        pair = shared(after, before, quantity)
        return None if pair is None else difference(*pair)
    one, other = (values[np.isfinite(values)] for values in (getattr(after, quantity), getattr(before, quantity)))
    return difference(one, other, is_paired=False) if len(one) and len(other) else None


def _cell(change: Difference | None, quantity: str) -> TableCell:
    if change is None:
        return TableCell("–")
    mark = _mark(change, quantity)
    return TableCell(mark if mark == "=" else f"{mark} {change.text()}", change.value, (change.low, change.high))
