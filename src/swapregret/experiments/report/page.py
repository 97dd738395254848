"""The page of a campaign: a summary, the table of all results, the figures of each scene, and how to make them again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from swapregret.experiments.report.compare import Comparison
from swapregret.experiments.report.curves import (
    curve_figure,
    horizon_figure,
    swap_against_external,
    swap_against_reward,
)
from swapregret.experiments.report.graph import MOST_EDGES, MOST_ELEMENTS, graph_figure, heat_map, probabilities
from swapregret.experiments.report.model import PlayerRuns, Scene
from swapregret.experiments.report.scales import calendar_figure, decomposition_figure
from swapregret.experiments.report.shell import document, facts_list, one_figure, section
from swapregret.experiments.report.style import Figure
from swapregret.experiments.report.summary import summary_section
from swapregret.experiments.report.table import results_table
from swapregret.experiments.report.words import PANELS, lemma_note, regret_note
from swapregret.units import UNIT_REWARDS

__all__ = ["Origin", "first_sections", "lead_of", "page_data", "panel_data", "render_page"]


@dataclass(frozen=True)
class Origin:
    """Where the results came from.

    Attributes
    ----------
    name : str
        Of the experiment.
    spec : str
        The specification as given.
    facts : mapping of str to str
        Versions, seed, machine: what is needed to make the results again.
    n_runs, n_finished : int
    failures : mapping of str to str
        Which runs failed, and why.
    """

    name: str
    spec: str
    facts: Mapping[str, str]
    n_runs: int
    n_finished: int
    failures: Mapping[str, str]


def render_page(
    scenes: Sequence[Scene],
    origin: Origin,
    *,
    comparison: Comparison | None = None,
    others: Sequence[Origin] = (),
    is_live: bool = False,
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    scenes : sequence of Scene
    origin : Origin
    comparison : Comparison, optional
        For a page about two campaigns; ``scenes`` are then its own.
    others : sequence of Origin
        Of the campaigns after the first.
    is_live : bool
        Whether the page asks its server for more as the campaign goes on.
    """
    drawn = page_data(scenes)
    kept = [scene["panels"] for scene in drawn["scenes"]]
    panels = [panel for panel in PANELS if not panel.is_optional or any("choices" in made[panel.key] for made in kept)]
    options = "".join(f'<option value="{i}">{escape(scene.label)}</option>' for i, scene in enumerate(scenes))
    title = origin.name if comparison is None else f"{comparison.names[0]} and {comparison.names[1]}"
    parts = [
        f'<header><h1>{escape(title)}</h1><div id="lead">{lead_of(scenes, origin, *others)}</div></header>',
        *([] if comparison is None else [comparison.section()]),
        f'<div id="first">{first_sections(scenes, has_summary=comparison is None or comparison.is_paired)}</div>',
        f'<nav class="bar"><label>Figures of <select id="scene" aria-label="scene">{options}</select></label>'
        '<button type="button" onclick="window.print()">Print</button></nav>',
        *[section(panel) for panel in panels],
        *[_reproduce(each) for each in (origin, *others)],
    ]
    return document(title, parts, drawn, is_live=is_live)


def first_sections(scenes: Sequence[Scene], *, has_summary: bool = True) -> str:
    """Return what stands before the figures: the summary, which needs paired replications, and the table of all results."""
    table = f'<section class="plain" id="table"><h2>All results</h2>{_TABLE_WORDS}{results_table(scenes)}</section>'
    return (summary_section(scenes) if has_summary else "") + table


def page_data(scenes: Sequence[Scene]) -> dict[str, Any]:
    """Return the figures of all scenes, as the script of the page takes them."""
    return {"scenes": [{"label": scene.label, "panels": panel_data(scene, scenes)} for scene in scenes]}


def panel_data(scene: Scene, scenes: Sequence[Scene] = ()) -> dict[str, Any]:
    """Return, for each figure of the page, its choices as Plotly figures, or a sentence that says why there is none.

    ``scenes`` are all of the page: those that differ from this one by their horizon alone share a figure.
    """
    players = scene.players
    siblings = [each for each in scenes if (each.actions, each.environment) == (scene.actions, scene.environment)]
    return {
        "regret": one_figure(
            curve_figure(players, lambda runs: runs.swap, "swap regret per round", is_log=True),
            'Swap regret was not measured here: ask for measure = "ledger" in the specification.',
            regret_note(scene),
        ),
        "horizons": _variants(
            {"swap regret": horizon_figure(siblings), "reward": horizon_figure(siblings, "reward")},
            "Only one horizon was run, or swap regret was not measured.",
        ),
        "versus": _variants(
            {"reward": swap_against_reward(players), "external regret": swap_against_external(players)},
            "Swap regret was not measured here.",
        ),
        "lemma": one_figure(
            decomposition_figure(players),
            "Nobody here has a certificate: ask for certificate = true, with a player that mixes its scales uniformly, "
            'such as swap_combcp with preset = "multiscale".',
            lemma_note(scene),
        ),
        "calendar": _choices(players, lambda runs: calendar_figure(runs, scene.horizon), "Nobody here keeps scales."),
        "reward": one_figure(
            curve_figure(players, lambda runs: runs.reward, "reward per round", is_log=False), "No reward was recorded."
        ),
        "time": one_figure(
            curve_figure(players, lambda runs: runs.microseconds, "µs per round", is_log=True, unit="µs"),
            "No times were recorded.",
        ),
        "graph": _laws(scene),
    }


def _variants(figures: Mapping[str, Figure | None], absent: str) -> dict[str, Any]:
    made = [{"name": name, "figure": drawn} for name, drawn in figures.items() if drawn is not None]
    return {"choices": made} if made else {"absent": absent}


def _choices(players: Sequence[PlayerRuns], make: Callable[[PlayerRuns], Figure | None], absent: str) -> dict[str, Any]:
    made = [{"name": runs.name, "figure": drawn} for runs in players if (drawn := make(runs)) is not None]
    return {"choices": made} if made else {"absent": absent}


def _laws(scene: Scene) -> dict[str, Any]:
    """Return the graph of a path or tree set with the probabilities of its edges, or a heat map for other sets."""
    known = [runs for runs in scene.players if runs.marginals is not None and runs.marginal_days is not None]
    if not known:
        return {"absent": "The policies that played were not recorded."}
    if scene.graph is None:
        absent = f"The set has {len(scene.labels):,} elements; a map of more than {MOST_ELEMENTS} cannot be read."
        return _choices(
            known,
            lambda runs: (
                heat_map(runs.marginals, runs.marginal_days, scene.labels)
                if runs.marginals is not None and runs.marginal_days is not None
                else None
            ),
            absent,
        )
    drawn = graph_figure(scene.graph)
    if drawn is None:
        return {"absent": f"The graph has {len(scene.graph.edges):,} edges; more than {MOST_EDGES} cannot be read."}
    choices = [
        {"name": runs.name, "days": runs.marginal_days.tolist(), "probabilities": probabilities(runs.marginals)}
        for runs in known
        if runs.marginals is not None and runs.marginal_days is not None
    ]
    return {"figure": drawn, "choices": choices}


_TABLE_WORDS = (
    '<p class="lead">At the horizon, with 95 % intervals over replications (times: from the fastest run to the slowest). '
    "Swap regret is against the best rule φ, for the mean of all replications; external regret against the best fixed action. "
    "The best of each scene is <b>bold</b>; ≈ marks a swap regret whose interval reaches that of the best one. "
    "Click a heading to sort.</p>"
)


def lead_of(scenes: Sequence[Scene], *origins: Origin) -> str:
    """Return what the page says first: how much was run, and what failed."""
    n_players = len({runs.name for scene in scenes for runs in scene.players})
    n_finished, n_runs = sum(each.n_finished for each in origins), sum(each.n_runs for each in origins)
    words = (
        f"{_plural(len(scenes), 'scene')} (set × environment × horizon), {_plural(n_players, 'player')}, "
        f"{n_finished:,} of {_plural(n_runs, 'run')} finished. Rewards are on [0, 1]; regrets are read from "
        "the policies and the mean rewards, not from the actions drawn."
    )
    lead = f'<p class="lead">{words}</p>{_units(scenes)}'
    failures = [failure for each in origins for failure in each.failures.items()]
    if failures:
        items = "".join(f"<li>{escape(run)}: {escape(why)}</li>" for run, why in failures)
        lead += f'<div class="failures"><p>{_plural(len(failures), "run")} failed:</p><ul>{items}</ul></div>'
    return lead


def _units(scenes: Sequence[Scene]) -> str:
    """Say what 0, 1 and a regret stand for where a world counts in units of its own."""
    kinds = dict.fromkeys((scene.environment, scene.units) for scene in scenes if scene.units != UNIT_REWARDS)
    items = "".join(
        f"<li>{escape(name)}: 0 is a {units.word} of {units.amount(0.0):g}, 1 is one of {units.amount(1.0):g}; a regret of "
        f"0.01 is {0.01 * units.scale:g}.</li>"
        for name, units in kinds
    )
    return f'<p class="lead">In units of their own:</p><ul class="lead">{items}</ul>' if items else ""


def _reproduce(origin: Origin) -> str:
    return (
        f'<section class="plain" id="reproduce"><h2>Make {escape(origin.name)} again</h2>'
        "<p>Save the specification as <code>spec.toml</code>, "
        "install the version named below, and run <code>swapregret run spec.toml --out results</code>, then "
        "<code>swapregret report results</code>. The numbers do not depend on the number of workers; only times do.</p>"
        f"<pre>{escape(origin.spec)}</pre>{facts_list(origin.facts)}</section>"
    )


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
