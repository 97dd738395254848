"""Players as plain data: what is written is read again, and nothing else is."""

import enum
import json

import numpy as np
import pytest
from tests.late import Late

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.errors import InvalidInput, Unsupported
from swapregret.files.values import read_value, write_value
from swapregret.learners.baselines import combcp, uniform
from swapregret.learners.doubling import anytime
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.sessions.session_file import player_of

PLAYERS = Late(
    {
        "combcp": lambda: swap_combcp(MSets(5, 2), 1000, preset="multiscale"),
        "adaptive": lambda: swap_combcp(MSets(5, 2), 1000, preset="adaptive"),
        "adaptive list": lambda: swap_comband(Explicit(np.eye(3, dtype=int)), 1000, preset="adaptive"),
        "comband": lambda: swap_comband(
            MSets(5, 2, labels=["a", "b", ("c", 1), 4, None]), 1000, preset="multiscale", feedback="full"
        ),
        "paper": lambda: swap_combcp(MSets(5, 2), 1000, preset="paper"),
        "list": lambda: swap_combcp(Explicit(np.eye(3, dtype=int)), 1000, preset="multiscale", feedback="semi-bandit"),
        "one scale": lambda: combcp(MSets(4, 2), 1000),
        "uniform": lambda: uniform(MSets(4, 2)),
        "anytime": lambda: anytime(
            swap_combcp, MSets(4, 2), first_epoch=7, preset="multiscale", schedule=Schedule([1, 2])
        ),
    }
)


@pytest.mark.parametrize("name", PLAYERS)
def test_players_survive_json(name: str) -> None:
    """Written to JSON text and read again, a player has the same description, policies and set."""
    player = PLAYERS[name]
    text = json.dumps(write_value(player))
    made = read_value(json.loads(text))
    assert type(made) is type(player)
    assert json.dumps(write_value(made)) == text
    assert made.feedback == player.feedback
    assert made.actions.labels == player.actions.labels
    policy, again = (each.policy(each.start(np.random.default_rng(1))) for each in (player, made))
    assert np.array_equal(policy.cooccurrence(), again.cooccurrence())


def test_equal_parts_become_one_object() -> None:
    """The steps of the scales and the set are read as they were written: one for all, or one per scale."""
    made = read_value(write_value(PLAYERS["combcp"]))
    assert made.learner.rates == PLAYERS["combcp"].learner.rates
    assert len(made.learner.rates) == 1
    paper = read_value(write_value(PLAYERS["paper"]))
    assert paper.learner.rates == PLAYERS["paper"].learner.rates
    assert len(set(paper.learner.rates)) == 3


def test_sets_are_written_as_they_were_made() -> None:
    """Lists and arrays that change afterwards, iterators that are spent and views of other objects do no harm."""
    rows, table, edges = (
        [[1, 0, 0], [0, 1, 0]],
        np.eye(3, dtype=np.int64),
        {("s", "a"): 1, ("a", "t"): 2, ("s", "t"): 3},
    )
    sets = [
        Explicit(rows),
        Explicit(table),
        MSets(3, 1, labels=iter("abc")),
        DagPaths(edges.keys(), source="s", sink="t"),
        DagPaths((edge for edge in list(edges)), source="s", sink="t"),
    ]
    lists = [actions.enumerate() for actions in sets]
    rows[0][1], table[:] = 1, 1
    edges.clear()
    for actions, listed in zip(sets, lists, strict=True):
        made = read_value(json.loads(json.dumps(write_value(actions))))
        assert np.array_equal(made.enumerate(), listed)
        assert made.labels == actions.labels


def test_plain_values() -> None:
    """Numbers, tuples, lists, dicts and arrays come back as they were; NumPy scalars as Python's."""
    value = {"a": (1, 2.5, None, True), 3: [[], "x"], ("k", 1): np.arange(3.0)}
    made = read_value(json.loads(json.dumps(write_value(value))))
    assert made["a"] == (1, 2.5, None, True)
    assert made[3] == [[], "x"]
    assert np.array_equal(made["k", 1], np.arange(3.0))
    assert made["k", 1].dtype == np.float64
    assert [type(write_value(item)) for item in (np.int64(3), np.float64(0.5), np.bool_(True), np.str_("a"))] == [
        int,
        float,
        bool,
        str,
    ]


class Suit(enum.IntEnum):
    """A label that is an int and more."""

    HEARTS = 1
    SPADES = 2


@pytest.mark.parametrize(
    "value",
    [
        OracleSet(2, lambda weights: np.array([1, 0])),
        anytime(lambda actions, horizon: swap_combcp(actions, horizon, variants=1, preset="multiscale"), MSets(4, 2)),
        MSets(2, 1, labels=list(Suit)),
        MSets(2, 1, labels=[frozenset({1}), frozenset({2})]),
        json.dumps,
        object(),
    ],
    ids=["oracle", "lambda", "enum", "frozenset", "foreign function", "object"],
)
def test_what_cannot_be_written_says_so(value: object) -> None:
    """A function of the user, a label that would come back as something else: refused, with the way out."""
    with pytest.raises(Unsupported, match="player="):
        write_value(value)


def made_of(fields: dict[str, object], kind: str = "SwapMaster") -> dict[str, object]:
    """Return the configuration of the multiscale player with some fields of one class replaced."""

    def replaced(data: object) -> object:
        if isinstance(data, list):
            return [replaced(item) for item in data]
        if not isinstance(data, dict):
            return data
        inner = {key: replaced(item) for key, item in data.items()}
        return inner | {"fields": inner["fields"] | fields} if data.get("class") == kind else inner

    return replaced(write_value(PLAYERS["combcp"]))  # type: ignore[return-value]


SET = {"class": "MSets", "args": {"list": [4, 2]}, "kwargs": {"dict": []}}
DEEP: dict[str, object] = {"list": []}
for _ in range(2000):
    DEEP = {"list": [DEEP]}


@pytest.mark.parametrize(
    "data",
    [
        {"class": "os:system", "fields": {}},
        {"class": "Session", "fields": {}},
        {"class": "swapregret.actions.m_sets.m_sets:MSets", "args": {"list": [4, 2]}, "kwargs": {"dict": []}},
        {"class": "OracleSet", "args": {"list": [2, {"factory": "uniform"}]}, "kwargs": {"dict": []}},
        {"class": ["MSets"], "args": {"list": [4, 2]}, "kwargs": {"dict": []}},
        {"class": "MSets", "args": {"list": [4, {"factory": "uniform"}]}, "kwargs": {"dict": []}},
        {"class": "MSets", "args": {"list": [4]}, "kwargs": {"dict": []}},
        {"class": "MSets", "args": {"list": [4, 2]}, "kwargs": {"dict": [["colour", 1]]}},
        {"class": "MSets", "args": [4, 2], "kwargs": {}},
        {"class": "MSets", "fields": {}},
        {"factory": "save_picture"},
        {"factory": "MSets"},
        {"function": "swapregret.learners.presets:swap_combcp"},
        {"array": [1], "dtype": "object"},
        {"array": [[1], [1, 2]], "dtype": "int64"},
        {"array": "x", "dtype": "float64"},
        {"dict": [[{"list": []}, 1]]},
        {"dict": 3},
        {"tuple": [1], "list": [2]},
        {"class": "UniformPlayer", "fields": {"actions": SET}},
        {"class": "UniformPlayer", "fields": {"actions": SET, "feedback": "none"}},
        {"class": "UniformPlayer", "fields": {"actions": 3, "feedback": "bandit"}},
        {"class": "UniformPlayer", "fields": {"actions": {"class": "Schedule", "fields": {}}, "feedback": "bandit"}},
        {"class": "DoublingPlayer", "fields": {"factory": SET, "actions": SET, "options": {}, "first_epoch": 7}},
        made_of({"random_offset": 1}),
        made_of({"learner": {"list": []}}),
        made_of({"learner": {"factory": "uniform"}}),
        made_of({"learner": write_value(uniform(MSets(5, 2)))}),
        made_of({"schedule": SET}),
        made_of({"exploration": float("nan")}, "LazyComBCP"),
        made_of({"variants": 2.5}, "PolicyPlan"),
        made_of({"windows": {"tuple": [1, 3, 4]}}, "Schedule"),
        made_of({"more": 1}),
        DEEP,
    ],
)
def test_foreign_configuration_is_refused(data: dict[str, object]) -> None:
    """Only what the registry names is made from a file, from plain values and fields of the declared types."""
    with pytest.raises(InvalidInput):
        read_value(data)


def test_player_of_a_file() -> None:
    """A player given is checked against the file; one that is not given is made; one that cannot be must be given."""
    player, config = PLAYERS["combcp"], write_value(PLAYERS["combcp"])
    assert player_of(json.loads(json.dumps(config)), player, "x") is player
    assert write_value(player_of(config, None, "x")) == config
    with pytest.raises(InvalidInput, match="configured as the one in 'x'"):
        player_of(config, swap_combcp(MSets(5, 2), 5000, preset="multiscale"), "x")
    with pytest.raises(Unsupported, match="hand it over"):
        player_of(None, None, "x")
    mine = swap_combcp(OracleSet(2, lambda weights: np.array([1, 0])), 10, preset="multiscale")
    assert player_of(None, mine, "x") is mine
    with pytest.raises(InvalidInput, match="configured"):
        player_of(config, mine, "x")
