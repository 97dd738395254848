"""``swapregret evaluate``: the value of a choice, of uniform play and of a player, from a file."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app


@pytest.fixture
def log(tmp_path):
    """Write a log of 200 days drawn uniformly from 1 of 3, each element paying a fixed total."""
    rows = np.random.default_rng(4).integers(3, size=200)
    path = tmp_path / "log.csv"
    path.write_text("action,reward\n" + "".join(f"{'abc'[i]},{(0.2, 0.5, 0.9)[i]}\n" for i in rows))
    return str(path)


@pytest.mark.parametrize(("policy", "truth"), [("c", 0.9), ("uniform", 1.6 / 3.0)])
def test_values_from_a_file(log: str, policy: str, truth: float) -> None:
    """The interval has the true value, and JSON has what Python has."""
    words = ["evaluate", log, "--set", "msets 3 1 labels=a,b,c", "--policy", policy, "--policies", "uniform", "--json"]
    said = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)
    assert said["doubly_robust"]["lower"] <= truth <= said["doubly_robust"]["upper"]
    actions = sr.MSets(3, 1, labels="abc")
    target = actions.uniform_policy() if policy == "uniform" else (policy,)
    assert (
        said["pseudo_inverse"]["value"]
        == sr.evaluate(log, target, actions=actions, policies="uniform").pseudo_inverse.value
    )


def test_the_table_says_what_was_declared(log: str) -> None:
    """People read both estimates, the log's own mean, and that the user declared the policies."""
    words = ["evaluate", log, "--set", "msets 3 1 labels=a,b,c", "--policy", "b", "--policies", "uniform"]
    said = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert all(each in said for each in ("doubly robust", "pseudo-inverse", "the log itself", "declared uniform"))


def test_an_unknown_label_is_refused(log: str) -> None:
    """The refusal names the label, and some that exist."""
    words = ["evaluate", log, "--set", "msets 3 1 labels=a,b,c", "--policy", "z", "--policies", "uniform"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2
    assert "'z'" in found.output
