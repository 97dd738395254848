"""The page: one HTML file that needs nothing from outside, its figures drawn by the Plotly it carries.

Everything a reader without scripts can use (the words, the table, the specification) is in the HTML; figures are data
that ``page.js`` draws. The same results give the same bytes.

May touch: ``experiments.report``'s figures, words and table; Plotly.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from swapregret.experiments.report.curves import curve_figure, horizon_figure, swap_against_external
from swapregret.experiments.report.graph import MOST_EDGES, MOST_ELEMENTS, graph_figure, heat_map, probabilities
from swapregret.experiments.report.model import PlayerRuns, Scene
from swapregret.experiments.report.scales import calendar_figure, decomposition_figure
from swapregret.experiments.report.style import Figure
from swapregret.experiments.report.table import results_table
from swapregret.experiments.report.words import PANELS, Panel, lemma_note, regret_note

__all__ = ["Origin", "panel_data", "render_page"]


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


def render_page(scenes: Sequence[Scene], origin: Origin) -> str:
    """Return the page as HTML."""
    drawn = [panel_data(scene, scenes) for scene in scenes]
    data = {"scenes": [{"label": scene.label, "panels": made} for scene, made in zip(scenes, drawn, strict=True)]}
    panels = [panel for panel in PANELS if not panel.is_optional or any("choices" in made[panel.key] for made in drawn)]
    options = "".join(f'<option value="{i}">{escape(scene.label)}</option>' for i, scene in enumerate(scenes))
    title = escape(origin.name)
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f"<title>{title} – swapregret</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
        f"<style>\n{_asset('page.css')}</style></head>\n<body>",
        f"<header><h1>{title}</h1>{_lead(scenes, origin)}</header>",
        f'<section class="plain" id="table"><h2>All results</h2>{_TABLE_WORDS}{results_table(scenes)}</section>',
        f'<nav class="bar"><label>Figures of <select id="scene" aria-label="scene">{options}</select></label>'
        '<button type="button" onclick="window.print()">Print</button></nav>',
        "<noscript><p>The figures need JavaScript; the table, the words and the specification do not.</p></noscript>",
        *[_section(panel) for panel in panels],
        _reproduce(origin),
        f'<script id="report" type="application/json">{_embedded(data)}</script>',
        f"<script>{_plotly()}</script>",
        f"<script>\n{_asset('page.js')}</script>\n</body></html>\n",
    ]
    return "\n".join(parts)


def panel_data(scene: Scene, scenes: Sequence[Scene] = ()) -> dict[str, Any]:
    """Return, for each figure of the page, its choices as Plotly figures, or a sentence that says why there is none.

    ``scenes`` are all of the page: those that differ from this one by their horizon alone share a figure.
    """
    players = scene.players
    siblings = [each for each in scenes if (each.actions, each.environment) == (scene.actions, scene.environment)]
    return {
        "regret": _one(
            curve_figure(players, lambda runs: runs.swap, "swap regret a round", is_log=True),
            'Swap regret was not measured here: ask for measure = "ledger" in the specification.',
            regret_note(scene),
        ),
        "horizons": _one(horizon_figure(siblings), "Only one horizon was run, or swap regret was not measured."),
        "versus": _one(
            swap_against_external(players),
            "Swap and external regret were not both measured here.",
        ),
        "lemma": _one(
            decomposition_figure(players),
            "Nobody here has a certificate: ask for certificate = true, with a player that mixes its scales uniformly, "
            'such as swap_combcp with preset = "multiscale".',
            lemma_note(scene),
        ),
        "calendar": _choices(players, lambda runs: calendar_figure(runs, scene.horizon), "Nobody here keeps scales."),
        "reward": _one(
            curve_figure(players, lambda runs: runs.reward, "reward a round", is_log=False), "No reward was recorded."
        ),
        "time": _one(
            curve_figure(players, lambda runs: runs.microseconds, "µs a round", is_log=True, unit="µs"),
            "No times were recorded.",
        ),
        "graph": _laws(scene),
    }


def _one(figure: Figure | None, absent: str, note: str = "") -> dict[str, Any]:
    return {"absent": absent} if figure is None else {"choices": [{"name": "", "figure": figure}], "note": note}


def _choices(players: Sequence[PlayerRuns], make: Callable[[PlayerRuns], Figure | None], absent: str) -> dict[str, Any]:
    made = [{"name": runs.name, "figure": drawn} for runs in players if (drawn := make(runs)) is not None]
    return {"choices": made} if made else {"absent": absent}


def _laws(scene: Scene) -> dict[str, Any]:
    """Return the graph of a path or tree set with the probabilities of its edges, or a heat map for other sets."""
    known = [runs for runs in scene.players if runs.marginals is not None and runs.marginal_days is not None]
    if not known:
        return {"absent": "The laws that played were not recorded."}
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
    "The best of each scene is <b>bold</b>; ≈ marks a swap regret whose interval reaches that of the best one.</p>"
)


def _lead(scenes: Sequence[Scene], origin: Origin) -> str:
    n_players = len({runs.name for scene in scenes for runs in scene.players})
    words = (
        f"{_plural(len(scenes), 'scene')} (set × environment × horizon), {_plural(n_players, 'player')}, "
        f"{origin.n_finished:,} of {_plural(origin.n_runs, 'run')} finished. Rewards are on [0, 1]; regrets are read from "
        "the policies and the mean rewards, not from the actions drawn."
    )
    lead = f'<p class="lead">{words}</p>'
    if origin.failures:
        items = "".join(f"<li>{escape(run)}: {escape(why)}</li>" for run, why in origin.failures.items())
        lead += f'<div class="failures"><p>{_plural(len(origin.failures), "run")} failed:</p><ul>{items}</ul></div>'
    return lead


def _section(panel: Panel) -> str:
    words = "".join(f"<p>{paragraph}</p>" for paragraph in panel.words)
    controls = '<label class="choice" hidden>player <select aria-label="player"></select></label>'
    if panel.has_axes:
        controls += (
            '<span class="switch" role="group" aria-label="axes"><button type="button" data-axes="log">logarithmic</button>'
            '<button type="button" data-axes="linear">linear</button></span>'
        )
    if panel.has_slider:
        controls += (
            '<label class="slider" hidden>day <input type="range" min="0" max="0" step="1" value="0" aria-label="day">'
            "<output></output></label>"
        )
    return (
        f'<section class="panel" data-panel="{panel.key}" id="{panel.key}"><h2>{escape(panel.title)}</h2>'
        f'<div class="controls">{controls}</div><div class="drawing"><div class="plot" role="img" '
        f'aria-label="{escape(panel.title)}"></div><p class="absent" hidden></p></div>'
        f'<div class="words">{words}<p class="note"></p></div></section>'
    )


def _reproduce(origin: Origin) -> str:
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in origin.facts.items())
    return (
        '<section class="plain" id="reproduce"><h2>Make it again</h2><p>Save the specification as <code>spec.toml</code>, '
        "install the version named below, and run <code>swapregret run spec.toml --out results</code>, then "
        "<code>swapregret report results</code>. The numbers do not depend on the number of workers; only times do.</p>"
        f"<pre>{escape(origin.spec)}</pre><dl>{facts}</dl></section>"
    )


def _embedded(data: Any) -> str:
    """Return JSON that may stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _asset(name: str) -> str:
    return files("swapregret.experiments.report").joinpath(name).read_text(encoding="utf-8")


def _plotly() -> str:
    from plotly.offline import get_plotlyjs  # half a second, only where a page is made

    code: str = get_plotlyjs()
    return code


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
