"""What a notebook shows: one line or a small table for every object, HTML that is well formed, figures, frames."""

import inspect
import pickle
import sys
import types
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.environments import Environment
from swapregret.errors import InvalidInput, Unsupported
from swapregret.games import SelfPlayResult, certify, product_play
from swapregret.notebook import Line, line_figure, log_ticks
from swapregret.results import Experiment, RunDetail, RunInfo

ACTIONS = sr.MSets(5, 2, labels="abcde")
PLAYER = sr.swap_combcp(ACTIONS, 400, preset="multiscale")
POLICY, GAME = sr.FinitePolicy([[1, 0], [0, 1]], [0.5, 0.5]), sr.games.chicken()
EDGES = [("a", "b"), ("b", "c"), ("a", "c")]


@pytest.fixture(scope="module")
def result() -> sr.PlayResult:
    """Return a play of three replications."""
    return sr.play(PLAYER, world(), rng=0, replications=3)


@cache
def world() -> Environment:
    """Return the world of most tests."""
    return sr.environments.cyclic(ACTIONS, 400, rng=0)


@cache
def played() -> sr.PlayResult:
    """Return a play of one replication."""
    return sr.play(PLAYER, world(), rng=0)


@cache
def learned() -> SelfPlayResult:
    """Return the play of a game."""
    return sr.games.self_play(GAME, [sr.baselines.uniform(actions) for actions in GAME.action_sets], 20, rng=0)


@cache
def audited() -> Any:
    """Return the audit of three days."""
    return sr.audit(ACTIONS, [("a", "b")] * 3, [[0.1, 0.2, 0.3, 0.1, 0.1]] * 3)


def begun() -> sr.Session:
    """Return a session at its first day."""
    return sr.Session(PLAYER, rng=0)


OBJECTS: Late[Any] = Late(
    {
        "MSets": lambda: ACTIONS,
        "Permutations": lambda: sr.Permutations(3),
        "TruncatedPermutations": lambda: sr.TruncatedPermutations(2, 3),
        "SpanningTrees": lambda: sr.SpanningTrees(EDGES),
        "Forests": lambda: sr.Forests(EDGES, size=1),
        "DagPaths": lambda: sr.DagPaths(EDGES, source="a", sink="c"),
        "Partitions": lambda: sr.Partitions(4, 3),
        "Plans": lambda: sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
        "Explicit": lambda: sr.Explicit(np.eye(40, dtype=int)),
        "OracleSet": lambda: sr.OracleSet(3, lambda w: (np.arange(3) == np.argmax(w)).astype(int)),
        "Product": lambda: sr.Product(sr.MSets(3, 1), sr.Permutations(3)),
        "Decision": lambda: begun().act(),
        "FinitePolicy": lambda: POLICY,
        "Mixture": lambda: sr.mix([POLICY, sr.FinitePolicy([[1, 0]], [1.0])], [0.5, 0.5]),
        "PlayResult": played,
        "Regret": lambda: played().swap_regret,
        "Schedule": lambda: PLAYER.schedule,
        "Session": begun,
        "Log": lambda: sr.Log.read([([1, 1, 0, 0, 0], 0.5)], sr.MSets(5, 2)),
        "Evaluation": lambda: sr.evaluate([([1, 0], 0.5)] * 9, [1, 0], actions=sr.MSets(2, 1), policies="uniform"),
        "networks.Network": lambda: sr.networks.Network(EDGES * 100, directed=True),
        "environments.Environment": world,
        "games.Game": lambda: GAME,
        "games.CorrelatedPlay": lambda: product_play(GAME, [POLICY, POLICY]),
        "games.BestEquilibrium": lambda: sr.games.best_correlated_equilibrium(GAME),
        "games.Certificate": lambda: certify(product_play(GAME, [POLICY, POLICY])),
        "games.Gap": lambda: product_play(GAME, [POLICY, POLICY]).swap_gap(0),
        "games.SelfPlayResult": learned,
        "games.Checkpoint": lambda: learned().history[-1],
        "results.Experiment": lambda: Experiment(Path("trees"), "trees", (), {}),
        "results.RunDetail": lambda: RunDetail("1a2b", np.arange(3), np.zeros((3, 5)), None, None, ACTIONS, {}),
        "results.RunInfo": lambda: RunInfo("1a2b", "msets 5 2", "cyclic", "adaptive", 400, 0),
        "audit": audited,
        "best swap": lambda: audited().best_swap,
        "exchange": lambda: audited().best_swap.exchanges[0],
        "curve": lambda: played().curve(),
        "testing.Report": lambda: sr.testing.Report("a set", ("oracle",)),
    }
)
"""One object of every exported class that people hold in their hands."""
ABSTRACT = {"ActionSet", "Policy"}


def test_every_exported_class_is_here() -> None:
    """A new public class must be added to the list above; baselines are players, shown as dataclasses are."""
    modules = {name: thing for name in sr.__all__ if inspect.ismodule(thing := getattr(sr, name))}
    inner = {(f"{name}.{each}", getattr(module, each)) for name, module in modules.items() for each in module.__all__}
    exported = {(name, getattr(sr, name)) for name in sr.__all__} | inner
    classes = {
        name for name, kind in exported if inspect.isclass(kind) and not issubclass(kind, (Exception, sr.games.Game))
    }
    assert {name for name in classes - ABSTRACT if not name.startswith("baselines.")} <= set(OBJECTS)


def test_every_game_is_shown_alike() -> None:
    """A game is one line, made in one place."""
    kinds = [getattr(sr.games, name) for name in sr.games.__all__ if inspect.isclass(getattr(sr.games, name))]
    assert {kind.__repr__ for kind in kinds if issubclass(kind, sr.games.Game)} == {sr.games.Game.__repr__}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_short(name: str) -> None:
    """One line of at most 120 characters, or a small table; never an address or an array."""
    shown = repr(OBJECTS[name])
    assert "object at 0x" not in shown
    assert "array(" not in shown
    lines = shown.splitlines()
    assert all(len(line) <= 120 for line in lines)
    assert len(lines) <= (12 if name in ("PlayResult", "audit", "curve", "Evaluation", "games.SelfPlayResult") else 1)


class Tags(HTMLParser):
    """Follows which tags are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Open a tag."""
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close it, and no other."""
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    "name",
    [
        "PlayResult",
        "FinitePolicy",
        "Mixture",
        "games.CorrelatedPlay",
        "games.Certificate",
        "games.SelfPlayResult",
        "audit",
        "best swap",
        "curve",
    ],
)
def test_html_is_a_table_with_every_tag_closed(name: str) -> None:
    """Results, policies and certificates are tables in a notebook."""
    reader = Tags()
    reader.feed(OBJECTS[name]._repr_html_())
    assert reader.open == []
    assert OBJECTS[name]._repr_html_().startswith("<table>")


def test_labels_cannot_break_the_page() -> None:
    """Whatever elements are called, the page shows it as text."""
    actions = sr.MSets(2, 1, labels=["<script>", "b"])
    report = sr.audit(actions, [["<script>"]], [[0.0, 1.0]])
    assert "<script>" not in report.best_swap._repr_html_()


# ---- over time -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["adaptive", "multiscale", "paper"])
def test_checkpoints_do_not_change_the_play(preset: str) -> None:
    """A play that is looked at earns, bit for bit, what one that is not does; regrets are equal up to the order of sums."""
    player = sr.swap_combcp(ACTIONS, 400, preset=preset)
    looked = sr.play(player, world(), rng=3, replications=2, checkpoints=[7, 100, 333])
    plain = sr.play(player, world(), rng=3, replications=2, checkpoints=0)
    assert looked.days == (7, 100, 333, 400)
    assert plain.days == (400,)
    assert [run.reward for run in plain.runs] == [run.reward for run in looked.runs]
    assert looked.swap_regret.value == pytest.approx(plain.swap_regret.value, rel=1e-10)
    assert looked.external_regret.value == pytest.approx(plain.external_regret.value, rel=1e-10)


def test_a_point_of_the_curve_is_a_shorter_play(result: sr.PlayResult) -> None:
    """Value, reward and bands at a checkpoint are those of a play that ended there."""
    curve = result.curve()
    assert curve.days.tolist() == [3, 6, 12, 25, 50, 100, 200, 400]
    assert curve.swap_regret.value[-1] == result.swap_regret.value
    assert curve.external_regret.value[-1] == result.external_regret.value
    assert curve.reward.value[-1] == result.reward
    days = 100
    levels = world().levels
    short = sr.environments.environment.Environment("short", ACTIONS, days, levels, world().entropy)
    ended = sr.play(PLAYER, short, rng=0, replications=3)
    assert curve.swap_regret.value[5] == pytest.approx(ended.swap_regret.value)
    assert curve.reward.value[5] == pytest.approx(ended.reward)
    for each in (curve.reward, curve.external_regret, curve.swap_regret):
        assert (each.low <= each.value + 1e-12).all()
        assert (each.value <= each.high + 1e-12).all()
    assert (curve.swap_regret.low >= 0.0).all()


def test_one_replication_has_brackets_and_no_interval() -> None:
    """Nothing is known of the spread of one run: its reward has no band, its regrets their certified bracket."""
    curve = sr.play(PLAYER, world(), rng=0).curve()
    assert np.isnan(curve.reward.low).all()
    assert np.isfinite(curve.swap_regret.low).all()


@pytest.mark.parametrize(("measure", "has_regret"), [("ledger", True), ("bound", True), ("none", False)])
def test_every_measure_has_a_curve(measure: str, has_regret: bool) -> None:
    """What was not measured is not shown; reward always is."""
    result = sr.play(PLAYER, world(), rng=0, replications=2, measure=measure)
    assert np.isfinite(result.curve().swap_regret.value).all() == has_regret
    assert "reward per day" in repr(result)
    names = {trace.name for trace in result.plot().data}
    assert ("swap regret" in names) == has_regret
    assert "reward" in names


def test_frames_hold_the_curve(result: sr.PlayResult) -> None:
    """One row per checkpoint, regrets as totals and per round, reward and bands."""
    frame = result.to_frame()
    assert frame["day"].to_list() == list(result.days)
    assert frame["swap"][-1] == result.swap_regret.value
    assert frame["swap_per_round"][-1] == pytest.approx(result.swap_regret.per_round)
    assert {"reward", "reward_low", "reward_high", "external", "swap_low", "swap_high"} <= set(frame.columns)
    alone = sr.play(PLAYER, world(), rng=0).to_frame()
    assert alone["reward_low"].null_count() == len(alone)


def test_costs_are_called_costs() -> None:
    """A play that counts costs shows them."""
    dear = sr.environments.replay(ACTIONS, np.full((50, 5), 3.0), cost_range=(0, 10))
    result = sr.play(sr.baselines.uniform(ACTIONS), dear, rng=0)
    assert "cost per day" in repr(result)
    assert "cost" in result.to_frame().columns
    assert any(trace.name == "cost" for trace in result.plot().data)


@pytest.mark.parametrize("checkpoints", [-1, 1.5, [0], [401], ["a"]])
def test_wrong_checkpoints_are_refused(checkpoints: Any) -> None:
    """Checkpoints are a count, or days of the play."""
    with pytest.raises(InvalidInput, match="checkpoints"):
        sr.play(PLAYER, world(), rng=0, checkpoints=checkpoints)


# ---- figures -------------------------------------------------------------------------------------------------------


def test_figures_are_plotly_figures(result: sr.PlayResult) -> None:
    """A play, a policy and a correlated play are drawn by Plotly, with titles on all axes, and survive JSON."""
    from plotly.graph_objects import Figure

    game = sr.games.shapley()
    policy = [actions.uniform_policy() for actions in game.action_sets]
    three = sr.games.MatrixGame(np.zeros((3, 2, 2, 2)))
    policies = [actions.uniform_policy() for actions in three.action_sets]
    figures = [
        result.plot(),
        ACTIONS.uniform_policy().plot(ACTIONS.labels),
        product_play(game, policy).plot(),
        product_play(three, policies).plot(),
    ]
    for figure in figures:
        assert isinstance(figure, Figure)
        assert figure.layout.title.text
        assert Figure(figure.to_plotly_json()) == figure
    assert np.asarray(figures[2].data[0].z, dtype=float).sum() == pytest.approx(1.0)
    assert list(figures[1].data[0].x) == list("abcde")
    assert [figures[0].layout.yaxis.title.text, figures[0].layout.yaxis2.title.text] == [
        "regret per round",
        "reward per day",
    ]


def test_plays_are_drawn_over_each_other(result: sr.PlayResult) -> None:
    """Several plays share a figure: a line each for swap regret and for reward, one colour and one place in the legend per name."""
    other = sr.play(sr.baselines.uniform(ACTIONS), world(), rng=0)
    figure = sr.plot({"ours": result, "uniform": other})
    lines = [line for line in figure.data if line.mode == "lines+markers"]
    assert [(line.name, line.yaxis, line.showlegend) for line in lines] == [
        ("ours", "y", True),
        ("uniform", "y", True),
        ("ours", "y2", False),
        ("uniform", "y2", False),
    ]
    assert lines[0].line.color == lines[2].line.color != lines[1].line.color
    assert lines[1].y[-1] == pytest.approx(other.swap_regret.per_round)
    assert {line.name for line in sr.plot([result, other]).data if line.showlegend} == {"play 1", "play 2"}
    with pytest.raises(InvalidInput, match="`names` must be 2 different names"):
        sr.plot([result, other], names=["one"])
    for wrong in ([], result, [result, 3]):
        with pytest.raises(InvalidInput, match="`results` must be plays"):
            sr.plot(wrong)
    dear = sr.environments.replay(ACTIONS, np.full((9, 5), 3.0), cost_range=(0, 10))
    with pytest.raises(InvalidInput, match="must count the same"):
        sr.plot([result, sr.play(sr.baselines.uniform(ACTIONS), dear, rng=0)])


def test_self_play_has_a_figure_and_a_frame() -> None:
    """Gaps and rewards of every player over the checkpoints, also where no gaps were measured."""
    frame, last = learned().to_frame(), learned().history[-1]
    assert frame["player"].to_list() == list(GAME.names) * len(learned().history)
    assert frame.filter(frame["day"] == 20)["swap"].to_list() == list(last.swap)
    assert {(line.name, line.yaxis) for line in learned().plot().data} == {
        (n, y) for n in GAME.names for y in ("y", "y2")
    }
    players = [sr.baselines.uniform(actions) for actions in GAME.action_sets]
    plain = sr.games.self_play(GAME, players, 20, rng=0, measure="none")
    assert plain.to_frame()["swap"].null_count() == len(plain.to_frame())
    assert [line.yaxis for line in plain.plot().data] == ["y", "y"]


def test_labels_reach_policies_sessions_and_pictures() -> None:
    """Elements are called by their labels wherever they are shown, edges by their ends; pickles do not carry the names."""
    session = begun()
    decision = session.act()
    for policy in (decision.policy, session.policy(), ACTIONS.uniform_policy(), ACTIONS.exploration_policy()):
        assert list(policy.plot().data[0].x) == list("abcde")
    assert "<td>a</td>" in session._repr_html_()
    assert "<td>a</td>" in ACTIONS.decompose(np.full(5, 0.4))._repr_html_()
    routes = OBJECTS["DagPaths"].uniform_policy()
    assert list(routes.plot().data[0].x) == ["a → b", "b → c", "a → c"]
    assert "a → b" not in pickle.loads(pickle.dumps(routes))._repr_html_()
    game = sr.games.MatrixGame(np.zeros((3, 2, 2, 2)))
    assert list(product_play(game, [a.uniform_policy() for a in game.action_sets]).plot().data[0].x) == ["0", "1"]


def test_jupyter_shows_a_figure_without_nbformat(result: sr.PlayResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Plotly would show in a notebook is shown, though nbformat is not installed."""
    import plotly.io

    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")
    shown: list[dict[str, object]] = []
    module = types.ModuleType("IPython.display")
    module.display = lambda bundle, raw: shown.append(bundle)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    result.plot()._ipython_display_()
    assert [list(bundle) for bundle in shown] == [["application/vnd.plotly.v1+json"]]


@pytest.mark.parametrize(("low", "high"), [(50, 20_000), (0.004, 0.2), (0.3, 0.4), (2, 1e6)])
def test_logarithmic_axes_are_labelled_by_whole_numbers(low: float, high: float) -> None:
    """Every tick says its whole number, "0.05" or "20k": no lone digits between powers of ten."""
    ticks = log_ticks([low, high])
    assert ticks["tickformat"] in ("~s", "~g")
    assert ticks.get("dtick") in (None, 1, "D2")


def test_bands_are_drawn_where_they_are_known() -> None:
    """A band of nothing but NaN is left out, and so is the part of one that is not known."""
    none = line_figure([Line("a", [1, 2], [1, 2], [np.nan] * 2, [np.nan] * 2)], title="t", x_title="x", y_titles=["y"])
    assert len(none.data) == 1
    some = line_figure([Line("a", [1, 2], [1, 2], [np.nan, 1], [2, 3])], title="t", x_title="x", y_titles=["y"])
    assert list(some.data[0].x) == [2.0, 2.0]


def test_wrong_labels_and_a_missing_plotly_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few names are refused, and so is a figure without Plotly, with the extra that brings it."""
    policy = ACTIONS.uniform_policy()
    with pytest.raises(InvalidInput, match="must be 5 names"):
        policy.plot("abc")
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(
        Unsupported,
        match=r"the extra `experiments` must be installed for a figure: got no plotly.*swapregret\[experiments\]",
    ):
        policy.plot()


def test_a_folder_of_results_says_how_far_it_is() -> None:
    """An experiment counts the runs that are there."""
    assert repr(OBJECTS["results.Experiment"]) == "Experiment('trees', 0 of 0 runs finished, in 'trees')"
