"""The small charts of single pages: ticks that can be read, names that are there on wide and on narrow screens."""

import re

import pytest

from swapregret.experiments.chart import Series, line_chart, page


def ticks(svg: str) -> list[str]:
    """Return the numbers along the vertical axis."""
    return re.findall(r'text-anchor="end">([^<]+)<', svg)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.11, 0.13, ["0.1", "0.11", "0.12", "0.13", "0.14"]),
        (0.02, 0.5, ["0.02", "0.05", "0.1", "0.2", "0.5"]),
        (0.001, 1.0, ["0.001", "0.01", "0.1", "1"]),
    ],
)
def test_a_logarithmic_axis_has_round_ticks_on_any_range(low: float, high: float, expected: list[str]) -> None:
    """Powers of ten over decades, 2 and 5 between them on fewer, round numbers within one: always several."""
    assert ticks(line_chart("t", "x", "y", [Series("a", ((1.0, low), (10.0, high)))])) == expected


def test_names_are_beside_the_lines_and_in_a_list() -> None:
    """Each name is written at its line, and once more in the list that narrow screens show instead."""
    svg = line_chart(
        "t", "x", "y", [Series("a <b>", ((1.0, 1.0), (9.0, 2.0)), is_ours=True), Series("c", ((1.0, 3.0),))]
    )
    beside, listed = svg.split("</svg>")
    assert beside.count(">a &lt;b&gt;</text>") == 1
    assert re.findall(r"<li[^>]*>([^<]+)</li>", listed) == ["a &lt;b&gt;", "c"]


def test_neighbouring_lines_differ_in_colour_and_in_dash() -> None:
    """Two lines can be told apart without colour."""
    svg = line_chart("t", "x", "y", [Series(name, ((1.0, 1.0), (9.0, 2.0))) for name in "ab"])
    strokes = re.findall(r'<polyline[^>]* stroke="([^"]+)"[^>]*stroke-dasharray="([^"]*)"', svg)
    assert len({colour for colour, _ in strokes}) == len({dash for _, dash in strokes}) == 2


def test_the_page_is_for_light_dark_narrow_and_paper() -> None:
    """The style sheet has a rule for each, and loads nothing."""
    html = page("t", "lead", ["part"])
    for rule in ("prefers-color-scheme:dark", "max-width:40rem", "@media print"):
        assert rule in html
    assert "http" not in html
