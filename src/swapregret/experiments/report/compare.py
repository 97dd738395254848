"""Two campaigns on one page: how they were set up differently, what changed, and their players side by side.

With the same seed, run i of both campaigns met the same rewards and differences are paired; otherwise the two means
are compared as independent samples (Welch).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from swapregret.errors import InvalidInput
from swapregret.experiments.report.gap import SIGNS, Gap, gap
from swapregret.experiments.report.model import Case, Origin
from swapregret.experiments.report.shell import TableCell, paragraph, plain_section, table

_LONGEST = 120
_NOT_SETTINGS = ("format", "name", "runs", "library", "host", "cores", "memory")
"""What differs without anything having been set differently, or is told elsewhere."""


@dataclass(frozen=True)
class Change:
    """What became of one player in one case, from the first campaign to the second."""

    case: str
    player: str
    gaps: Mapping[str, Gap | None]


@dataclass(frozen=True)
class Comparison:
    """Two campaigns: their names, their settings that differ, the cases that both have, what changed in them, the other cases.

    Players of the cases carry the name of their campaign.
    """

    names: tuple[str, str]
    settings: tuple[tuple[str, str, str], ...]
    cases: tuple[Case, ...]
    changes: tuple[Change, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]]
    is_paired: bool

    def sections(self) -> list[str]:
        """Return the tables of different settings and of changes as HTML."""
        words = "– stands for what is not there, or was not set." if self.settings else "All settings are the same."
        settings = table("settings", ("setting", *self.names), self.settings) if self.settings else ""
        missing = "".join(
            f"<p>Only in {escape(name)}: {escape(', '.join(labels))}.</p>"
            for name, labels in zip(self.names, self.alone, strict=True)
            if labels
        )
        how = (
            "Both have the same seed, so run is compared with run."
            if self.is_paired
            else "Their seeds differ, so the two means are compared as independent samples (Welch)."
        )
        legend = (
            f"{escape(self.names[1])} less {escape(self.names[0])}, per day. {how} ▲ is better, ▼ worse, = the same; ≈: too "
            "close to call with these runs. Point at a number to see its interval."
        )
        rows = [
            (each.case, each.player, *(_cell(each.gaps[quantity], quantity) for quantity in SIGNS))
            for each in self.changes
        ]
        changes = table("changes", ("case", "player", "reward", "swap regret"), rows)
        title = f"What changed from {self.names[0]} to {self.names[1]}"
        return [
            plain_section("settings", "What was set differently", paragraph(words) + settings + missing),
            plain_section("changes", title, paragraph(legend) + self._verdict() + changes),
        ]

    def _verdict(self) -> str:
        """Say in one sentence per quantity how often it became better or worse."""
        sentences = []
        for quantity, name in (("reward", "Reward"), ("swap", "Swap regret")):
            marks = [found.mark for change in self.changes if (found := change.gaps[quantity]) is not None]
            counts = f"better in {marks.count('▲')}, worse in {marks.count('▼')}, not told apart in {marks.count('≈')}"
            sentences.append(
                f"<p><b>{name}:</b> {counts}, the same in {marks.count('=')} of {len(marks)} comparisons.</p>"
            )
        return "".join(sentences)


def compare(
    first: tuple[Sequence[Case], Origin], second: tuple[Sequence[Case], Origin], names: tuple[str, str]
) -> Comparison:
    """Put the cases of two campaigns of different names together.

    They are paired where runs with the same number met the same rewards, which those of one seed did.
    """
    seeds = [origin.facts.get("seed") for _, origin in (first, second)]
    is_paired = seeds[0] is not None and seeds[0] == seeds[1]
    table = {case.key: case for case in second[0]}
    both = [(case, table[case.key]) for case in first[0] if case.key in table]
    if not both:
        raise InvalidInput(
            "two campaigns that are compared must have a case in common (set, world, horizon)",
            f"{[case.label for case in first[0]]} and {[case.label for case in second[0]]}",
            "Write a report of each on its own: `swapregret report DIR`.",
        )
    cases, changes = [], []
    for pair in both:
        tagged = [
            replace(runs, name=f"{runs.name} ({name})")
            for name, case in zip(names, pair, strict=True)
            for runs in case.players
        ]
        cases.append(replace(pair[0], players=tuple(tagged)))
        later = {runs.name: runs for runs in pair[1].players}
        for before in pair[0].players:
            if (after := later.get(before.name)) is not None:
                gaps = {quantity: gap(after, before, quantity, is_paired=is_paired) for quantity in SIGNS}
                changes.append(Change(pair[0].label, before.name, gaps))
    found = {case.key for case, _ in both}
    alone = [tuple(case.label for case in side if case.key not in found) for side, _ in (first, second)]
    settings = tuple(different(_told(first[1]), _told(second[1])))
    return Comparison(names, settings, tuple(cases), tuple(changes), (alone[0], alone[1]), is_paired)


def _told(origin: Origin) -> dict[str, object]:
    """Return what a campaign was made with: its settings in full, its seed, and versions."""
    told = {**origin.facts, **origin.settings}
    return {name: value for name, value in told.items() if name not in _NOT_SETTINGS}


def different(one: object, other: object, place: str = "") -> Iterator[tuple[str, str, str]]:
    """Find where two nested descriptions differ: the place, and what stands there in each."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*one, *other)):
            yield from different(one.get(key), other.get(key), f"{place} · {key}" if place else str(key))
    elif one != other:
        yield place, _short(one), _short(other)


def _short(value: object) -> str:
    """Write a setting as a line: a set, world or player by its kind and what was set of it."""
    if isinstance(value, Mapping) and "kind" in value:
        parameters = value.get("parameters", {})
        return ", ".join((str(value["kind"]), *(f"{name} = {_short(each)}" for name, each in parameters.items())))
    text = "–" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _cell(found: Gap | None, quantity: str) -> TableCell:
    if found is None:
        return TableCell("–")
    change = SIGNS[quantity] * found.value
    return TableCell(
        found.mark if found.mark == "=" else f"{found.mark} {change:+.4f}".strip(), change, hint=found.hint
    )
