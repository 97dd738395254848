"""The page of a campaign: a summary, the table of all results, the figures of each scene, and how to make them again."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from swapregret.arrays import Matrix
from swapregret.counts import plural
from swapregret.errors import InvalidInput
from swapregret.experiments.report import figures
from swapregret.experiments.report.compare import Comparison, compare
from swapregret.experiments.report.first_tables import results_table, summary_section
from swapregret.experiments.report.gather import gather
from swapregret.experiments.report.graph import MOST_EDGES, graph_figure
from swapregret.experiments.report.model import MarginalsByDay, Origin, Scene
from swapregret.experiments.report.shell import (
    again_section,
    choices,
    document,
    header,
    paragraph,
    plain_section,
    read_panels,
)
from swapregret.experiments.report.style import Figure, heat_map
from swapregret.regret.bounds import lower_bound, swap_combcp_bound
from swapregret.storage import write_file
from swapregret.units import UNIT_REWARDS

MOST_ELEMENTS = 150


def render_page(
    scenes: Sequence[Scene],
    origin: Origin,
    *,
    comparison: Comparison | None = None,
    others: Sequence[Origin] = (),
    live_version: int | None = None,
) -> str:
    """Return the page as HTML.

    ``comparison`` is for a page about two campaigns; ``scenes`` are then its own, and ``others`` the origin of the second.
    A page with a ``live_version`` asks its server for later ones as the campaign goes on.
    """
    options = "".join(f'<option value="{i}">{escape(scene.label)}</option>' for i, scene in enumerate(scenes))
    title = origin.name if comparison is None else f"{comparison.names[0]} and {comparison.names[1]}"
    before = [
        header(title, lead_of(scenes, origin, *others)),
        *([] if comparison is None else [comparison.section()]),
        f'<div id="first">{first_sections(scenes, has_summary=comparison is None or comparison.is_paired)}</div>',
        f'<nav class="bar"><label>Figures of <select id="scene" aria-label="scene">{options}</select></label>'
        '<button type="button" onclick="window.print()">Print</button></nav>',
    ]
    after = [_reproduce(each) for each in (origin, *others)]
    return document(title, before, read_panels("panels.txt"), page_data(scenes), after, live_version=live_version)


# ---- the figures -------------------------------------------------------------------------------------------------


def page_data(scenes: Sequence[Scene]) -> dict[str, Any]:
    """Return the figures of all scenes, as the script of the page takes them."""
    return {"scenes": [{"label": scene.label, "panels": panel_data(scene, scenes)} for scene in scenes]}


def panel_data(scene: Scene, scenes: Sequence[Scene] = ()) -> dict[str, Any]:
    """Return, for each figure of the page, its choices as Plotly figures, or a sentence that says why there is none.

    ``scenes`` are all of the page: those that differ from this one by their horizon alone share a figure.
    """
    players = scene.players
    siblings = [each for each in scenes if (each.actions, each.environment) == (scene.actions, scene.environment)]

    def over_days(quantity: str, title: str, *, is_log: bool, unit: str = "") -> dict[str, Figure | None]:
        curves = [(runs.name, runs.curve(quantity)) for runs in players]
        return {"": figures.curve_figure(curves, title, is_log=is_log, unit=unit)}

    return {
        "regret": choices(
            over_days("swap", "swap regret per round", is_log=True),
            'Swap regret was not measured here: ask for measure = "ledger" in the specification.',
            regret_note(scene),
        ),
        "horizons": choices(
            {"swap regret": figures.horizon_figure(siblings), "reward": figures.horizon_figure(siblings, "reward")},
            "Only one horizon was run, or swap regret was not measured.",
        ),
        "versus": choices(
            {
                "reward": figures.swap_against(players, "reward"),
                "external regret": figures.swap_against(players, "external"),
            },
            "Swap regret was not measured here.",
        ),
        "lemma": choices(
            {"": figures.decomposition_figure(players)},
            "Nobody here has a certificate: ask for certificate = true, with a player that mixes its scales uniformly, "
            'such as swap_combcp with preset = "multiscale".',
            lemma_note(scene),
        ),
        "calendar": choices(
            {runs.name: figures.calendar_figure(runs, scene.horizon) for runs in players}, "Nobody here keeps scales."
        ),
        "reward": choices(over_days("reward", "reward per round", is_log=False), "No reward was recorded."),
        "time": choices(over_days("microseconds", "µs per round", is_log=True, unit="µs"), "No times were recorded."),
        "graph": _policies(scene),
    }


def _policies(scene: Scene) -> dict[str, Any]:
    """Return the graph of a path or tree set with the probabilities of its edges, or a heat map for other sets."""
    known = [(runs.name, runs.policy) for runs in scene.players if runs.policy is not None]
    if not known:
        return {"absent": "The policies that played were not recorded."}
    if scene.network is None:
        absent = f"The set has {len(scene.labels):,} elements; a map of more than {MOST_ELEMENTS} cannot be read."
        return choices({name: policy_map(policy, scene.labels) for name, policy in known}, absent)
    drawn = graph_figure(scene.network, scene.labels)
    if drawn is None:
        return {"absent": f"The graph has {len(scene.network.edges):,} edges; more than {MOST_EDGES} cannot be read."}
    policies = [
        {"name": name, "days": policy.days.tolist(), "probabilities": _probabilities(policy.marginals)}
        for name, policy in known
    ]
    return {"figure": drawn, "choices": policies}


def policy_map(policy: MarginalsByDay, labels: tuple[str, ...]) -> Figure | None:
    """Shade the probability of every element on every day; None above 150 elements."""
    if len(labels) > MOST_ELEMENTS:
        return None
    names = labels, [f"{day:,}" for day in policy.days.tolist()]
    hover, height = "day %{x}<br>%{y}: %{z:.3f}", min(1200, 170 + 16 * len(labels))
    table = _probabilities(policy.marginals.T)
    return heat_map(table, names, ("element", "after day"), hover=hover, height=height, zmax=1.0)


def _probabilities(table: Matrix) -> list[list[float]]:
    """Return probabilities to three decimals, in [0, 1]."""
    rounded: list[list[float]] = np.round(np.clip(table, 0.0, 1.0), 3).tolist()
    return rounded


# ---- what theory and the numbers of a scene add to the words beside its figures ------------------------------------


def regret_note(scene: Scene) -> str:
    """Return what theory says of the swap regret of a scene, and which definition its numbers carry."""
    kinds = list(dict.fromkeys(runs.definition for runs in scene.players if runs.definition))
    return f"{bound_note(scene)} Measured: {'; '.join(kinds)}." if kinds else bound_note(scene)


def bound_note(scene: Scene) -> str:
    """Return the theorem's upper bound and the lower bound, in words.

    Examples
    --------
    >>> scene = Scene("10 choose 3", "cyclic", 100_000, 10, 3, 120, (), ())
    >>> bound_note(scene).startswith("Bound: the theorem promises at most 18.6 per round here, 45·log(d log T)/log T")
    True
    """
    upper = swap_combcp_bound(scene.dimension, max(3, scene.horizon))
    verdict = (
        "which says nothing, since 1 is the most there can be"
        if upper.is_vacuous
        else "which is below 1, so it says something"
    )
    below = lower_bound(scene.dimension, max(3, scene.horizon), size=scene.size)
    floor = (
        "The lower bound T/log⁶T does not apply at this size and horizon."
        if below.is_vacuous
        else f"Some adversary makes every learner suffer about {below.per_round:.3g} per round (T/log⁶T, constant 1)."
    )
    return (
        f"Bound: the theorem promises at most {upper.per_round:.3g} per round here, 45·log(d log T)/log T with d = "
        f"{scene.dimension:,} and T = {scene.horizon:,}, {verdict}. {floor}"
    )


def lemma_note(scene: Scene) -> str:
    """Return the lemma's numbers of every player that has them."""
    parts = []
    for runs in scene.players:
        if runs.shares is not None and runs.swap is not None:
            parts.append(
                f"{runs.name}: {runs.swap.last[0]:.4f} ≤ {runs.shares.laziness:.4f} ≤ {runs.shares.bound:.4f} "
                f"with K = {len(runs.shares.parts)}"
            )
    return f"Here, per round: {'; '.join(parts)}." if parts else ""


# ---- what stands before and after the figures ----------------------------------------------------------------------


def lead_of(scenes: Sequence[Scene], *origins: Origin) -> str:
    """Return what the page says first: how much was run, and what failed."""
    n_players = len({runs.name for scene in scenes for runs in scene.players})
    n_finished, n_runs = sum(each.n_finished for each in origins), sum(each.n_runs for each in origins)
    words = (
        f"{plural(len(scenes), 'scene')} (set × environment × horizon), {plural(n_players, 'player')}, "
        f"{n_finished:,} of {plural(n_runs, 'run')} finished. Rewards are on [0, 1]; regrets are read from "
        "the policies and the mean rewards, not from the actions drawn."
    )
    lead = paragraph(words) + _units(scenes)
    failures = [failure for each in origins for failure in each.failures.items()]
    if failures:
        items = "".join(f"<li>{escape(run)}: {escape(why)}</li>" for run, why in failures)
        lead += f'<div class="failures"><p>{plural(len(failures), "run")} failed:</p><ul>{items}</ul></div>'
    return lead


def _units(scenes: Sequence[Scene]) -> str:
    """Say what 0, 1 and a regret stand for where a world counts in units of its own."""
    kinds = dict.fromkeys((scene.environment, scene.units) for scene in scenes if scene.units != UNIT_REWARDS)
    items = "".join(
        f"<li>{escape(name)}: 0 is a {units.word} of {units.amount(0.0):g}, 1 is one of {units.amount(1.0):g}; a regret of "
        f"0.01 is {0.01 * units.scale:g}.</li>"
        for name, units in kinds
    )
    return f'{paragraph("In units of their own:")}<ul class="lead">{items}</ul>' if items else ""


def first_sections(scenes: Sequence[Scene], *, has_summary: bool = True) -> str:
    """Return what stands before the figures: the summary, which needs paired replications, and the table of all results."""
    words = (
        "At the horizon, with 95 % intervals over replications (times: from the fastest run to the slowest). Swap regret is "
        "against the best rule φ, for the mean of all replications; external regret against the best fixed action. The best of "
        "each scene is <b>bold</b>; ≈ marks a swap regret whose interval reaches that of the best one. Click a heading to sort."
    )
    results = plain_section("table", "All results", paragraph(words) + results_table(scenes))
    return (summary_section(scenes) if has_summary else "") + results


def _reproduce(origin: Origin) -> str:
    words = (
        "Save the specification as <code>spec.toml</code>, "
        "install the version named below, and run <code>swapregret run spec.toml --out results</code>, then "
        "<code>swapregret report results</code>. The numbers do not depend on the number of workers; only times do."
    )
    return again_section(f"Make {origin.name} again", words, origin.spec, origin.facts)


def write_report(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Write the report of a folder of results as one HTML file that needs nothing from outside; return where it is.

    Runs that are missing are left out and counted on the page. The file is ``report.html`` in the folder unless ``out`` is given.
    """
    path = Path(folder) / "report.html" if out is None else Path(out)
    scenes, origin = gather(folder)
    write_file(path, render_page(scenes, origin).encode())
    return path


def write_comparison(
    first: str | os.PathLike[str], second: str | os.PathLike[str], out: str | os.PathLike[str] | None = None
) -> Path:
    """Write a report about two folders of results: their players side by side, and what changed; return where it is.

    They must have a scene in common. The file is ``comparison.html`` in the second folder unless ``out`` is given.
    """
    if Path(first).resolve() == Path(second).resolve():
        raise InvalidInput("two campaigns must be two folders", f"{os.fspath(first)!r} twice", "Give another one.")
    (one, one_origin), (other, other_origin) = gather(first), gather(second)
    names = (one_origin.name, other_origin.name)
    if names[0] == names[1]:
        names = (Path(first).resolve().name, Path(second).resolve().name)
    if names[0] == names[1]:
        names = (os.fspath(first), os.fspath(second))
    seeds = (one_origin.facts.get("seed"), other_origin.facts.get("seed"))
    made = compare(one, other, names, is_paired=seeds[0] is not None and seeds[0] == seeds[1])
    path = Path(second) / "comparison.html" if out is None else Path(out)
    write_file(path, render_page(made.scenes, one_origin, comparison=made, others=[other_origin]).encode())
    return path
