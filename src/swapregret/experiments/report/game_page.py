"""The page of a self-play: how close it came to equilibrium, what was played together, what it paid and what would pay more."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from html import escape
from math import prod

import numpy as np

from swapregret.arrays import Matrix
from swapregret.counts import plural
from swapregret.errors import Unsupported
from swapregret.experiments.report import shell, style
from swapregret.experiments.report.figures import curve_figure
from swapregret.experiments.report.gap import four
from swapregret.experiments.report.graph import graph_figure
from swapregret.experiments.report.model import Curve
from swapregret.files.storage import Json
from swapregret.games.best_equilibrium import BestEquilibrium, best_correlated_equilibrium
from swapregret.games.correlated_play import joint_policy
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.normal_form import normal_form
from swapregret.games.payoffs import Game
from swapregret.games.programs import equilibrium_payoffs
from swapregret.games.self_play import Checkpoint, SelfPlayResult
from swapregret.networks.network import Network
from swapregret.notebook import axis, colour

_MOST_CELLS = 10_000
_MOST_NAMED = 40
_MOST_SOLVED = 2_500
_MOST_POLYGON = 400
_MOST_AFFINE = 60
_PAIR = "%{x:.4g}, %{y:.4g}"


def game_page(
    results: Sequence[SelfPlayResult], title: str, *, spec: str, options: str, facts: Mapping[str, str]
) -> str:
    """Return the page as self-contained HTML: of one result per seed, the first is the one that tables and maps are of.

    ``options`` of the command play it again as it was played; they may differ from ``spec``, the description as given.
    """
    first = results[0]
    game = first.game
    listed = normal_form(game) if _n_profiles(game) <= _MOST_SOLVED else None
    best = None if listed is None else best_correlated_equilibrium(listed)
    gaps = _over_time(
        results, ("ε, the largest", *game.names), lambda at: (max(at.swap), *at.swap), "swap gap", is_log=True
    )
    panels = {
        "epsilon": shell.choices({"": gaps}),
        "coarse": shell.choices({"": _over_time(results, game.names, lambda at: at.external, "external gap")}),
        "reward": shell.choices({"": _over_time(results, game.names, lambda at: at.rewards, "mean reward")}),
        "joint": _joint(first),
        "payoffs": shell.choices({"": _payoff_figure(results, listed, best)}),
        "network": shell.choices({"": _network(first)}),
        "deployment": shell.choices(_deployments(first)),
    }
    lead = (
        f"{game.n_players} players, {plural(sum(first.play.days), 'day')}, {plural(len(results), 'seed')}, measured from "
        f"{first.measure} rewards. The first seed is {str(first.certificate).splitlines()[0]}."
    )
    again = (
        "Save the description as <code>game.toml</code>, install the version named below, and run "
        f"<code>swapregret game game.toml {escape(options)}</code>."
    )
    before = [
        shell.header(title, shell.paragraph(escape(lead))),
        shell.plain_section("players", "Players", _players(first) + _welfare(first, best)),
    ]
    after = [
        shell.plain_section("deviations", "Best deviations", _deviations(first)),
        shell.again_section("Play it again", again, spec, facts),
    ]
    return shell.document(
        title, before, shell.read_panels("game_panels.txt"), {"cases": [{"label": title, "panels": panels}]}, after
    )


# ---- figures -----------------------------------------------------------------------------------------------------


def _over_time(
    results: Sequence[SelfPlayResult],
    names: Sequence[str],
    select: Callable[[Checkpoint], Sequence[float]],
    title: str,
    *,
    is_log: bool = False,
) -> style.Figure | None:
    """Draw one line per name over the days: the mean over seeds, in a band from the lowest to the highest."""
    days = np.array([at.day for at in results[0].history], dtype=np.int64)
    values = np.array([[select(at) for at in result.history] for result in results])
    low, high = (values.min(axis=0), values.max(axis=0)) if len(results) > 1 else (np.full_like(values[0], np.nan),) * 2
    columns = zip(names, values.mean(axis=0).T, low.T, high.T, strict=True)
    return curve_figure([(name, Curve(days, *ends)) for name, *ends in columns], title, is_log=is_log)


def _n_profiles(game: Game) -> float:
    """Return how many ways there are for all to play; infinite where a set cannot be counted."""
    counts = [actions.n_actions for actions in game.action_sets]
    return prod(math.inf if count is None else count for count in counts)


def _joint(result: SelfPlayResult) -> Json:
    game = result.game
    if game.n_players != 2:
        return {"absent": f"A map has two axes; this game has {game.n_players} players."}
    if _n_profiles(game) > _MOST_CELLS:
        return {"absent": f"A map of more than {_MOST_CELLS:,} pairs of actions cannot be read."}
    try:
        policy = joint_policy(result.play)
    except Unsupported as error:
        return {"absent": str(error)}
    rows, columns = (
        [game.describe(player, row) for row in actions.enumerate(_MOST_CELLS)]
        for player, actions in enumerate(game.action_sets)
    )
    return shell.choices({"": _map(policy, (rows, columns), (game.names[0], game.names[1]))})


def _map(policy: Matrix, names: tuple[Sequence[str], Sequence[str]], titles: tuple[str, str]) -> style.Figure:
    """Shade a table of probabilities, the first name down and the second across; small ones have their numbers written in."""
    return style.heat_map(
        [style.numbers(row) for row in policy.tolist()],
        names,
        titles,
        hover="%{y}<br>%{x}<br>%{z:.4f}",
        height=int(min(900, 230 + max(18 * policy.shape[0], 150))),
        has_names=max(policy.shape) <= _MOST_NAMED,
        **({"texttemplate": "%{z:.3f}"} if max(policy.shape) <= 6 else {}),
    )


def _payoff_figure(
    results: Sequence[SelfPlayResult], listed: MatrixGame | None, best: BestEquilibrium | None
) -> style.Figure | None:
    if listed is None or best is None or listed.n_players != 2 or listed.tables[0].size > _MOST_POLYGON:
        return None
    corners = equilibrium_payoffs(listed)
    closed = np.vstack([corners, corners[:1]])
    polygon = style.scatter(
        "lines+markers",
        style.numbers(closed[:, 0]),
        style.numbers(closed[:, 1]),
        name="payoffs of correlated equilibria",
        fill="tonext" if len(corners) < 3 else "toself",
        fillcolor="rgba(20,118,177,0.18)",
        line={"color": colour(0), "width": 1.5},
        marker={"color": colour(0), "size": 4},
        hovertemplate=_PAIR,
    )
    x, y = (style.numbers(result.play.payoffs[player] for result in results) for player in (0, 1))
    plays = style.scatter("markers", x, y, name="the play", marker=style.marker(1, 11), hovertemplate=_PAIR)
    x, y = style.numbers(best.payoffs[:1]), style.numbers(best.payoffs[1:])
    look = {"color": colour(4), "size": 14, "symbol": "star"}
    star = style.scatter("markers", x, y, name="largest sum", marker=look, hovertemplate=_PAIR)
    across, up = (axis(f"payoff of {style.escaped(name)}") for name in results[0].game.names)
    return style.figure([polygon, star, plays], height=440, xaxis=across, yaxis=up)


def _welfare(result: SelfPlayResult, best: BestEquilibrium | None) -> str:
    welfare = four(result.play.welfare)
    if best is None:
        return f"<p>The payoffs of the play add up to {welfare}. The game is too large for the best equilibrium.</p>"
    short = best.welfare - result.play.welfare
    away = float(np.abs(best.payoffs - result.play.payoffs).max())
    words = f"{abs(short):.4f} {'less' if short >= 0.0 else 'more'} than"
    there = ", ".join(f"{each:.4f}" for each in best.payoffs)
    return (
        f'<p id="best">The payoffs of the play add up to {welfare}. That is {words} the {best.welfare:.4f} of the '
        f"best correlated equilibrium, which pays {there}; no player is more than {away:.4f} "
        "away from what it would get there.</p>"
    )


def _players(result: SelfPlayResult) -> str:
    found = result.certificate
    heads = ("player", "expected payoff", "payoff received", "swap gap", "external gap", "opponents can take")
    paid = zip(result.play.payoffs, result.payoffs, found.swap, found.external, _brackets(result), strict=True)
    rows = [
        (name, *((float(each), f"{each:.4f}") for each in (expected, received, swap.value, external.value)), bracket)
        for name, (expected, received, swap, external, bracket) in zip(found.names, paid, strict=True)
    ]
    words = (
        "Opponents who know how often a player chooses each element can take its linear swap gap per day, those who know its "
        "actions its swap gap; both in payoffs. Where the first is not known there is a dash."
    )
    return shell.table("players", heads, rows) + shell.paragraph(words)


def _brackets(result: SelfPlayResult) -> list[tuple[float, str]]:
    """Say for each player what opponents can take: from the linear to the swap gap, in payoffs."""
    linear = ["–"] * result.game.n_players
    if all(own.dimension <= _MOST_AFFINE for own in result.game.action_sets):
        with suppress(Unsupported):  # hulls with many equations
            linear = [f"{gap.in_payoffs:.4f}" for gap in result.linear_gaps]
    ends = [gap.in_payoffs for gap in result.certificate.swap]
    return [(end, f"{start} to {end:.4f}") for start, end in zip(linear, ends, strict=True)]


def _deviations(result: SelfPlayResult) -> str:
    heads = ("player", "instead of", "play", "gain per day", "days", "gain in total")
    rows = []
    for player, name in enumerate(result.game.names):
        for each in result.play.best_deviation(player, 3).exchanges:
            played = result.game.describe(player, each.played)
            better = result.game.describe(player, each.better) if each.gain > 0.0 else "nothing better"
            gain, total = (each.gain_per_day, f"{each.gain_per_day:+.3g}"), (each.gain, f"{each.gain:+.4g}")
            rows.append((name, played, better, gain, (each.days, f"{each.days:,.1f}"), total))
    words = (
        "The three exchanges per player that would have gained most, over the recorded play. Days are an expectation: where a "
        "policy leaves it to chance, an action is chosen on a part of a day."
    )
    return shell.paragraph(words) + shell.table("deviations", heads, rows)


# ---- games with a picture of their own ---------------------------------------------------------------------------


def _network(result: SelfPlayResult) -> style.Figure | None:
    """Draw the network a game is played on, if there is one, edges as wide as their expected number of users."""
    game = result.game
    names = [f"{tail} → {head}" for tail, head in game.edges]
    drawn = graph_figure(Network(game.edges, directed=True), names) if names else None
    if drawn is None:
        return None
    loads = game.loads([result.play.marginals(player) for player in range(game.n_players)])
    top = float(loads.max()) or 1.0
    for trace, load in zip(drawn["data"], loads.tolist(), strict=False):
        trace["line"] = {"color": colour(1), "width": round(0.5 + 10.0 * load / top, 3)}
        trace["opacity"] = 0.75
    drawn["data"][len(names)]["text"] = [
        style.escaped(f"{name}: {load:.3f}") for name, load in zip(names, loads.tolist(), strict=True)
    ]
    return drawn


def _deployments(result: SelfPlayResult) -> dict[str, style.Figure | None]:
    """Draw how likely each number of troops is on each field, for every player, where the game has fields."""
    figures: dict[str, style.Figure | None] = {}
    for player, name in enumerate(result.game.names):
        policy = result.game.deployment(player, result.play.marginals(player))
        if policy is None:
            continue
        fields, troops = (
            [f"field {field}" for field in range(len(policy))],
            [str(count) for count in range(policy.shape[1])],
        )
        figures[name] = _map(policy, (fields, troops), ("field", "troops"))
    return figures
