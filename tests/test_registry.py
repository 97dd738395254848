"""What a file may name: the registry, all of it, and nothing else."""

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret import registry
from swapregret.actions.m_sets.kernels.subsets import UNIT
from swapregret.actions.m_sets.m_set_policies import PivotalSubsets
from swapregret.errors import InvalidInput
from swapregret.files.storage import from_bytes, to_bytes, write_file
from swapregret.files.values import parts_of, read_value, write_value
from swapregret.learners import baselines
from swapregret.learners.player import Player
from swapregret.policy import Policy
from swapregret.regret.ledgers.policy_file import read_policies, write_policies
from swapregret.results.experiment import load_experiment

TABLES = {name: getattr(registry, name) for name in ("SETS", "PLAYERS", "FACTORIES", "POLICIES", "GRAPHS")}
SET = write_value(sr.MSets(4, 2))


def modules() -> Iterator[Any]:
    """Yield every module of the package."""
    for info in pkgutil.walk_packages(sr.__path__, "swapregret."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def callables() -> Iterator[tuple[Any, str, Any]]:
    """Yield every callable a module of the package holds, public or private, its own or not, and those of its classes."""
    for module in modules():
        for name, thing in vars(module).items():
            if callable(thing):
                yield module, name, thing
            if inspect.isclass(thing) and thing.__module__ == module.__name__:
                for inner, method in vars(thing).items():
                    if callable(method) or isinstance(method, staticmethod | classmethod):
                        yield module, f"{name}.{inner}", method


def names_of(module: Any, name: str) -> set[str]:
    """Return the ways in which a file could try to name something."""
    short = module.__name__.removeprefix("swapregret.")
    return {name, f"{module.__name__}:{name}", f"{short}:{name}", f"{module.__name__}.{name}", f"{short}.{name}"}


def test_no_file_reaches_a_callable_outside_the_registry() -> None:
    """Every callable of the package, by every name, in every place of a file: refused, unless the registry names it."""
    reached, tried = set(), 0
    for module, name, _ in callables():
        for word in names_of(module, name):
            for data, table in (
                ({"class": word, "args": {"list": []}, "kwargs": {"dict": []}}, registry.SETS),
                ({"class": word, "fields": {}}, registry.PLAYERS),
                ({"factory": word}, registry.FACTORIES),
                ({"function": word}, {}),
                (
                    {
                        "class": "DoublingPlayer",
                        "fields": {
                            "factory": {"factory": word},
                            "actions": SET,
                            "options": {"dict": []},
                            "first_epoch": 10,
                        },
                    },
                    registry.FACTORIES,
                ),
            ):
                tried += 1
                if word in table:
                    reached.add(word)
                    continue
                with pytest.raises(InvalidInput):
                    read_value(data)
    assert tried > 20_000
    assert reached == {*registry.SETS, *registry.PLAYERS, *registry.FACTORIES}


def test_no_ledger_reaches_a_callable_outside_the_registry() -> None:
    """The same for policies in ledgers, which hold no methods either."""
    actions = sr.MSets(4, 2)

    def read(data: Any) -> Any:
        return read_policies({"policies": np.frombuffer(json.dumps([data]).encode(), dtype=np.uint8)}, actions)

    for module, name, _ in callables():
        for word in names_of(module, name) - {*registry.POLICIES, *registry.GRAPHS}:
            with pytest.raises(InvalidInput):
                read({"class": word, "holds": {}})
        with pytest.raises(InvalidInput):
            read({"method": name.split(".")[-1], "of": {"set": True}})


@pytest.mark.parametrize("table", TABLES)
def test_every_line_of_the_registry_is_there(table: str) -> None:
    """A name leads to the class or function at that place, which leads back to the name."""
    for name, place in TABLES[table].items():
        found = registry.find(name, "it", TABLES[table])
        assert f"{found.__module__}:{found.__qualname__}" == f"swapregret.{place}"
        assert registry.name_of(found, TABLES[table]) == name
        assert is_dataclass(found) or table != "PLAYERS"


def test_what_is_exported_is_registered() -> None:
    """Every set but the one of functions, every player a factory makes, every factory and every policy can be written to a file."""
    sets = {
        name for name in sr.__all__ if inspect.isclass(kind := getattr(sr, name)) and issubclass(kind, sr.ActionSet)
    }
    assert sets - {"ActionSet", "OracleSet"} == set(registry.SETS)
    assert set(registry.FACTORIES) == {*baselines.__all__, "swap_combcp", "swap_comband"}
    needed = {name for name in vars(Player) if not name.startswith("_")}
    for kind in (thing for module in modules() for thing in vars(module).values() if inspect.isclass(thing)):
        layer = kind.__module__.split(".")[1:2]
        if layer in (["actions"], ["policy"]) and issubclass(kind, Policy) and not inspect.isabstract(kind):
            assert registry.name_of(kind, registry.POLICIES), f"{kind} needs a line in registry.POLICIES"
        if (
            layer == ["learners"]
            and is_dataclass(kind)
            and not inspect.isabstract(kind)
            and needed <= set(dir(kind)) | set(kind.__annotations__)
        ):
            assert registry.name_of(kind, registry.PLAYERS), f"{kind} needs a line in registry.PLAYERS"


def test_a_users_class_is_not_taken_for_ours() -> None:
    """A class that calls itself as one of the registry does, in a module of another package, has no name there."""
    mine = type("MSets", (sr.MSets,), {"__module__": "actions.m_sets"})
    assert registry.name_of(mine, registry.SETS) is None
    assert registry.name_of(type("MSets", (), {}), registry.SETS) is None


ATTACKS = {
    "truncate a file": ("DoublingPlayer", {"function": "swapregret.regret.picture:save_picture"}),
    "end the process": ("OracleSet", {"function": "swapregret.experiments.runs.backends:follow_parent"}),
    "truncate by class": ("DoublingPlayer", {"class": "swapregret.regret.picture:save_picture"}),
    "by a short name": ("DoublingPlayer", {"factory": "save_picture"}),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_session_file_with_a_valid_checksum_calls_nothing(name: str, tmp_path: Path) -> None:
    """Files built to call functions of the package are refused by name, and nothing was touched."""
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    session = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=1)
    metadata, arrays = from_bytes("session", session.snapshot(), "x")
    kind, function = ATTACKS[name]
    metadata["player"] = (
        {"class": "OracleSet", "args": {"list": [2, function]}, "kwargs": {"dict": []}}
        if kind == "OracleSet"
        else {
            "class": "DoublingPlayer",
            "fields": {"factory": function, "actions": str(victim), "options": {"dict": []}, "first_epoch": 10},
        }
    )
    path = tmp_path / "evil.session"
    write_file(path, to_bytes("session", metadata, arrays))
    with pytest.raises(InvalidInput, match=r"evil\.session"):
        sr.Session.load(path)
    assert victim.read_text() == "precious"
    assert {each.name for each in tmp_path.iterdir()} == {"victim.txt", "evil.session"}


def test_resolved_json_follows_the_same_rule(tmp_path: Path) -> None:
    """A folder of results whose set names a function is refused when the set is asked for."""
    evil = {"class": "OracleSet", "args": {"list": [2, {"factory": "save_picture"}]}, "kwargs": {"dict": []}}
    content = {"format": 1, "name": "x", "runs": [], "sets": {"a": {"spec": None, "config": evil}}}
    (tmp_path / "resolved.json").write_text(json.dumps(content))
    with pytest.raises(InvalidInput, match="registry"):
        load_experiment(tmp_path).action_set("a")


def test_policies_are_written_under_their_names() -> None:
    """A ledger names policies as the registry does, and reads them again."""
    actions = sr.Partitions(4, 2)
    policy = actions.exploration_policy()
    arrays = write_policies((policy,))
    (again,) = read_policies(arrays, actions)
    assert np.array_equal(policy.marginals(), again.marginals())


@pytest.mark.parametrize(
    ("name", "value"),
    [("_scores", np.zeros(2)), ("_scores", np.zeros((5, 2))), ("_scores", np.full(5, np.nan)), ("_scores", 10**6)],
)
def test_policies_are_checked_before_they_are_made(name: str, value: Any) -> None:
    """A policy whose arrays are too short for its graph is refused: kernels trust their arrays, and read beyond them."""
    actions = sr.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d")])
    policy = actions.gibbs(np.linspace(0.0, 1.0, 5))
    arrays = write_policies((policy,))
    held = json.loads(bytes(arrays["policies"]))
    if isinstance(value, np.ndarray):
        arrays |= {f"policies.{held[0]['holds'][name]['array']}": value}
    else:
        held[0]["holds"][name] = value
        arrays |= {"policies": np.frombuffer(json.dumps(held).encode(), dtype=np.uint8)}
    with pytest.raises(InvalidInput):
        read_policies(arrays, actions)


def test_a_policy_is_over_the_graph_of_its_set() -> None:
    """A graph in a file must be that of the set, and becomes it; every name of a policy has its checks."""
    actions = sr.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c")])
    other = sr.SpanningTrees([("a", "b"), ("b", "c"), ("a", "d"), ("c", "d")])
    arrays = write_policies((actions.uniform_policy(),))
    (again,) = read_policies(arrays, actions)
    assert parts_of(again)["_graph"] is parts_of(actions.uniform_policy())["_graph"]
    with pytest.raises(InvalidInput, match="graph of the set"):
        read_policies(arrays, other)
    for place in registry.POLICIES:
        assert "of_held" in vars(registry.find(place, "a policy", registry.POLICIES)), place


class _Asked(dict[str, Any]):
    """Values that note the names they are asked for."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


def test_a_file_holds_what_a_policy_is_made_of() -> None:
    """A policy names exactly what its ``of_held`` asks for, and the policy made of it is the same."""
    edges = [(i, j) for i in range(5) for j in range(i)]
    path = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
    sets = [
        sr.MSets(6, 2),
        sr.Permutations(4),
        sr.TruncatedPermutations(2, 4),
        sr.SpanningTrees(edges),
        sr.Forests(edges, size=2),
        sr.DagPaths(path, source="s", sink="t"),
        sr.Partitions(4, 2),
        sr.Partitions(4, 2, coordinates="compact"),
        sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
        sr.Explicit([[1, 0], [0, 1]]),
        sr.Product(sr.MSets(5, 2), sr.Permutations(3)),
    ]
    policies: list[Policy] = [PivotalSubsets(np.full(4, UNIT // 2), 2)]
    for actions in sets:
        explorer = actions.exploration_policy()
        policies += [explorer, actions.decompose(explorer.marginals())]
        policies += [actions.gibbs(np.linspace(0.0, 1.0, actions.dimension))] if actions.has_gibbs else []
    policies.append(sr.mix(policies[1:3], [0.5, 0.5]))
    met = set()
    for policy in policies:
        name = registry.name_of(type(policy), registry.POLICIES) or ""
        held = _Asked({part: getattr(policy, part) for part in policy.made_of})
        again = type(policy).of_held(held, 10**6)
        assert held.names == set(policy.made_of), name
        assert again.marginals() == pytest.approx(policy.marginals(), abs=1e-12)
        met.add(name)
    assert met == set(registry.POLICIES)
