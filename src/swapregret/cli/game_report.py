"""The page of a self-play: gaps over time, payoffs, best deviations; the routing graph with its load, Blotto's heat maps.

May touch: ``games``, ``experiments.chart``, ``experiments.report``.
"""

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from swapregret.arrays import Label, Matrix, Vector
from swapregret.experiments.chart import Series, line_chart, page
from swapregret.experiments.report.layout import edge_curves, place_vertices
from swapregret.experiments.report.model import Edge, Graph
from swapregret.games.blotto import BlottoGame
from swapregret.games.routing import RoutingGame
from swapregret.games.self_play import SelfPlayResult
from swapregret.regret.best_swap import Exchange

__all__ = ["game_page", "heat_map", "load_graph", "readable"]

_CELL = 30


def game_page(result: SelfPlayResult, title: str) -> str:
    """Return the page as self-contained HTML."""
    game, found = result.game, result.certificate
    days = sum(result.play.days)
    verdict = str(found).splitlines()[0]
    lead = (
        f"{game.n_players} players, {days:,} days, measured from {result.measure} rewards: {verdict}. "
        "Gaps are in rewards on [0, 1]; the guarantee of the learners is for oblivious worlds, these are measurements."
    )
    swap = [
        Series(name, tuple((float(each.day), each.swap[player]) for each in result.history), is_ours=True)
        for player, name in enumerate(game.names)
    ]
    external = [
        Series(name, tuple((float(each.day), each.external[player]) for each in result.history))
        for player, name in enumerate(game.names)
    ]
    rewards = [
        Series(name, tuple((float(each.day), each.rewards[player]) for each in result.history))
        for player, name in enumerate(game.names)
    ]
    parts = [
        line_chart("Swap gap: distance to correlated equilibrium", "days", "swap gap", swap),
        line_chart("External gap: distance to coarse equilibrium", "days", "external gap", external, log_y=False),
        line_chart("Payoff so far, as a reward on [0, 1]", "days", "mean reward", rewards, log_y=False),
        _table(result),
        _deviations(result),
    ]
    if isinstance(game, RoutingGame):
        marginals = [result.play.marginals(player) for player in range(game.n_players)]
        parts.append(load_graph(game, game.loads(marginals)))
    if isinstance(game, BlottoGame):
        for player, name in enumerate(game.names):
            table = game.deployment(player, result.play.marginals(player))
            parts.append(heat_map(f"{name}: troops by field", table, "field", "troops"))
    return page(title, lead, parts)


def _table(result: SelfPlayResult) -> str:
    found = result.certificate
    rows = [
        f"<tr><td>{escape(name)}</td><td>{paid:.4f}</td><td>{received:.4f}</td><td>{swap.value:.5f}</td>"
        f"<td>{swap.in_payoffs:.5f}</td><td>{external.value:.5f}</td></tr>"
        for name, paid, received, swap, external in zip(
            found.names, result.play.payoffs, result.payoffs, found.swap, found.external, strict=True
        )
    ]
    return (
        "<table><tr><th>player</th><th>expected payoff</th><th>payoff received</th><th>swap gap</th>"
        f"<th>swap gap in payoffs</th><th>external gap</th></tr>{''.join(rows)}</table>"
        f"<p>Social welfare of the recorded play: {round(result.play.welfare, 4) + 0.0:.4f}</p>"
    )


def _deviations(result: SelfPlayResult) -> str:
    items = []
    for player, name in enumerate(result.game.names):
        lines = "".join(
            f"<li>{escape(_sentence(each))}</li>" for each in result.play.best_deviation(player, 3).exchanges
        )
        items.append(f"<h3>{escape(name)}: best deviations</h3><ul>{lines}</ul>")
    return "".join(items)


def _sentence(exchange: Exchange) -> str:
    """Say an exchange as people would: routes as stops, deployments as troops a field."""
    if exchange.gain <= 0.0:
        return f"{readable(exchange.played_elements)}: nothing would have been better ({exchange.days:,.4g} days)"
    return (
        f"instead of {readable(exchange.played_elements)}, {readable(exchange.better_elements)} would have earned "
        f"{exchange.gain_per_day:+.3g} a day ({exchange.days:,.4g} days, {exchange.gain:+.4g} in total)"
    )


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


def heat_map(title: str, table: Matrix, row_name: str, column_name: str) -> str:
    """Draw probabilities as shades, a row a line.

    Examples
    --------
    >>> import numpy as np
    >>> heat_map("t", np.array([[1.0, 0.0]]), "field", "troops").count("<rect")
    2
    """
    n, k = table.shape
    top = float(table.max()) or 1.0
    parts = [
        f'<svg viewBox="0 0 {90 + _CELL * k} {76 + _CELL * n}" role="img" aria-label="{escape(title)}" '
        f'class="small" style="max-width:{90 + _CELL * k}px" xmlns="http://www.w3.org/2000/svg">',
        f'<text x="80" y="20" class="title">{escape(title)}</text>',
    ]
    for i in range(n):
        y = 34 + _CELL * i
        parts.append(f'<text x="72" y="{y + 20}" text-anchor="end">{escape(row_name)} {i}</text>')
        for j in range(k):
            shade = float(table[i, j]) / top
            parts.append(
                f'<rect x="{80 + _CELL * j}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}" fill="#2563eb" '
                f'fill-opacity="{shade:.3f}" stroke="#9ca3af" stroke-width=".4"><title>{table[i, j]:.4f}</title></rect>'
            )
    for j in range(k):
        parts.append(f'<text x="{80 + _CELL * j + 14}" y="{50 + _CELL * n}" text-anchor="middle">{j}</text>')
    parts.append(f'<text x="80" y="{68 + _CELL * n}">{escape(column_name)}</text></svg>')
    return "\n".join(parts)


def load_graph(game: RoutingGame, loads: Vector) -> str:
    """Draw the network from left to right, edges as wide as their expected number of users."""
    names = list(dict.fromkeys(vertex for edge in game.edges for vertex in edge))
    number = {vertex: index for index, vertex in enumerate(names)}
    edges = tuple(Edge(number[tail], number[head], f"{tail} → {head}") for tail, head in game.edges)
    graph = Graph(tuple(str(name) for name in names), edges, True)
    width, height = 880.0, 440.0
    places = place_vertices(graph)

    def on_page(points: Matrix) -> list[tuple[float, float]]:
        return [(44 + x * (width - 88), height - 30 - y * (height - 76)) for x, y in points.tolist()]

    top = float(loads.max()) or 1.0
    parts = [
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="load of the network" '
        'xmlns="http://www.w3.org/2000/svg">',
        '<text x="40" y="22" class="title">Expected users of each edge</text>',
    ]
    for edge, curve, load in zip(edges, edge_curves(graph, places), loads.tolist(), strict=True):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in on_page(curve))
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="#d55e00" stroke-width="{0.4 + 9 * load / top:.2f}" '
            f'stroke-opacity=".65"><title>{escape(f"{edge.label}: {load:.3f}")}</title></polyline>'
        )
    for name, (x, y) in zip(graph.vertices, on_page(places), strict=True):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="17" fill="var(--paper)" stroke="currentColor"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" dy=".35em" text-anchor="middle">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>"])
