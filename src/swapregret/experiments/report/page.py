"""The page of a campaign: a summary, the table of all results, the figures of each case, and how to make them again."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from swapregret.arrays import Matrix
from swapregret.counts import plural
from swapregret.errors import InvalidInput
from swapregret.experiments.report import figures
from swapregret.experiments.report.compare import Comparison, compare
from swapregret.experiments.report.first_tables import results_table, summary_section
from swapregret.experiments.report.gather import gather
from swapregret.experiments.report.graph import MOST_EDGES, graph_figure
from swapregret.experiments.report.model import Case, MarginalsByDay, Origin
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
from swapregret.files.storage import Json, write_file
from swapregret.regret.bounds import lower_bound, swap_combcp_bound
from swapregret.units import UNIT_REWARDS

MOST_ELEMENTS = 150


def render_page(
    cases: Sequence[Case],
    origin: Origin,
    *,
    comparison: Comparison | None = None,
    others: Sequence[Origin] = (),
    live_version: int | None = None,
) -> str:
    """Return the page as HTML.

    ``comparison`` is for a page about two campaigns; ``cases`` are then its own, and ``others`` the origin of the second.
    A page with a ``live_version`` asks its server for later ones as the campaign goes on.
    """
    options = "".join(f'<option value="{i}">{escape(case.label)}</option>' for i, case in enumerate(cases))
    title = origin.name if comparison is None else f"{comparison.names[0]} and {comparison.names[1]}"
    before = [
        header(title, lead_of(cases, origin, *others)),
        *([] if comparison is None else comparison.sections()),
        f'<div id="first">{first_sections(cases, is_paired=comparison is None or comparison.is_paired)}</div>',
        f'<nav class="bar"><label>Figures of <select id="case" aria-label="case">{options}</select></label>'
        '<button type="button" onclick="window.print()">Print</button></nav>',
    ]
    after = [_reproduce(each) for each in (origin, *others)]
    return document(title, before, read_panels("panels.txt"), page_data(cases), after, live_version=live_version)


# ---- the figures -------------------------------------------------------------------------------------------------


def page_data(cases: Sequence[Case]) -> Json:
    """Return the figures of all cases, as the script of the page takes them."""
    return {"cases": [{"label": case.label, "panels": panel_data(case, cases)} for case in cases]}


def panel_data(case: Case, cases: Sequence[Case] = ()) -> Json:
    """Return, for each figure of the page, its choices as Plotly figures, or a sentence that says why there is none.

    ``cases`` are all of the page: those that differ from this one by their horizon alone share a figure.
    """
    players = case.players
    siblings = [each for each in cases if (each.actions, each.environment) == (case.actions, case.environment)]

    def over_days(quantity: str, title: str, *, is_log: bool, unit: str = "") -> dict[str, Figure | None]:
        curves = [(runs.name, runs.curve(quantity)) for runs in players]
        return {"": figures.curve_figure(curves, title, is_log=is_log, unit=unit)}

    return {
        "regret": choices(
            over_days("swap", "swap regret per day", is_log=True),
            'Swap regret was not measured here: ask for measure = "ledger" in the specification.',
            regret_note(case),
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
            lemma_note(case),
        ),
        "calendar": choices(
            {runs.name: figures.calendar_figure(runs, case.horizon) for runs in players}, "Nobody here keeps scales."
        ),
        "reward": choices(over_days("reward", "reward per day", is_log=False), "No reward was recorded."),
        "time": choices(over_days("microseconds", "µs per day", is_log=True, unit="µs"), "No times were recorded."),
        "graph": _policies(case),
    }


def _policies(case: Case) -> Json:
    """Return the graph of a path or tree set with the probabilities of its edges, or a heat map for other sets."""
    known = [(runs.name, runs.policy) for runs in case.players if runs.policy is not None]
    if not known:
        return {"absent": "The policies that played were not recorded."}
    if case.network is None:
        absent = f"The set has {len(case.labels):,} elements; a map of more than {MOST_ELEMENTS} cannot be read."
        return choices({name: policy_map(policy, case.labels) for name, policy in known}, absent)
    drawn = graph_figure(case.network, case.labels)
    if drawn is None:
        return {"absent": f"The graph has {len(case.network.edges):,} edges; more than {MOST_EDGES} cannot be read."}
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


# ---- what theory and the numbers of a case add to the words beside its figures ------------------------------------


def regret_note(case: Case) -> str:
    """Return what theory says of the swap regret of a case, and which definition its numbers carry."""
    kinds = list(dict.fromkeys(runs.definition for runs in case.players if runs.definition))
    return f"{bound_note(case)} Measured: {'; '.join(kinds)}." if kinds else bound_note(case)


def bound_note(case: Case) -> str:
    """Return the theorem's upper bound and the lower bound, in words."""
    upper = swap_combcp_bound(case.dimension, max(3, case.horizon))
    verdict = (
        "which says nothing, since 1 is the most there can be"
        if upper.is_vacuous
        else "which is below 1, so it says something"
    )
    below = lower_bound(case.dimension, max(3, case.horizon), size=case.size)
    floor = (
        "The lower bound T/log⁶T does not apply at this size and horizon."
        if below.is_vacuous
        else f"Some adversary makes every learner suffer about {below.per_round:.3g} per day (T/log⁶T, constant 1)."
    )
    return (
        f"Bound: the theorem promises at most {upper.per_round:.3g} per day here, 45·log(d log T)/log T with d = "
        f"{case.dimension:,} and T = {case.horizon:,}, {verdict}. {floor}"
    )


def lemma_note(case: Case) -> str:
    """Return the lemma's numbers of every player that has them."""
    parts = []
    for runs in case.players:
        if runs.shares is not None and runs.swap is not None:
            parts.append(
                f"{runs.name}: {runs.swap.last[0]:.4f} ≤ {runs.shares.laziness:.4f} ≤ {runs.shares.bound:.4f} "
                f"with K = {len(runs.shares.parts)}"
            )
    return f"Here, per day: {'; '.join(parts)}." if parts else ""


# ---- what stands before and after the figures ----------------------------------------------------------------------


def lead_of(cases: Sequence[Case], *origins: Origin) -> str:
    """Return what the page says first: how much was run, and what failed."""
    n_players = len({runs.name for case in cases for runs in case.players})
    n_finished, n_runs = sum(each.n_finished for each in origins), sum(each.n_runs for each in origins)
    words = (
        f"{plural(len(cases), 'case')} (set × world × horizon), {plural(n_players, 'player')}, "
        f"{n_finished:,} of {plural(n_runs, 'run')} finished. Rewards are between 0 and 1. Regrets are computed from the "
        "probabilities with which actions were chosen and from the mean rewards, so luck in the draw does not count."
    )
    lead = paragraph(words) + _units(cases)
    failures = [failure for each in origins for failure in each.failures.items()]
    if failures:
        items = "".join(f"<li>{escape(run)}: {escape(why)}</li>" for run, why in failures)
        lead += f'<div class="failures"><p>{plural(len(failures), "run")} failed:</p><ul>{items}</ul></div>'
    return lead


def _units(cases: Sequence[Case]) -> str:
    """Say what 0, 1 and a regret stand for where a world counts in units of its own."""
    kinds = dict.fromkeys((case.environment, case.units) for case in cases if case.units != UNIT_REWARDS)
    items = "".join(
        f"<li>{escape(name)}: 0 is a {units.word} of {units.amount(0.0):g}, 1 is one of {units.amount(1.0):g}; a regret of "
        f"0.01 is {0.01 * units.scale:g}.</li>"
        for name, units in kinds
    )
    return f'{paragraph("In units of their own:")}<ul class="lead">{items}</ul>' if items else ""


def first_sections(cases: Sequence[Case], *, is_paired: bool = True) -> str:
    """Return what stands before the figures: the summary and the table of all results."""
    words = (
        "On the last day, per day, with 95 % intervals over the runs (times: from the fastest run to the slowest). The best of "
        "each case is <b>bold</b>; ≈: too close to the best one to call with these runs. Swap regret compares with the "
        "best rule for all runs together. Point at it to see the mean of the runs, each with a best rule of its own. External "
        "regret compares with the best fixed action. Click a heading to sort."
    )
    results = plain_section("table", "All results", paragraph(words) + results_table(cases, is_paired=is_paired))
    return summary_section(cases, is_paired=is_paired) + results


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
    cases, origin = gather(folder)
    write_file(path, render_page(cases, origin).encode())
    return path


def write_comparison(
    first: str | os.PathLike[str], second: str | os.PathLike[str], out: str | os.PathLike[str] | None = None
) -> Path:
    """Write a report about two folders of results: their players side by side, and what changed; return where it is.

    They must have a case in common. The file is ``comparison.html`` in the second folder unless ``out`` is given.
    """
    if Path(first).resolve() == Path(second).resolve():
        raise InvalidInput("two campaigns must be two folders", f"{os.fspath(first)!r} twice", "Give another one.")
    (one, one_origin), (other, other_origin) = gather(first), gather(second)
    names = (one_origin.name, other_origin.name)
    if names[0] == names[1]:
        names = (Path(first).resolve().name, Path(second).resolve().name)
    if names[0] == names[1]:
        names = (os.fspath(first), os.fspath(second))
    made = compare((one, one_origin), (other, other_origin), names)
    path = Path(second) / "comparison.html" if out is None else Path(out)
    write_file(path, render_page(made.cases, one_origin, comparison=made, others=[other_origin]).encode())
    return path
