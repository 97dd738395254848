"""The figures of a report are valid Plotly, and show the numbers they were given."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from swapregret.experiments.report.figures import (
    calendar_figure,
    curve_figure,
    decomposition_figure,
    horizon_figure,
    swap_against,
)
from swapregret.experiments.report.graph import MOST_EDGES, graph_figure
from swapregret.experiments.report.model import Case, Curve, MarginalsByDay, PlayerRuns
from swapregret.experiments.report.page import MOST_ELEMENTS, panel_data, policy_map
from swapregret.networks import Network


def swaps(case: Case) -> list[tuple[str, Curve | None]]:
    """Return the swap regret of every player by name."""
    return [(runs.name, runs.swap) for runs in case.players]


def figures_of(case: Case) -> list[dict[str, Any]]:
    """Return all figures of a case."""
    found = []
    for panel in panel_data(case).values():
        found += [panel["figure"]] if "figure" in panel else []
        found += [choice["figure"] for choice in panel.get("choices", []) if "figure" in choice]
    return found


def test_every_figure_is_valid_plotly_and_plain_json(cases: tuple[Case, ...]) -> None:
    """Plotly's own validation accepts each figure, and JSON holds it without NaN."""
    for case in cases:
        for figure in figures_of(case):
            go.Figure(figure)
            assert json.loads(json.dumps(figure, allow_nan=False))["data"]


def test_plotly_refuses_a_wrong_figure() -> None:
    """The validation above can fail."""
    with pytest.raises(ValueError):
        go.Figure({"data": [{"type": "scatter", "colour": "red"}]})


def test_a_line_and_its_band_are_one_entry_of_the_legend(cases: tuple[Case, ...]) -> None:
    """Each player has a band without a name of its own and a line with the values; both leave together."""
    figure = curve_figure(swaps(cases[0]), "regret", is_log=True)
    assert figure is not None
    band, _, line, _ = figure["data"]
    assert (band["showlegend"], band["legendgroup"]) == (False, line["legendgroup"])
    assert line["y"] == [0.5, 0.2, 0.1, 0.05]
    assert line["text"][-1] == "0.05 [0.045, 0.055]"
    assert band["y"] == pytest.approx([0.55, 0.22, 0.11, 0.055, 0.045, 0.09, 0.18, 0.45])


def test_a_band_that_reaches_zero_stays_on_a_logarithmic_picture() -> None:
    """A lower end at or below 0 is drawn at a third of the smallest value; on linear axes it stays where it is."""
    curve = Curve(np.array([1, 2]), np.array([0.3, 0.6]), np.array([-0.1, 0.5]), np.array([0.4, 0.7]))
    for is_log, lowest in ((True, 0.1), (False, -0.1)):
        figure = curve_figure([("a", curve)], "regret", is_log=is_log)
        assert figure is not None
        assert min(figure["data"][0]["y"]) == pytest.approx(lowest)


def test_a_single_run_has_a_line_and_no_band() -> None:
    """Without an interval there is nothing but the line."""
    nothing = np.full(2, np.nan)
    curve = Curve(np.array([1, 2]), np.array([0.3, 0.6]), nothing, nothing)
    figure = curve_figure([("a", curve)], "regret", is_log=True)
    assert figure is not None
    assert [trace["text"] for trace in figure["data"]] == [["0.3", "0.6"]]


def test_players_keep_colour_dash_and_symbol_where_others_are_missing(cases: tuple[Case, ...]) -> None:
    """The second player looks the same in a figure from which the first is absent."""
    first, second = swaps(cases[0])
    whole = curve_figure([first, second], "regret", is_log=True)
    part = curve_figure([("none", None), second], "regret", is_log=True)
    assert whole is not None
    assert part is not None
    assert whole["data"][-1]["line"] == part["data"][-1]["line"]
    assert whole["data"][-2]["line"] != part["data"][-1]["line"]
    assert whole["data"][-2]["marker"]["symbol"] != part["data"][-1]["marker"]["symbol"]


def test_names_with_markup_are_shown_as_they_are(cases: tuple[Case, ...]) -> None:
    """Plotly reads some HTML in names, so they are escaped; the group that joins line and band is not shown."""
    figure = curve_figure(swaps(cases[0]), "regret", is_log=True)
    assert figure is not None
    assert {trace["name"] for trace in figure["data"]} == {"multiscale", "single &lt;b&gt;"}


def test_swap_against_external_ends_where_the_curves_end(cases: tuple[Case, ...]) -> None:
    """The marker of each player is at (external, swap) of the last day."""
    figure = swap_against(cases[0].players, "external")
    assert figure is not None
    marker = figure["data"][2]
    assert (marker["x"], marker["y"]) == ([-0.05], [0.05])


def test_horizons_are_put_side_by_side(cases: tuple[Case, ...]) -> None:
    """The last swap regret of each player stands over its horizon, in order; one horizon makes no figure."""
    short = replace(cases[0], horizon=10, players=(replace(cases[0].players[1], name="multiscale"),))
    figure = horizon_figure([cases[0], short])
    assert figure is not None
    ends = {trace["name"]: (trace["x"], trace["y"]) for trace in figure["data"] if trace["mode"] == "lines+markers"}
    assert ends == {"multiscale": ([10, 1000], [0.3, 0.05]), "single &lt;b&gt;": ([1000], [0.3])}
    assert horizon_figure([short]) is None
    assert "absent" in panel_data(cases[0], cases)["horizons"]
    assert "choices" in panel_data(cases[0], (*cases, short))["horizons"]


def test_the_bars_of_the_lemma_add_up_to_its_bound(cases: tuple[Case, ...]) -> None:
    """Scales and T/K of a player sum to the right-hand side; laziness and measured regret are marked."""
    figure = decomposition_figure(cases[0].players)
    assert figure is not None
    bars = [trace["x"][0] for trace in figure["data"] if trace["type"] == "bar"]
    marks = [trace["x"][0] for trace in figure["data"] if trace["type"] == "scatter"]
    shares = cases[0].players[0].shares
    assert shares is not None
    assert sum(bars) == pytest.approx(shares.bound)
    assert marks == [0.25, 0.05]
    assert decomposition_figure(cases[1].players) is None


def test_the_calendar_covers_all_days_once() -> None:
    """The intervals of each scale follow each other from day 0 to the horizon, the first cut by the offset."""
    figure = calendar_figure(PlayerRuns("a", 1, windows=(2, 4, 8), offset=3), 21)
    assert figure is not None
    assert figure["data"][2]["x"] == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
    for trace, firsts in zip(figure["data"][:2], ([0, 1, 5, 9, 13, 17], [0, 5, 13]), strict=True):
        assert trace["base"] == firsts
        assert [a + b for a, b in zip(trace["base"], trace["x"], strict=True)] == [*firsts[1:], 21]


def test_too_many_intervals_are_one_hatched_block_that_counts_them() -> None:
    """A thousand intervals are not drawn one by one."""
    figure = calendar_figure(PlayerRuns("a", 1, windows=(1, 2)), 2000)
    assert figure is not None
    assert (len(figure["data"][0]["base"]), figure["data"][0]["marker"]["pattern"]["shape"]) == (1, "|")
    assert "×1,000" in figure["data"][0]["name"]


def test_each_edge_is_a_line_between_its_ends(diamond: Network) -> None:
    """Lines start and end at their vertices, and parallel edges do not lie on each other."""
    figure = graph_figure(diamond, [f"{u} → {v}" for u, v in diamond.edges])
    assert figure is not None
    *lines, middles, vertices = figure["data"]
    for edge, line in zip(diamond.edges, lines, strict=True):
        for vertex, at in zip(edge, (0, -1), strict=True):
            end = diamond.vertices.index(vertex)
            assert (line["x"][at], line["y"][at]) == (vertices["x"][end], vertices["y"][end])
    assert len({(x, y) for x, y in zip(middles["x"], middles["y"], strict=True)}) == len(diamond.edges)


def test_an_edge_bends_around_a_vertex_in_its_way() -> None:
    """The edge s → t does not run over a, which lies between them."""
    figure = graph_figure(Network((("s", "a"), ("a", "t"), ("s", "t")), directed=True), ["sa", "at", "st"])
    assert figure is not None
    assert len(figure["data"][0]["x"]) == 3
    assert abs(figure["data"][3]["y"][2] - figure["data"][4]["y"][1]) > 0.05


def test_undirected_graphs_keep_vertices_apart() -> None:
    """The vertices of a cycle of six stand apart, opposite ones farther than neighbours; the picture is the same twice."""
    cycle = Network(tuple((i, (i + 1) % 6) for i in range(6)), directed=False), [str(i) for i in range(6)]
    figure = graph_figure(*cycle)
    assert figure is not None
    points = np.column_stack([figure["data"][-1]["x"], figure["data"][-1]["y"]])
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert apart[0, 1] > 0.2
    assert apart[0, 3] > apart[0, 1]
    assert graph_figure(*cycle) == figure


def test_what_cannot_be_read_is_not_drawn(cases: tuple[Case, ...]) -> None:
    """Graphs and maps beyond their limits are refused, and the page says so with the number."""
    large = Network((("s", "t"),) * (MOST_EDGES + 1), directed=True)
    assert graph_figure(large, ["st"] * (MOST_EDGES + 1)) is None
    n = MOST_ELEMENTS + 1
    assert policy_map(MarginalsByDay(np.array([1, 2]), np.zeros((2, n))), tuple(map(str, range(n)))) is None
    case = Case("large", "iid", 1000, 401, 1, None, (), cases[0].players, large)
    assert "401 edges" in panel_data(case)["graph"]["absent"]


def test_absent_figures_say_why(cases: tuple[Case, ...]) -> None:
    """A case without certificates, scales and policies has sentences in their places."""
    bare = Case("set", "world", 9, 3, 1, 3, (), (PlayerRuns("a", 1),))
    absent = {key: panel["absent"] for key, panel in panel_data(bare).items()}
    assert set(absent) == {"regret", "horizons", "versus", "lemma", "calendar", "reward", "time", "graph"}
    assert "certificate = true" in absent["lemma"]
