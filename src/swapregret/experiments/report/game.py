"""The page of a self-play: how close it came to equilibrium, what was played together, what it paid and what would pay more."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import prod

import numpy as np

from swapregret.arrays import Label, Matrix, Vector
from swapregret.errors import Unsupported
from swapregret.experiments.report.curves import curve_figure
from swapregret.experiments.report.graph import graph_figure
from swapregret.experiments.report.model import Curve, Edge, Graph, PlayerRuns
from swapregret.experiments.report.shell import Panel, document, facts_list, one_figure, section, table
from swapregret.experiments.report.style import Figure, axis, colour, figure, numbers, plain, symbol
from swapregret.games.base import Game
from swapregret.games.kinds.blotto import BlottoGame
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.normal_form import joint_law, normal_form
from swapregret.games.kinds.routing import RoutingGame
from swapregret.games.programs import BestEquilibrium, best_correlated_equilibrium, equilibrium_payoffs
from swapregret.games.self_play import Checkpoint, SelfPlayResult

__all__ = ["game_page", "readable"]

_MOST_CELLS = 10_000
_MOST_NAMED = 40
_MOST_SOLVED = 2_500
_MOST_POLYGON = 400

_PANELS = (
    Panel(
        "epsilon",
        "Distance to correlated equilibrium over time",
        (
            "<b>Shown:</b> ε after each day: the largest swap gap, and the swap gap of every player. A swap gap is what the "
            "best rule “when told X, play Y instead” would have gained per day, in rewards on [0, 1].",
            "<b>Band:</b> from the lowest to the highest of the seeds that were played; the line is their mean.",
            "<b>How to read it:</b> a play with ε = 0 is a correlated equilibrium. The guarantee of the learners is for "
            "worlds that do not react; other players react, so these are measurements.",
        ),
        has_axes=True,
    ),
    Panel(
        "coarse",
        "Distance to coarse correlated equilibrium over time",
        (
            "<b>Shown:</b> the external gap of every player: what the best fixed action would have gained per day; 0 "
            "where none would have.",
            "<b>Band:</b> from the lowest to the highest seed.",
        ),
    ),
    Panel(
        "reward",
        "Payoff so far, as a reward on [0, 1]",
        (
            "<b>Shown:</b> the mean reward of every player up to each day, with the range over seeds.",
            "<b>How to read it:</b> never judge a play by its gap alone. Uniform play of Shapley's game is an equilibrium, and "
            "pays less than others.",
        ),
    ),
    Panel(
        "joint",
        "What was played together",
        (
            "<b>Shown:</b> the probability of every pair of actions over the whole play of the first seed. Independent "
            "players would make a product of rows and columns; what is not a product is correlation.",
        ),
    ),
    Panel(
        "payoffs",
        "Payoffs, and what equilibria pay",
        (
            "<b>Shown:</b> the shaded polygon is the set of payoffs that correlated equilibria of this game have, found by "
            "linear programs. Markers are the expected payoffs of the play, one per seed; the star is the equilibrium with "
            "the largest sum.",
        ),
        is_optional=True,
    ),
    Panel(
        "network",
        "Expected users of each edge",
        ("<b>Shown:</b> the network; an edge is as wide as its expected number of users over the whole play.",),
        is_optional=True,
    ),
    Panel(
        "deployment",
        "Troops by field",
        ("<b>Shown:</b> how likely each number of troops is on each field, over the whole play.",),
        is_optional=True,
    ),
)


def game_page(
    results: Sequence[SelfPlayResult], title: str, *, spec: str, options: str, facts: Mapping[str, str]
) -> str:
    """Return the page as self-contained HTML.

    Parameters
    ----------
    results : sequence of SelfPlayResult
        One per seed, of the same game and as many days; the first is the one that tables and maps are of.
    title : str
    spec : str
        The description of the game as given.
    options : str
        Those of the command that plays it again: they may differ from the description.
    facts : mapping of str to str
        Version, seeds: what is needed to play it again.
    """
    first = results[0]
    game = first.game
    listed = _listed(game)
    best = None if listed is None else _best(listed)
    panels = {
        "epsilon": one_figure(_gaps(results)),
        "coarse": one_figure(_over_time(results, game.names, lambda at: at.external, "external gap", is_log=False)),
        "reward": one_figure(_over_time(results, game.names, lambda at: at.rewards, "mean reward", is_log=False)),
        "joint": _joint(first),
        "payoffs": one_figure(_payoff_figure(results, listed, best), "Only for small games of two players."),
        "network": one_figure(_network(first), "Only for routing games."),
        "deployment": _deployments(first),
    }
    shown = [panel for panel in _PANELS if not panel.is_optional or "choices" in panels[panel.key]]
    found = first.certificate
    seeds = f"{len(results)} seeds" if len(results) > 1 else "one seed"
    lead = (
        f"{game.n_players} players, {sum(first.play.days):,} days, {seeds}, measured from {first.measure} rewards. "
        f"The first seed is {str(found).splitlines()[0]}."
    )
    parts = [
        f'<header><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p></header>',
        f'<section class="plain" id="players"><h2>Players</h2>{_players(first)}{_welfare(first, best)}</section>',
        *(section(panel) for panel in shown),
        f'<section class="plain" id="deviations"><h2>Best deviations</h2>{_deviations(first)}</section>',
        '<section class="plain" id="reproduce"><h2>Play it again</h2><p>Save the description as <code>game.toml</code>, install '
        f"the version named below, and run <code>swapregret game game.toml {escape(options)}</code>.</p><pre>{escape(spec)}</pre>"
        f"{facts_list(facts)}</section>",
    ]
    return document(
        title, parts, {"scenes": [{"label": title, "panels": {each.key: panels[each.key] for each in shown}}]}
    )


# ---- over time ---------------------------------------------------------------------------------------------------


def _gaps(results: Sequence[SelfPlayResult]) -> Figure | None:
    names = ("ε, the largest", *results[0].game.names)
    return _over_time(results, names, lambda at: (max(at.swap), *at.swap), "swap gap", is_log=True)


def _over_time(
    results: Sequence[SelfPlayResult],
    names: Sequence[str],
    select: Callable[[Checkpoint], Sequence[float]],
    title: str,
    *,
    is_log: bool,
) -> Figure | None:
    """Draw one line per name over the days: the mean over seeds, in a band from the lowest to the highest."""
    days = np.array([at.day for at in results[0].history], dtype=np.int64)
    values = np.array([[select(at) for at in result.history] for result in results])
    runs = []
    for index, name in enumerate(names):
        each = values[:, :, index]
        several = len(results) > 1
        ends = (each.min(axis=0), each.max(axis=0)) if several else (np.full(len(days), np.nan),) * 2
        runs.append(PlayerRuns(name, len(results), swap=Curve(days, each.mean(axis=0), *ends)))
    return curve_figure(runs, lambda one: one.swap, title, is_log=is_log)


# ---- what was played together ----------------------------------------------------------------------------------


def _listed(game: Game) -> MatrixGame | None:
    """Return the normal form of a game whose linear program can be solved in a moment, else None."""
    counts = [actions.n_actions for actions in game.action_sets]
    if any(count is None for count in counts) or prod(count or 0 for count in counts) > _MOST_SOLVED:
        return None
    return normal_form(game)


def _best(listed: MatrixGame) -> BestEquilibrium:
    return best_correlated_equilibrium(listed)


def _joint(result: SelfPlayResult) -> dict[str, object]:
    game = result.game
    if game.n_players != 2:
        return {"absent": f"A map has two axes; this game has {game.n_players} players."}
    counts = [actions.n_actions for actions in game.action_sets]
    if any(count is None for count in counts) or prod(count or 0 for count in counts) > _MOST_CELLS:
        return {"absent": f"A map of more than {_MOST_CELLS:,} pairs of actions cannot be read."}
    try:
        law = joint_law(result.play)
    except Unsupported as error:
        return {"absent": str(error)}
    names = [
        [readable(actions.elements(row)) for row in actions.enumerate(_MOST_CELLS)] for actions in game.action_sets
    ]
    return one_figure(_map(law, names, game.names, "probability"))


def _map(law: Matrix, names: Sequence[Sequence[str]], titles: Sequence[str], what: str) -> Figure:
    """Shade a table of probabilities, the first name down and the second across; small ones have their numbers written in."""
    is_named = max(law.shape) <= _MOST_NAMED
    is_small = max(law.shape) <= 6
    trace = {
        "type": "heatmap",
        "x": [plain(name) for name in names[1]],
        "y": [plain(name) for name in names[0]],
        "z": [numbers(row) for row in law.tolist()],
        "zmin": 0.0,
        "colorscale": "Cividis",
        "colorbar": {"title": {"text": what, "side": "right"}, "thickness": 12},
        "hovertemplate": "%{y}<br>%{x}<br>%{z:.4f}<extra></extra>",
        **({"texttemplate": "%{z:.3f}"} if is_small else {}),
    }
    layout = {
        "height": int(min(900, 230 + max(18 * law.shape[0], 150))),
        "showlegend": False,
        "xaxis": axis(plain(titles[1]), type="category", showticklabels=is_named),
        "yaxis": axis(plain(titles[0]), type="category", autorange="reversed", showticklabels=is_named),
    }
    return figure([trace], layout)


# ---- payoffs -----------------------------------------------------------------------------------------------------


def _payoff_figure(
    results: Sequence[SelfPlayResult], listed: MatrixGame | None, best: BestEquilibrium | None
) -> Figure | None:
    if listed is None or best is None or listed.n_players != 2 or listed.tables[0].size > _MOST_POLYGON:
        return None
    corners = equilibrium_payoffs(listed)
    closed = np.vstack([corners, corners[:1]])
    names = results[0].game.names
    polygon = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "payoffs of correlated equilibria",
        "x": numbers(closed[:, 0]),
        "y": numbers(closed[:, 1]),
        "fill": "tonext" if len(corners) < 3 else "toself",
        "fillcolor": "rgba(20,118,177,0.18)",
        "line": {"color": colour(0), "width": 1.5},
        "marker": {"color": colour(0), "size": 4},
        "hovertemplate": "%{x:.4g}, %{y:.4g}",
    }
    plays = [_point("the play", [result.play.payoffs for result in results], 1, 11)]
    star = _point("largest sum", [best.payoffs], 4, 14) | {"marker": {"color": colour(4), "size": 14, "symbol": "star"}}
    layout = {
        "height": 440,
        "hovermode": "closest",
        "xaxis": axis(f"payoff of {plain(names[0])}"),
        "yaxis": axis(f"payoff of {plain(names[1])}"),
    }
    return figure([polygon, star, *plays], layout)


def _point(name: str, points: Sequence[Vector], index: int, size: int) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": numbers(float(point[0]) for point in points),
        "y": numbers(float(point[1]) for point in points),
        "marker": {"color": colour(index), "size": size, "symbol": symbol(index)},
        "hovertemplate": "%{x:.4g}, %{y:.4g}",
    }


def _welfare(result: SelfPlayResult, best: BestEquilibrium | None) -> str:
    welfare = round(result.play.welfare, 4) + 0.0
    if best is None:
        return (
            f"<p>The payoffs of the play add up to {welfare:.4f}. The game is too large for the best equilibrium.</p>"
        )
    short = best.welfare - result.play.welfare
    away = float(np.abs(best.payoffs - result.play.payoffs).max())
    words = f"{abs(short):.4f} {'less' if short >= 0.0 else 'more'} than"
    there = ", ".join(f"{each:.4f}" for each in best.payoffs)
    return (
        f'<p id="best">The payoffs of the play add up to {welfare:.4f}. That is {words} the {best.welfare:.4f} of the '
        f"best correlated equilibrium, which pays {there}; no player is more than {away:.4f} "
        "away from what it would get there.</p>"
    )


def _players(result: SelfPlayResult) -> str:
    found = result.certificate
    heads = ("player", "expected payoff", "payoff received", "swap gap", "swap gap in payoffs", "external gap")
    rows = [
        (
            name,
            *((float(each), f"{each:.4f}") for each in (paid, received, swap.value, swap.in_payoffs, external.value)),
        )
        for name, paid, received, swap, external in zip(
            found.names, result.play.payoffs, result.payoffs, found.swap, found.external, strict=True
        )
    ]
    return table("players", heads, rows)


def _deviations(result: SelfPlayResult) -> str:
    heads = ("player", "instead of", "play", "gain per day", "days", "gain in total")
    rows: list[tuple[object, ...]] = []
    for player, name in enumerate(result.game.names):
        for each in result.play.best_deviation(player, 3).exchanges:
            played, better = readable(each.played_elements), readable(each.better_elements)
            gains = ((each.gain_per_day, f"{each.gain_per_day:+.3g}"), (each.days, f"{each.days:,.1f}"))
            rows.append(
                (
                    name,
                    played,
                    better if each.gain > 0.0 else "nothing better",
                    *gains,
                    (each.gain, f"{each.gain:+.4g}"),
                )
            )
    words = (
        "The three exchanges per player that would have gained most, over the recorded play. Days are an expectation: where a "
        "policy leaves it to chance, an action is chosen on a part of a day."
    )
    return f'<p class="lead">{words}</p>' + table("deviations", heads, rows)


# ---- games with a picture of their own ---------------------------------------------------------------------------


def _network(result: SelfPlayResult) -> Figure | None:
    """Draw the network of a routing game, edges as wide as their expected number of users."""
    game = result.game
    if not isinstance(game, RoutingGame):
        return None
    loads = game.loads([result.play.marginals(player) for player in range(game.n_players)])
    names = list(dict.fromkeys(vertex for edge in game.edges for vertex in edge))
    number = {vertex: index for index, vertex in enumerate(names)}
    edges = tuple(Edge(number[tail], number[head], f"{tail} → {head}") for tail, head in game.edges)
    drawn = graph_figure(Graph(tuple(str(name) for name in names), edges, True))
    if drawn is None:
        return None
    top = float(loads.max()) or 1.0
    for trace, load in zip(drawn["data"], loads.tolist(), strict=False):
        trace["line"] = {"color": colour(1), "width": round(0.5 + 10.0 * load / top, 3)}
        trace["opacity"] = 0.75
    drawn["data"][len(edges)]["text"] = [
        plain(f"{edge.label}: {load:.3f}") for edge, load in zip(edges, loads.tolist(), strict=True)
    ]
    return drawn


def _deployments(result: SelfPlayResult) -> dict[str, object]:
    game = result.game
    if not isinstance(game, BlottoGame):
        return {"absent": "Only for Colonel Blotto."}
    choices = []
    for player, name in enumerate(game.names):
        law = game.deployment(player, result.play.marginals(player))
        names = [[f"field {field}" for field in range(len(law))], [str(troops) for troops in range(law.shape[1])]]
        choices.append({"name": name, "figure": _map(law, names, ("field", "troops"), "probability")})
    return {"choices": choices}


def readable(elements: Sequence[Label]) -> str:
    """Write the elements of an action: edges that follow each other as a route, (field, troops) as troops, others as a set.

    Examples
    --------
    >>> readable([("s", "a"), ("a", "t")]), readable([(0, 3), (1, 2)]), readable("ab")
    ('s → a → t', '3 | 2', '{a, b}')
    """
    pairs = [each for each in elements if isinstance(each, tuple) and len(each) == 2]
    if pairs and len(pairs) == len(elements):
        if [place for place, _ in pairs] == list(range(len(pairs))):
            return " | ".join(str(amount) for _, amount in pairs)
        if all(before[1] == after[0] for before, after in pairwise(pairs)):
            return " → ".join(str(stop) for stop in [pairs[0][0], *(head for _, head in pairs)])
    return "{" + ", ".join(str(each) for each in elements) + "}"
