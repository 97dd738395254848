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
from swapregret.experiments.report.summary import Difference, difference, shared, unless_rounded

__all__ = ["Change", "Comparison", "compare"]


@dataclass(frozen=True)
class Change:
    """What became of one player in one scene: the second campaign less the first."""

    scene: str
    player: str
    reward: Difference | None
    swap: Difference | None


@dataclass(frozen=True)
class Comparison:
    """Two campaigns: their names, what changed, and the scenes with the players of both.

    Attributes
    ----------
    names : (str, str)
    scenes : tuple of Scene
        Those that both have; players carry the name of their campaign.
    changes : tuple of Change
    alone : (tuple of str, tuple of str)
        Scenes that only one of them has.
    is_paired : bool
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
        heads = "".join(f'<th scope="col">{head}</th>' for head in ("scene", "player", "reward", "swap regret"))
        rows = "".join(
            f'<tr><th scope="row">{escape(change.scene)}</th><td data-label="player">{escape(change.player)}</td>'
            f"{_cell('reward', change.reward, 1.0)}{_cell('swap regret', change.swap, -1.0)}</tr>"
            for change in self.changes
        )
        missing = "".join(
            f"<p>Only in {name}: {escape(', '.join(labels))}.</p>"
            for name, labels in zip((first, second), self.alone, strict=True)
            if labels
        )
        return (
            f'<section class="plain" id="changes"><h2>What changed from {first} to {second}</h2><p class="lead">'
            f"{second} less {first}, per round. {how} In brackets: 95 % interval. ▲ is better, ▼ worse, ≈ not told apart, "
            f"= the same.</p>{self._verdict()}"
            f'<table class="results sortable" data-name="changes"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
            f"{missing}</section>"
        )

    def _verdict(self) -> str:
        """Say in one sentence per quantity how often it became better or worse."""
        sentences = []
        for word, good in (("reward", 1.0), ("swap", -1.0)):
            marks = [_mark(each, good) for change in self.changes if (each := getattr(change, word)) is not None]
            name = "Reward" if word == "reward" else "Swap regret"
            counts = f"better in {marks.count('▲')}, worse in {marks.count('▼')}, not told apart in {marks.count('≈')}"
            sentences.append(
                f"<p><b>{name}:</b> {counts}, the same in {marks.count('=')} of {len(marks)} comparisons.</p>"
            )
        return "".join(sentences)


def _mark(change: Difference, good: float) -> str:
    if change.value == change.low == change.high == 0.0:
        return "="
    return "≈" if not change.is_clear else "▲" if good * change.value > 0.0 else "▼"


def compare(first: Sequence[Scene], second: Sequence[Scene], names: tuple[str, str], *, is_paired: bool) -> Comparison:
    """Put the scenes of two campaigns together.

    Parameters
    ----------
    first, second : sequence of Scene
    names : (str, str)
        Of the campaigns; they must differ.
    is_paired : bool
        Whether replications with the same number met the same rewards.
    """
    table = {_key(scene): scene for scene in second}
    both = [(scene, table[_key(scene)]) for scene in first if _key(scene) in table]
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
                pair = [_change(before, after, quantity, is_paired) for quantity in ("reward", "swap")]
                changes.append(Change(one.label, runs.name, pair[0], pair[1]))
    found = {_key(scene) for scene, _ in both}
    alone = tuple(tuple(scene.label for scene in side if _key(scene) not in found) for side in (first, second))
    return Comparison(names, tuple(scenes), tuple(changes), (alone[0], alone[1]), is_paired)


def _key(scene: Scene) -> tuple[str, str, int]:
    return scene.actions, scene.environment, scene.horizon


def _change(before: Ends, after: Ends, quantity: str, is_paired: bool) -> Difference | None:
    if is_paired:
        pair = shared(after, before, quantity)
        return None if pair is None else difference(*pair)
    one, other = (values[np.isfinite(values)] for values in (getattr(after, quantity), getattr(before, quantity)))
    return _welch(one, other) if len(one) and len(other) else None


def _welch(one: Vector, other: Vector) -> Difference:
    """Return the difference of two independent means, with Welch's interval."""
    gap = float(one.mean() - other.mean())
    if min(len(one), len(other)) < 2:
        return Difference(gap, math.nan, math.nan)
    parts = [float(each.var(ddof=1)) / len(each) for each in (one, other)]
    total = sum(parts)
    if total == 0.0:
        return unless_rounded(gap, 0.0, one, other)
    freedom = total**2 / sum(part**2 / (len(each) - 1) for part, each in zip(parts, (one, other), strict=True))
    half = float(stdtrit(freedom, 0.975)) * math.sqrt(total)
    return unless_rounded(gap, half, one, other)


def _cell(label: str, change: Difference | None, good: float) -> str:
    if change is None:
        return f'<td data-label="{label}">–</td>'
    mark = _mark(change, good)
    return (
        f'<td data-label="{label}" data-value="{change.value!r}" data-low="{change.low!r}" data-high="{change.high!r}">'
        f'<span class="cell">{mark if mark == "=" else f"{mark} {change}"}</span></td>'
    )
