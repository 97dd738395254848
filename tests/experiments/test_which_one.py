"""Which player: the answers are those of the file, the page has the table of the file, and a dominated player is never one."""

from pathlib import Path

import pytest
import which_one as page_of
from measured_block import block

import swapregret as sr
from swapregret.experiments import which_one
from swapregret.experiments.which_one import PLAYERS, Row, advise, measured

PAGE = Path(__file__).parents[2] / "docs" / "which_one.md"


def test_the_page_is_that_of_the_file() -> None:
    """The table stands on the page as the command writes it; `python benchmarks/which_one.py` writes both."""
    assert block(PAGE, "which").strip() == page_of.table()


@pytest.mark.parametrize("feedback", PLAYERS)
def test_every_cell_was_measured(feedback: str) -> None:
    """Each player of a feedback was played on every set, at every horizon, in both kinds of worlds."""
    rows = [row for row in measured() if row.feedback == feedback]
    horizons, places = {row.horizon for row in rows}, {row.place for row in rows}
    assert horizons >= {300, 1_000, 10_000}
    assert len(rows) == len(set(rows)) == len(PLAYERS[feedback]) * len(horizons) * len(places) * 2


def test_the_answer_is_not_dominated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of most reward, unless another has as much and clearly less swap regret; means are over sets and kinds."""
    numbers = {"adaptive": (0.6, 0.02), "lin-ucb/None": (0.602, 0.05), "lin-ucb/10": (0.5, 0.01)}
    rows = tuple(
        Row("bandit", 1000, place, kind, player, reward + (0.1 if kind == "still" else 0.0), swap)
        for place in ("6,2", "10,3")
        for kind in ("still", "moving")
        for player, (reward, swap) in (dict.fromkeys(PLAYERS["bandit"], (0.1, 0.3)) | numbers).items()
    )
    monkeypatch.setattr(which_one, "measured", lambda: rows)
    answers = {answer.world: answer for answer in advise("bandit", 2000, sr.MSets(10, 3)).answers}
    assert {answer.player for answer in answers.values()} == {"swap_combcp(A, T)"}
    assert answers["may do either"].reward == pytest.approx(0.65)
    assert advise("bandit", 2000, sr.MSets(10, 3)).sets == ("10,3",)
    assert advise("bandit", 2000, sr.Permutations(30)).sets == ("6,2", "10,3")
    assert advise("bandit", 2000, sr.MSets(9, 3)).sets == ("10,3",), "the nearer of the two that are near"


def test_players_are_made_as_they_are_written() -> None:
    """Every answer is a call that can be made."""
    names = {"A": sr.MSets(4, 2), "T": 300, "baselines": sr.baselines, "swap_combcp": sr.swap_combcp}
    for players in PLAYERS.values():
        for call in players.values():
            assert eval(call, names).actions is names["A"]
