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
    with pytest.raises(InvalidAction, match="row 2 of `plays` must be made of elements that were available"):
        sr.audit(actions, [[1, 0, 0], [0, 1, 0]], rewards, available=[None, [0, 2]])
    with pytest.raises(InvalidInput, match="`contexts` must have 2 entries"):
        sr.audit(actions, [[1, 0, 0], [0, 1, 0]], rewards, contexts=["a"])
    with pytest.raises(InvalidInput, match="`confidence` must be above 0 and below 1: got 2"):
        sr.audit(actions, [[1, 0, 0], [0, 1, 0]], rewards, contexts=["a", "b"], confidence=2.0)


def totals_of(n: int, seed: int) -> tuple[sr.MSets, np.ndarray, np.ndarray, sr.Policy]:
    """Return a set, n uniform plays, and what they paid in [0, 3]."""
    rng, actions = np.random.default_rng(seed), sr.MSets(4, 2)
    rows = actions.uniform_policy().sample_many(rng, n)
    return (
        actions,
        rows,
        3.0 * (rows @ np.array([0.5, 0.3, 0.1, 0.0])) * rng.integers(0, 2, n),
        actions.uniform_policy(),
    )


def test_rare_kinds_of_totals_have_the_trivial_ends() -> None:
    """A kind of a few days does not keep the others from being audited: its ends are those of totals that may be anything."""
    actions, rows, totals, policy = totals_of(201, 6)
    options = {"policies": policy, "reward_range": (0, 3)}
    contexts = ["common"] * 100 + ["rare"] + ["common"] * 100
    found = sr.audit(actions, rows, totals, contexts=contexts, **options)
    rare, common = (found.parts[name, ()] for name in ("rare", "common"))
    assert (found.n_blind, rare.n_days) == (1, 1)
    assert rare.swap_regret.bracket == (0.0, 3.0)
    assert rare.external_regret.bracket == (pytest.approx(-totals[100]), pytest.approx(3.0 - totals[100]))
    for name in ("external_regret", "swap_regret"):
        ends = [getattr(each, name) for each in (found, rare, common)]
        assert ends[0].upper == pytest.approx(ends[1].upper + ends[2].upper)
        assert "1 days of unknown worth" in ends[0].definition
    with pytest.raises(InvalidInput, match="at least 8 days of one kind"):
        sr.audit(actions, rows[:14], totals[:14], contexts=["a", "b"] * 7, **options)
    with pytest.raises(InvalidInput, match="at least 8 days of one kind"):
        sr.audit(actions, rows[:7], totals[:7], **options)


def test_ends_of_all_kinds_hold_together() -> None:
    """The sum of 20 kinds states the probability that was asked for, and no regret above days × range."""
    actions, rows, totals, policy = totals_of(200, 7)
    options = {"policies": policy, "reward_range": (0, 3), "confidence": 0.9}
    found = sr.audit(actions, rows, totals, contexts=[day % 20 for day in range(200)], **options)
    assert "with probability 0.9 or more" in found.external_regret.definition
    assert "(both for confidence 0.9)" in found.swap_regret.definition
    assert "probability 0.995 or more" in found.parts[0, ()].external_regret.definition
    assert found.swap_regret.upper <= 600.0
    assert all(part.swap_regret.upper <= 30.0 for part in found.parts.values())


def test_the_command_shows_the_best_rules_of_each_kind(tmp_path) -> None:
    """With the reward of every element there are exchanges and affine rules of each kind; what cannot be had is said truly."""
    lines = ["action,context,available,reward:0,reward:1,reward:2", *["0,phone,,0,1,0", "0,desk,0;2,0,1,2"] * 2]
    (path := tmp_path / "log.csv").write_text("\n".join(lines) + "\n")

    def said(*more: str) -> str:
        return " ".join(CliRunner().invoke(app, ["audit", str(path), "--set", "msets 3 1", *more]).output.split())

    shown = said("--linear")
    assert "Context phone, nothing missing, 2 days:" in shown
    assert "Context desk, 1 missing, 2 days:" in shown
    assert shown.count("The best affine rule") == 2
    read = json.loads(said("--linear", "--json"))
    assert [(each["context"], each["missing"], each["better"]) for each in read["best_swap"]] == [
        ("phone", [], ["1"]),
        ("desk", ["1"], ["2"]),
    ]
    assert read["linear_swap_regret"]["value"] == pytest.approx(6.0)
    assert "got a log with contexts or missing elements" in said("--picture", str(tmp_path / "x.html"))
    assert "no windows: got `window`" in said("--window", "2")
    path.write_text(path.read_text().replace("0,desk,0;2", "1,desk,0;2", 1))
    assert "row 2, column 'available' of the log must" in said()
