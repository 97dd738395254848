"""The command ``game``: descriptions in, gaps, plays and pages out."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.games import BlottoGame, CorrelatedPlay, certify

runner = CliRunner()

_BLOTTO = """
[game]
kind = "blotto"
troops = [3, 2]
fields = 2
[play]
rounds = 30
windows = 5
checkpoints = 2
[[players]]
learner = "uniform"
"""
_ROUTING = """
[game]
kind = "routing"
edges = [["s", "a"], ["a", "t"], ["s", "t"]]
commodities = [["s", "t"], ["s", "t"]]
affine = { constant = [0.0, 0.0, 1.0], slope = [1.0, 0.0, 0.0] }
[play]
rounds = 30
[[players]]
learner = "uniform"
[[players]]
learner = "follow_the_leader"
feedback = "full"
"""


def write(folder: Path, text: str) -> str:
    """Put a description into a file."""
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_numbers_play_and_page(tmp_path: Path) -> None:
    """JSON holds ε and gaps, the saved play has the same ε when loaded, the page shows a heat map for each colonel."""
    saved, page = tmp_path / "play", tmp_path / "page.html"
    done = runner.invoke(
        app, ["game", write(tmp_path, _BLOTTO), "--json", "--save", str(saved), "--report", str(page), "--seed", "4"]
    )
    assert done.exit_code == 0, done.output
    numbers = json.loads(done.stdout)
    play = CorrelatedPlay.load(saved)
    assert isinstance(play.game, BlottoGame)
    assert certify(play).epsilon == pytest.approx(numbers["epsilon"], abs=1e-12)
    assert numbers["days"] == 30
    assert [row["day"] for row in numbers["history"]] == [15, 30]
    html = page.read_text(encoding="utf-8")
    panels = json.loads(html.split('type="application/json">')[1].split("</script>")[0])["cases"][0]["panels"]
    maps = [choice["figure"]["data"][0]["z"] for choice in panels["deployment"]["choices"]]
    assert [(len(each), len(each[0])) for each in maps] == [(2, 4), (2, 3)]
    assert sum(sum(row) for row in panels["joint"]["choices"][0]["figure"]["data"][0]["z"]) == pytest.approx(1.0)
    assert "<svg" not in html.split("plotly.js v")[0]
    assert re.search(rf"– to {numbers['players'][0]['swap_gap_in_payoffs']:.4f}", html)


def test_several_seeds_make_a_band(tmp_path: Path) -> None:
    """With --seeds the lines of the report are means, in a band from the lowest to the highest seed; facts name them."""
    page = tmp_path / "page.html"
    done = runner.invoke(
        app, ["game", write(tmp_path, _BLOTTO), "--json", "--report", str(page), "--seeds", "3", "--seed", "4"]
    )
    assert done.exit_code == 0, done.output
    html = page.read_text(encoding="utf-8")
    panels = json.loads(html.split('type="application/json">')[1].split("</script>")[0])["cases"][0]["panels"]
    line = next(
        trace
        for trace in panels["epsilon"]["choices"][0]["figure"]["data"]
        if trace["mode"] == "lines+markers" and trace["name"] == "ε, the largest"
    )
    alone = [
        json.loads(runner.invoke(app, ["game", write(tmp_path, _BLOTTO), "--json", "--seed", str(seed)]).stdout)[
            "epsilon"
        ]
        for seed in (4, 5, 6)
    ]
    assert line["y"][-1] == pytest.approx(sum(alone) / 3, rel=1e-4)
    assert line["customdata"][-1] == pytest.approx([min(alone), max(alone)], rel=1e-4)
    assert "4, 5, 6" in html
    assert "<code>swapregret game game.toml --rounds 30 --seed 4 --seeds 3</code>" in html
    assert "Days are an expectation" in html


def test_people_see_gaps_as_they_come(tmp_path: Path) -> None:
    """Without --json a table is printed, gaps appear on standard error, and the page shows the network with its load."""
    page = tmp_path / "page.html"
    done = runner.invoke(app, ["game", write(tmp_path, _ROUTING), "--rounds", "20", "--report", str(page)])
    assert done.exit_code == 0, done.output
    assert "correlated equilibrium" in done.output
    html = page.read_text(encoding="utf-8")
    assert "Expected users of each edge" in html
    brackets = re.findall(r"(\d\.\d{4}) to (\d\.\d{4})", html)
    assert len(brackets) > 0
    assert all(float(linear) <= float(swap) for linear, swap in brackets)
    assert "<code>swapregret game game.toml --rounds 20 --seed 0</code>" in html


@pytest.mark.parametrize(
    "text",
    [
        "not toml [",
        "[play]\nrounds = 3",
        "[game]\nkind = 'poker'",
        "[game]\nkind = 'shapley'",
        _BLOTTO.replace("uniform", "nobody"),
        _BLOTTO.replace('"uniform"', '"uniform"\ncolour = 3'),
        _BLOTTO + "[[players]]\n[[players]]\n",
        _ROUTING.replace('feedback = "full"', "colour = 3"),
    ],
)
def test_bad_descriptions_end_with_a_sentence(tmp_path: Path, text: str) -> None:
    """A description that cannot be used ends with status 2 and a sentence, not a traceback."""
    done = runner.invoke(app, ["game", write(tmp_path, text)])
    assert done.exit_code == 2
    assert "must" in done.output


@pytest.mark.parametrize("name", ["blotto", "chicken", "routing", "shapley"])
def test_examples_run(name: str) -> None:
    """Every description among the examples can be played."""
    path = Path(__file__).parents[2] / "examples" / "games" / f"{name}.toml"
    done = runner.invoke(app, ["game", str(path), "--rounds", "3", "--json"])
    assert done.exit_code == 0, done.output
