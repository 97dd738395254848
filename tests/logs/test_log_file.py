"""Logs in files: three ways to write an action, and every malformed cell named by row and column."""

import numpy as np
import polars as pl
import pytest

import swapregret as sr
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidAction, InvalidInput
from swapregret.logs.log_file import read_log
from swapregret.policy import FinitePolicy
from swapregret.regret.ledgers.policy_file import policy_cell, read_policy_cell
from swapregret.units import Units

COSTS = Units(0.0, 1.0, is_cost=True)
ACTIONS = MSets(3, 2, labels="abc")
HEAD = "reward:a,reward:b,reward:c"


def _write(tmp_path, text: str, name: str = "log.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        f"action,{HEAD}\na;c,1,2,3\nb; c,0,0,-1.5e0\n",
        f"{HEAD},indices,note\n1,2,3,0;2,hello\n0,0,-1.5,2;1,x\n",
        f"action:c,action:a,action:b,{HEAD}\n1,1,0,1,2,3\n1,0,1,0,0,-1.5\n",
    ],
    ids=["labels", "indices", "marks"],
)
def test_three_ways_to_write_an_action(tmp_path, text: str) -> None:
    """Labels, indices and 0/1 columns in any order of columns give the same plays and rewards."""
    log = read_log(_write(tmp_path, text), ACTIONS)
    assert log.plays.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert log.rewards.tolist() == [[1.0, 2.0, 3.0], [0.0, 0.0, -1.5]]
    assert log.policies is None
    assert log.notes == (("Columns left alone: note.",) if "note" in text else ())


def test_probabilities_and_rounds_are_read(tmp_path) -> None:
    """The optional columns come out as arrays."""
    log = read_log(_write(tmp_path, f"round,action,probability,{HEAD}\nmon,a;b,.5,1,1,1\nmon,a;c,.5,1,1,1\n"), ACTIONS)
    assert len(log) == 1
    assert log.policies[0].marginals().tolist() == [1.0, 0.5, 0.5]
    with pytest.raises(InvalidInput, match="must say what was drawn on each"):
        sr.Log.read(log, ACTIONS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"action,{HEAD}\na;b,1,1,1\na;b,1,x,1\n", "row 2, column 'reward:b'"),
        (f"action,{HEAD}\na;b,1,1,nan\n", "row 1, column 'reward:c'"),
        (f"action,{HEAD}\na;b,1,,1\n", "row 1, column 'reward:b'"),
        (f"action,{HEAD}\na;z,1,1,1\n", "row 1, column 'action'.*'z'"),
        (f"action,{HEAD}\na;a,1,1,1\n", "each element once"),
        (f"action,{HEAD}\n,1,1,1\n", "row 1, column 'action'"),
        (f"indices,{HEAD}\n0;3,1,1,1\n", "row 1, column 'indices'"),
        (f"indices,{HEAD}\n0;-1,1,1,1\n", "row 1, column 'indices'"),
        (f"action:a,action:b,action:c,{HEAD}\n1,1,2,1,1,1\n", "row 1, column 'action:c'"),
        (f"action,probability,{HEAD}\na;b,0,1,1,1\n", "row 1 of `probabilities`"),
        (f"round,action,{HEAD}\n,a;b,1,1,1\n", "row 1, column 'round'"),
        (f"action,{HEAD}\na;b,1,1\n", "line 2 of .*log.csv must have 4 cells"),
        (f"action,{HEAD}\n", "at least one row"),
        ("", "begin with a row"),
        ("action,cost\na;b,1\n", r"a column `reward`, .* got .*'cost'.* that they are costs: `cost_range`"),
        ("action,reward:a,reward:b\na;b,1,1\n", r"missing \['c'\]"),
        (f"action,{HEAD},reward:z\na;b,1,1,1,1\n", r"unknown \['z'\]"),
        (f"{HEAD}\n1,1,1\n", "one way"),
        (f"action,indices,{HEAD}\na;b,0;1,1,1,1\n", "one way"),
        (f"action,action,{HEAD}\na;b,a;b,1,1,1\n", "different names"),
    ],
)
def test_malformed_cells_are_named(tmp_path, text: str, words: str) -> None:
    """Whatever is wrong with a file, the message names the row and the column, or the header."""
    with pytest.raises(InvalidInput, match=words):
        read_log(_write(tmp_path, text), ACTIONS)


def test_a_row_that_is_no_action_is_named(tmp_path) -> None:
    """A row whose elements are known but do not form an action is refused by its number."""
    with pytest.raises(InvalidAction, match="row 2 of column 'action'"):
        read_log(_write(tmp_path, f"action,{HEAD}\na;b,1,1,1\na,1,1,1\n"), ACTIONS)


def test_files_that_are_not_logs_are_refused(tmp_path) -> None:
    """A missing file and an unknown ending are refused."""
    with pytest.raises(InvalidInput, match="must be a file"):
        read_log(tmp_path / "none.csv", ACTIONS)
    with pytest.raises(InvalidInput, match="must end in"):
        read_log(_write(tmp_path, "x", "log.xlsx"), ACTIONS)


def test_parquet_columns_are_read_as_csv_is(tmp_path) -> None:
    """A Parquet table with numbers as numbers gives the same log; a missing value is named; no table is refused."""
    good = {"indices": ["0;2", "1;2"], "reward:a": [1, 0], "reward:b": [2.0, 0.0], "reward:c": [3.0, -1.5]}
    path = tmp_path / "log.parquet"
    pl.DataFrame(good).write_parquet(path)
    log = read_log(path, ACTIONS)
    assert log.plays.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert np.array_equal(log.rewards, [[1.0, 2.0, 3.0], [0.0, 0.0, -1.5]])
    pl.DataFrame(good | {"reward:b": [2.0, None]}).write_parquet(path)
    with pytest.raises(InvalidInput, match="row 2, column 'reward:b'"):
        read_log(path, ACTIONS)
    with pytest.raises(InvalidInput, match="readable Parquet"):
        read_log(_write(tmp_path, "x", "log.parquet"), ACTIONS)


def test_totals_come_with_policies(tmp_path) -> None:
    """A column of totals is read with a column of policies; an empty policy is the one above, and a Parquet file gives the same."""
    uniform, sure = policy_cell(ACTIONS.uniform_policy()), policy_cell(FinitePolicy([[1, 1, 0]], [1.0]))
    text = f"action,reward,policy,note\na;c,.5,{uniform},x\nb;c,.25,,x\na;b,1,{sure},x\n"
    log = read_log(_write(tmp_path, text), ACTIONS)
    assert log.rewards.tolist() == [0.5, 0.25, 1.0]
    assert log.policies is not None
    assert log.policies[0] is log.policies[1]
    assert log.policies[2].marginals().tolist() == [1.0, 1.0, 0.0]
    assert log.notes == ("Columns left alone: note.",)
    costs = read_log(_write(tmp_path, text.replace("reward", "cost")), ACTIONS, COSTS)
    assert costs.rewards.tolist() == log.rewards.tolist()
    pl.read_csv(tmp_path / "log.csv").write_parquet(tmp_path / "log.parquet")
    again = read_log(tmp_path / "log.parquet", ACTIONS, COSTS)
    assert again.rewards.tolist() == log.rewards.tolist()
    assert again.policies is not None
    assert again.policies[0] is again.policies[1]


def test_listed_totals_stand_in_one_row(tmp_path) -> None:
    """Where rows list a policy, the cell of the total is empty in rows that were not drawn."""
    text = "round,action,probability,reward\nmon,a;b,.5,\nmon,a;c,.5,.75\n"
    log = read_log(_write(tmp_path, text), ACTIONS)
    assert (log.plays.tolist(), log.rewards.tolist()) == ([[1, 0, 1]], [0.75])
    assert log.policies is not None
    assert log.policies[0].marginals().tolist() == [1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "action,reward\na;b,1\n",
            "policy that drew each action: got 1 totals and no policies.*Add `policies`",
        ),
        ("action,reward,probability\na;b,1,.5\n", "policy that drew each action"),
        ("action,reward,policy\na;b,1,\n", "row 1, column 'policy' .*none above"),
        ("action,reward,policy\na;b,1,x\n", "row 1, column 'policy': .*this library wrote"),
        ("action,reward,policy\na;b,,POLICY\n", "row 1, column 'reward'"),
        ("action,reward,policy\na;b,1,OTHER\n", "row 1, column 'policy'"),
    ],
)
def test_malformed_totals_are_named(tmp_path, text: str, words: str) -> None:
    """Totals without policies say what to add; policies that cannot be read, or belong to another set, are named by their row."""
    wide = MSets(40, 8)
    text = text.replace("POLICY", policy_cell(ACTIONS.uniform_policy()))
    text = text.replace("OTHER", policy_cell(wide.uniform_policy()))
    with pytest.raises(InvalidInput, match=words):  # noqa: PT012  # the file, or what it says, is refused
        log = read_log(_write(tmp_path, text), ACTIONS)
        sr.audit(ACTIONS, log.plays, log.rewards, **log.options)


def test_a_policy_with_a_wrong_letter_is_refused() -> None:
    """Whichever letter of a policy is changed or lost, it is refused or reads as the same policy."""
    text = policy_cell(ACTIONS.uniform_policy())
    for place in range(len(text)):
        for wrong in (text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :], text[:place]):
            try:
                policy = read_policy_cell(wrong, ACTIONS)
            except InvalidInput:
                continue
            assert policy_cell(policy) == text


def test_cells_of_a_frame_may_be_lists(tmp_path) -> None:
    """A list or a tuple of labels is read as the text with ; between them."""
    text = pl.DataFrame({"action": ["a;b", "b;c"], "available": ["", "b;c"], "reward": [0.5, 1.0]})
    listed = pl.DataFrame({"action": [["a", "b"], ["b", "c"]], "available": [None, ["b", "c"]], "reward": [0.5, 1.0]})
    listed.write_parquet(tmp_path / "log.parquet")
    tuples = text.to_pandas()
    tuples["action"] = [("a", "b"), ("b", "c")]
    for source in (text, listed, listed.to_pandas(), tmp_path / "log.parquet", tuples):
        log = read_log(source, ACTIONS)
        assert (log.plays.tolist(), log.available) == ([[1, 1, 0], [0, 1, 1]], (None, ("b", "c")))


def test_totals_of_a_stated_range_are_read_in_the_units_of_the_reader(tmp_path) -> None:
    """What the service writes on [0, 1] is read as rewards in [0, 3], or as costs in [5, 45], without a word more."""
    path = _write(tmp_path, "action,range,reward\na;b,0;1,0.25\na;c,0;1,1\n")
    assert sr.Log.read(path, ACTIONS).totals.tolist() == [0.25, 1.0]
    assert sr.Log.read(path, ACTIONS, reward_range=(0, 3)).totals.tolist() == [0.75, 3.0]
    assert sr.Log.read(path, ACTIONS, cost_range=(5, 45)).totals.tolist() == [35.0, 5.0]
    for cell in ("0", "1;0", "a;b", "0;2"):
        with pytest.raises(InvalidInput, match="column 'range' of the log must"):
            read_log(_write(tmp_path, f"action,range,reward\na;b,0;1,0.25\na;c,{cell},1\n"), ACTIONS)
