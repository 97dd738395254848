"""Specs: what may be written, what any list means, and how each mistake is told."""

import importlib.resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.set_specs import make_set
from swapregret.counts import nearest
from swapregret.errors import InvalidInput
from swapregret.experiments.catalogue import ENVIRONMENT_KINDS, PLAYER_KINDS, parameters_of
from swapregret.experiments.experiment_spec import parse_spec, read_spec
from swapregret.experiments.runs.plan_runs import RunPlan, plan_runs

BASE = """
horizons = [100, 200]
replications = 2
sets = ["msets 6 2"]
environments = ["cyclic"]
players = ["uniform"]
"""


def plan(text: str, folder: Path = Path()) -> RunPlan:
    """Expand a spec."""
    return plan_runs(parse_spec(text), folder)


def labels(text: str, name: str) -> list[str]:
    """Return the labels of one axis of the grid."""
    return list(plan(text).resolved[name])


def test_the_runs_are_the_product() -> None:
    """2 horizons × 2 environments × 3 players × 2 replications; identities are all different."""
    found = plan(
        BASE.replace('["cyclic"]', '[{kind = "cyclic", phases = [7, 31]}]').replace(
            '["uniform"]', '["uniform", {kind = "swap_combcp", preset = ["multiscale", "paper"], name = "ours"}]'
        )
    )
    assert len(found.tasks) == 2 * 2 * 3 * 2
    assert len({task.info.id for task in found.tasks}) == len(found.tasks)
    assert list(found.resolved["environments"]) == ["cyclic phases=7", "cyclic phases=31"]
    assert list(found.resolved["players"]) == ["uniform", "ours preset=multiscale", "ours preset=paper"]
    assert found.tasks[0].marks == (50, 100)


def test_lists_that_are_values_stay_values() -> None:
    """A schedule is a list; a list of lists is a grid of schedules; edges are a list of pairs."""
    text = BASE.replace('["uniform"]', '[{kind = "swap_combcp", preset = "multiscale", schedule = SCHEDULE}]')
    assert len(labels(text.replace("SCHEDULE", "[1, 4, 16]"), "players")) == 1
    assert len(labels(text.replace("SCHEDULE", "[[1, 4, 16], [2, 8]]"), "players")) == 2
    paths = '[{kind = "paths", edges = [["s", "a"], ["a", "t"], ["s", "t"]], source = "s", sink = "t"}]'
    assert len(plan(BASE.replace('["msets 6 2"]', paths)).tasks) == 4


def test_the_starter_is_a_spec() -> None:
    """What `swapregret init` writes can be expanded, and says what it has on every axis."""
    starter = importlib.resources.files("swapregret.cli") / "starter.toml"
    found = plan(starter.read_text(encoding="utf-8"))
    assert len(found.tasks) == 2 * 3 * 4 * 4
    assert "single learner" in found.resolved["players"]


def test_an_environment_may_bring_its_own_set() -> None:
    """The shortcut DAG needs no `sets`, and its set is written down with the results."""
    text = 'horizons = 60\nenvironments = {kind = "shortcut_dag", length = [2, 3]}\nplayers = "uniform"\n'
    found = plan(text)
    assert [task.info.set for task in found.tasks] == ["set of shortcut_dag length=2", "set of shortcut_dag length=3"]
    assert set(found.resolved["sets"]) == {task.info.set for task in found.tasks}


def test_identity_is_what_a_result_depends_on(tmp_path: Path) -> None:
    """Names, folders and other entries do not matter; seed, parameters, horizon and the contents of files do."""

    def first(text: str, folder: Path = Path()) -> str:
        return plan(text, folder).tasks[0].info.id

    assert first(BASE) == first('name = "x"\n' + BASE.replace("[100, 200]", "[100]"), tmp_path)
    assert first(BASE) == first(BASE.replace('["uniform"]', '[{kind = "uniform", name = "chance"}]'))
    for change in [("[100, 200]", "[101]"), ('"cyclic"', '{kind = "cyclic", phases = 9}'), ("msets 6 2", "msets 6 3")]:
        assert first(BASE) != first(BASE.replace(*change)), change
    assert first(BASE) != first("seed = 1\n" + BASE)
    assert first(BASE) != first(BASE + "[measure]\nrealised = true\n")
    replayed = BASE.replace('"cyclic"', '{kind = "replay", file = "days.csv"}')
    (tmp_path / "days.csv").write_text("1,0,0,0,0,0\n")
    before = first(replayed, tmp_path)
    (tmp_path / "days.csv").write_text("0,1,0,0,0,0\n")
    assert first(replayed, tmp_path) != before


@pytest.mark.parametrize(
    ("change", "field", "rest"),
    [
        (("players", "player"), "the spec", "Did you mean 'players'?"),
        (('"uniform"', '"unifrom"'), "players[0].kind", "Did you mean 'uniform'?"),
        (('"cyclic"', '"cycle"'), "environments[0].kind", "Did you mean 'cyclic'?"),
        (('"cyclic"', '{kind = "cyclic", phase = 3}'), "environments[0]", "Did you mean 'phases'?"),
        (('"uniform"', '{kind = "exp3", learning_rat = 3}'), "players[0]", "Did you mean 'learning_rate'?"),
        (('"uniform"', '{kind = "swap_combcp", preset = "adaptiv"}'), "players[0]", "'adaptive'"),
        (('"uniform"', '{kind = "swap_combcp", exploration = "much"}'), "players[0]", "much"),
        (('"uniform"', "{preset = 3}"), "players[0]", "must have a `kind`"),
        (('"uniform"', '"uniform", "uniform"'), "players[1]", "twice"),
        (('"msets 6 2"', '"msets 6 2", "msets  6 2"'), "sets[1]", "twice"),
        (('"uniform"', '{kind = "exp3", learning_rate = [1, 1.0]}'), "players[0]", "twice"),
        (("[100, 200]", '"1e9999999"'), "horizons[0]", "whole number"),
        (("[100, 200]", "[5, true]"), "horizons[1]", "got True"),
        (("[100, 200]", "1e9999"), "horizons[0]", "whole number"),
        (('["uniform"]', "3"), "players[0]", "a text or a dict"),
        (('"cyclic"', '{kind = "cyclic", phases = []}'), "environments[0].phases", "empty"),
        (('"cyclic"', '{kind = "cyclic", phases = 0}'), "environments[0]", "phases"),
        (('"cyclic"', '{kind = "replay", file = "no.csv"}'), "environments[0]", "no.csv"),
        (('"cyclic"', '{kind = "mixture", parts = [{kind = "idd"}]}'), "environments[0]", "Did you mean 'iid'?"),
        (('"msets 6 2"', '"mset 6 2"'), "sets", "Did you mean 'msets'?"),
        (('"msets 6 2"', '"msets 6 9"'), "sets[0]", "size"),
        (('"msets 6 2"', '{kind = "msets", dimension = 6}'), "sets[0]", "`size`"),
        (('"msets 6 2"', '{kind = "trees", fil = "x.csv"}'), "sets[0]", "Did you mean 'file'?"),
        (('"msets 6 2"', '{kind = "trees", file = "x.xml"}'), "sets[0]", "'.gml'"),
        (('"msets 6 2"', '"msets 6 2", {kind = "trees", fil = "x.csv"}'), "sets[1]", "Did you mean 'file'?"),
        (("sets = ", "seed = "), "seed", "whole number"),
        (("replications = 2", "replications = 0"), "replications", "1..100000"),
        (("[100, 200]", "[100, 2.5]"), "horizons[1]", "2.5"),
        (("horizons = [100, 200]", ""), "horizons", "must be given"),
        (("replications = 2", 'measure = "legder"'), "measure.regrets", "Did you mean 'ledger'?"),
        (("replications = 2", "measure = {certficate = true}"), "measure", "Did you mean 'certificate'?"),
        (("replications = 2", "checkpoints = {ratio = 1.0}"), "checkpoints.ratio", "1.01"),
        (("replications = 2", "replications = ["), "the spec", "TOML"),
        (("sets = ", "#"), "sets", "must be given"),
        (("replications = 2", '"[/bold] x" = 1'), "the spec", "[/bold] x"),
        (("replications = 2", 'measure = {"dict" = 1}'), "measure", "'dict'"),
    ],
)
def test_a_mistake_is_told_with_its_field_and_the_nearest_name(change: tuple[str, str], field: str, rest: str) -> None:
    """Every mistake names the field and either what was meant or what is wrong with the value."""
    with pytest.raises(InvalidInput) as caught:
        plan(BASE.replace(*change))
    sentence = str(caught.value)
    assert field in sentence
    assert rest in sentence


def test_sets_that_only_look_alike_are_told_apart() -> None:
    """Two graphs of one grid whose edges are too many to be written out have names of their own."""
    graphs = [[[i, i + 1] for i in range(first, first + 9)] for first in (0, 1)]
    found = labels(BASE.replace('"msets 6 2"', f'{{kind = "trees", edges = {graphs}}}'), "sets")
    assert found == ["trees edges=[9 entries]", "trees edges=[9 entries] #2"]


def test_all_mistakes_are_told_at_once() -> None:
    """A file with three wrong fields gets three sentences."""
    with pytest.raises(InvalidInput) as caught:
        parse_spec("horizons = 0\nsead = 1\nenvironments = []\nplayers = 'uniform'")
    assert str(caught.value).count("must") == 3


@settings(max_examples=60)
@given(st.sampled_from(sorted(PLAYER_KINDS + ENVIRONMENT_KINDS)), st.data())
def test_one_wrong_letter_is_guessed(name: str, data: st.DataObject) -> None:
    """A name with one letter dropped or doubled is recognised among all kinds."""
    index = data.draw(st.integers(0, len(name) - 1))
    known = PLAYER_KINDS if name in PLAYER_KINDS else ENVIRONMENT_KINDS
    wrong = data.draw(st.sampled_from([name[:index] + name[index + 1 :], name[: index + 1] + name[index:]]))
    assert wrong in known or nearest(wrong, known) is not None
    if wrong not in known and len(name) > 4:
        assert nearest(wrong, known) == name


@pytest.mark.parametrize("kind", PLAYER_KINDS)
def test_every_player_lists_its_parameters(kind: str) -> None:
    """No kind offers what the spec gives itself."""
    assert not {"actions", "horizon", "rng", "ingredients"} & set(parameters_of(kind))


TEXT = 'horizons = 100\nsets = "msets 6 2"\nenvironments = "iid"\nplayers = "uniform"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TEXT.replace("100", str(2**63)), "must be below 2⁶³"),
        (TEXT.replace("100", "1" * 5000), "must be TOML"),
        (TEXT.replace("100", "[]"), r"`horizons` must have at least one entry: got \[\]. Write e.g. horizons"),
        (TEXT + "replications = 1_000_000_000\n", "`replications` must be a whole number, 1..100000"),
        (TEXT + "name = " + "[" * 300 + "]" * 300 + "\n", "must have at most 32 levels"),
        (TEXT + "name = " + "[" * 5000 + "]" * 5000 + "\n", "must have at most 32 levels"),
    ],
)
def test_limits_of_a_spec(text: str, sentence: str) -> None:
    """Horizons beyond 64 bits, numbers of 5,000 digits, deep nesting, too many replications: a sentence each."""
    with pytest.raises(InvalidInput, match=sentence):
        parse_spec(text)


def test_a_spec_of_many_megabytes_is_not_read(tmp_path: Path) -> None:
    """The size is looked at before the file is."""
    (tmp_path / "spec.toml").write_text(TEXT + "#" * 5_000_000)
    with pytest.raises(InvalidInput, match=r"must be at most 4 MiB"):
        read_spec(tmp_path / "spec.toml")


def test_grids_have_an_end(tmp_path: Path) -> None:
    """A grid of millions of combinations, or of runs, is refused before it is made."""
    many = ", ".join(f"0.{number:03d}" for number in range(1, 100))
    grid = f'players = {{kind = "exp3", learning_rate = [{many}], exploration = [{many}]}}\n'
    with pytest.raises(InvalidInput, match="at most 5,000 combinations: got 9,801"):
        plan_runs(parse_spec(TEXT.replace('players = "uniform"\n', grid)), tmp_path)
    with pytest.raises(InvalidInput, match=r"at most 1,000,000 runs: got 2,000,000: 20 horizons"):
        plan_runs(parse_spec(TEXT.replace("100", f"{list(range(100, 120))}") + "replications = 100_000\n"), tmp_path)


def test_a_disconnected_graph_is_refused_unless_asked_for(tmp_path: Path) -> None:
    """Spanning trees of two islands do not exist; the larger one is played if the spec says so."""
    edges = [["a", "b"], ["b", "c"], ["a", "c"], ["x", "y"]]
    with pytest.raises(InvalidInput, match=r"must be connected: got 4 edges, .* has 3.*largest_component = true"):
        make_set({"kind": "trees", "edges": edges}, tmp_path)
    made = make_set({"kind": "trees", "edges": edges, "largest_component": True}, tmp_path)
    assert (made.dimension, made.size) == (3, 2)
    with pytest.raises(InvalidInput, match="true or false"):
        make_set({"kind": "trees", "edges": edges, "largest_component": "yes"}, tmp_path)
    assert make_set({"kind": "trees", "edges": edges[:3]}, tmp_path).size == 2
