"""Days of several kinds: regrets are those of an enumeration of all rules that look at context and mask."""

import json
from itertools import product

import numpy as np
import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.errors import InvalidAction, InvalidInput
from swapregret.logs.day_kinds import DayKindsAudit


def drawn(n: int, seed: int) -> tuple[sr.MSets, np.ndarray, np.ndarray, list[str], list[list[int] | None]]:
    """Return a log of 2 of 4 with two contexts and two masks."""
    rng, actions = np.random.default_rng(seed), sr.MSets(4, 2)
    contexts = [str(each) for each in rng.choice(["phone", "desk"], n)]
    available = [None if full else [0, 1, 3] for full in rng.random(n) < 0.5]
    table = actions.enumerate()
    rows = [table[rng.integers(6)] if each is None else table[table[:, 2] == 0][rng.integers(3)] for each in available]
    return actions, np.array(rows), rng.random((n, 4)), contexts, available


def best_rule(rows: np.ndarray, rewards: np.ndarray, possible: np.ndarray) -> float:
    """Return what the best map from actions to possible actions gains, by trying all."""
    played = np.unique(rows, axis=0)
    sums = [rewards[(rows == row).all(axis=1)].sum(axis=0) for row in played]
    return max(
        sum(float(total @ (new - old)) for total, new, old in zip(sums, choice, played, strict=True))
        for choice in product(possible, repeat=len(played))
    )


def test_regrets_are_those_of_all_rules_that_may_look() -> None:
    """Swap and external regret of 40 days are sums of maxima over all rules on each face, to 1e-12."""
    actions, rows, rewards, contexts, available = drawn(40, 2)
    found = sr.audit(actions, rows, rewards, contexts=contexts, available=available)
    assert isinstance(found, DayKindsAudit)
    swap = external = 0.0
    table = actions.enumerate()
    for kind in {(c, a is None) for c, a in zip(contexts, available, strict=True)}:
        days = [i for i, (c, a) in enumerate(zip(contexts, available, strict=True)) if (c, a is None) == kind]
        possible = table if kind[1] else table[table[:, 2] == 0]
        swap += best_rule(rows[days], rewards[days], possible)
        external += float((possible @ rewards[days].sum(axis=0)).max() - (rows[days] * rewards[days]).sum())
    assert found.swap_regret.value == pytest.approx(swap, abs=1e-12)
    assert found.external_regret.value == pytest.approx(external, abs=1e-12)
    assert found.n_days == 40
    assert len(found.parts) == 4
    assert "may look at the context" in found.swap_regret.definition
    assert found.swap_regret.value >= sr.audit(actions, rows, rewards, contexts=contexts).external_regret.value


def test_totals_come_between_ends() -> None:
    """With policies, totals are audited kind by kind; the ends hold the truth, which is 0 for uniform play of equal elements."""
    rng, actions = np.random.default_rng(3), sr.MSets(3, 1)
    policy = actions.uniform_policy()
    rows = policy.sample_many(rng, 200)
    found = sr.audit(actions, rows, np.full(200, 0.5), policies=policy, contexts=["a", "b"] * 100)
    assert found.external_regret.lower <= 0.0 <= found.external_regret.upper


def test_declared_policies_are_of_what_was_available() -> None:
    """Uniform play, declared, is uniform on the actions of the day: the audit is the one of these policies."""
    actions, rows, rewards, contexts, available = drawn(60, 4)
    table = actions.enumerate()
    few = sr.FinitePolicy(table[table[:, 2] == 0], np.full(3, 1.0 / 3.0))
    known = [actions.uniform_policy() if each is None else few for each in available]
    totals = (rows * rewards).sum(axis=1) / 2.0
    one, other = (
        sr.audit(actions, rows, totals, policies=each, contexts=contexts, available=available)
        for each in ("uniform", known)
    )
    for name in ("lower", "value", "upper"):
        assert getattr(one.swap_regret, name) == pytest.approx(getattr(other.swap_regret, name), abs=1e-9)
    with pytest.raises(InvalidInput, match="Did you mean 'uniform'"):
        sr.audit(actions, rows, totals, policies="unifrom")


def test_columns_of_a_file(tmp_path) -> None:
    """The command reads `context` and `available`, and gives what Python gives."""
    actions, rows, rewards, contexts, available = drawn(30, 5)
    lines = ["indices,context,available," + ",".join(f"reward:{i}" for i in range(4))]
    for row, vector, context, each in zip(rows, rewards, contexts, available, strict=True):
        here = "" if each is None else ";".join(map(str, each))
        lines.append(
            f"{';'.join(map(str, np.flatnonzero(row)))},{context},{here}," + ",".join(map(repr, vector.tolist()))
        )
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    said = CliRunner().invoke(app, ["audit", str(path), "--set", "msets 4 2", "--json"], catch_exceptions=False)
    want = sr.audit(actions, rows, rewards, contexts=contexts, available=available)
    assert json.loads(said.stdout)["swap_regret"]["value"] == pytest.approx(want.swap_regret.value)
    path.write_text(path.read_text().replace("0;1;3", "0;1;9"))
    assert "labels such as" in CliRunner().invoke(app, ["audit", str(path), "--set", "msets 4 2"]).output


def test_what_does_not_fit_is_refused() -> None:
    """A missing element that was played, and lists of another length, are refused by row."""
    actions, rewards = sr.MSets(3, 1), np.ones((2, 3))
    with pytest.raises(InvalidAction, match="row 1 of `plays` must be made of elements that were available"):
        sr.audit(actions, [[1, 0, 0], [0, 1, 0]], rewards, available=[None, [0, 2]])
    with pytest.raises(InvalidInput, match="`contexts` must have 2 entries"):
        sr.audit(actions, [[1, 0, 0], [0, 1, 0]], rewards, contexts=["a"])
    with pytest.raises(InvalidInput, match="`confidence` must be above 0 and below 1: got 2"):
        sr.audit(actions, [[1, 0, 0], [0, 1, 0]], rewards, contexts=["a", "b"], confidence=2.0)
