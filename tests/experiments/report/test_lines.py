"""The page of an audit: one bar and one row per exchange, and what is left out is counted."""

import json

import numpy as np

import swapregret as sr
from swapregret.experiments.report.lines import gains_page


def test_the_page_shows_gains_and_counts_what_is_left_out() -> None:
    """Bars fall, are as many as the limit, labels are escaped, and the rest is counted."""
    actions = sr.MSets(5, 1, labels=["<a>", "b&c", "d", "e", "f"])
    rewards = np.random.default_rng(3).random((50, 5))
    plays = np.eye(5, dtype=int)[np.arange(50) % 5]
    swap = sr.audit(actions, plays, rewards).best_swap
    page = gains_page(swap, "a <title>", limit=3)
    panels = json.loads(page.split('type="application/json">')[1].split("</script>")[0])["scenes"][0]["panels"]
    bars = panels["gains"]["choices"][0]["figure"]["data"][0]
    assert bars["x"] == sorted(bars["x"], reverse=True)
    assert len(bars["x"]) == 3
    assert "2 more actions" in page
    assert "<a>" not in page.split("plotly.js v")[0]
    assert "<title>a &lt;title&gt;" in page
