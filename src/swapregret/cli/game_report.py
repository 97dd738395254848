"""The page of a self-play: gaps over time, payoffs, best deviations; the routing graph with its load, Blotto's heat maps.

May touch: ``games``, ``experiments.chart``.
"""

from collections.abc import Sequence
from html import escape

from swapregret.arrays import Matrix, Vector
from swapregret.experiments.chart import Series, line_chart, page
from swapregret.games.blotto import BlottoGame
from swapregret.games.routing import RoutingGame
from swapregret.games.self_play import SelfPlayResult

__all__ = ["game_page", "heat_map", "load_graph"]

_CELL = 30


def game_page(result: SelfPlayResult, title: str) -> str:
    """Return the page as self-contained HTML."""
    game, found = result.game, result.certificate
    days = sum(result.play.days)
    lead = (
        f"{game.n_players} players, {days:,} days, measured from {result.measure} rewards. {str(found).splitlines()[0]}. "
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
    parts = [
        line_chart("Swap gap: distance to correlated equilibrium", "days", "swap gap", swap),
        line_chart("External gap: distance to coarse equilibrium", "days", "external gap", external, log_y=False),
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
        f"<p>Social welfare of the recorded play: {result.play.welfare:.4f}</p>"
    )


def _deviations(result: SelfPlayResult) -> str:
    items = []
    for player, name in enumerate(result.game.names):
        lines = "".join(f"<li>{escape(str(each))}</li>" for each in result.play.best_deviation(player, 3).exchanges)
        items.append(f"<h3>{escape(name)}: best deviations</h3><ul>{lines}</ul>")
    return "".join(items)


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
        f'style="max-width:{90 + _CELL * k}px" xmlns="http://www.w3.org/2000/svg">',
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
    place = _layout(game.edges)
    width, height = 880.0, 420.0
    deepest = max(x for x, _ in place.values()) or 1
    tallest = max(y for _, y in place.values()) + 1
    spots = {
        v: (40 + x * (width - 80) / deepest, 50 + (y + 0.5) * (height - 80) / tallest) for v, (x, y) in place.items()
    }
    top = float(loads.max()) or 1.0
    parts = [
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="load of the network" '
        'xmlns="http://www.w3.org/2000/svg">',
        '<text x="40" y="22" class="title">Expected users of each edge</text>',
    ]
    for (tail, head), load in zip(game.edges, loads.tolist(), strict=True):
        (x1, y1), (x2, y2) = spots[tail], spots[head]
        parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#c2410c" '
            f'stroke-width="{0.4 + 9 * load / top:.2f}" stroke-opacity=".65">'
            f"<title>{escape(f'{tail} → {head}: {load:.3f}')}</title></line>"
        )
    for vertex, (x, y) in spots.items():
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#374151"/>'
            f'<text x="{x + 7:.1f}" y="{y - 6:.1f}">{escape(str(vertex))}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _layout(edges: Sequence[tuple[object, object]]) -> dict[object, tuple[int, int]]:
    """Place vertices by breadth-first distance from those without incoming edges, top to bottom as they come."""
    heads = {head for _, head in edges}
    vertices = list(dict.fromkeys(vertex for edge in edges for vertex in edge))
    front = [vertex for vertex in vertices if vertex not in heads] or vertices[:1]
    depth = dict.fromkeys(front, 0)
    while front:
        nearby = [head for tail, head in edges if tail in set(front) and head not in depth]
        for head in nearby:
            depth[head] = depth[front[0]] + 1
        front = list(dict.fromkeys(nearby))
    count: dict[int, int] = {}
    place = {}
    for vertex in vertices:
        column = depth.get(vertex, 0)
        place[vertex] = (column, count.get(column, 0))
        count[column] = count.get(column, 0) + 1
    return place
