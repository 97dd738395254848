"""The strategies draw what they say, and ask for Hypothesis in plain words where it is missing."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.action_set import ActionSet
from swapregret.testing import check_action_set, strategies
from swapregret.testing.conformance import Report, require, run_checks, skip


@settings(max_examples=20)
@given(strategies.action_sets(5), st.integers(0, 2**32))
def test_sets_of_any_kind_conform(actions: ActionSet, seed: int) -> None:
    """Whatever set is drawn, of whatever rank and sizes, every check of the kit passes on it."""
    report = check_action_set(actions, seed=seed)
    assert "projection" in report.passed


@settings(max_examples=40)
@given(st.data())
def test_points_are_in_the_hull_and_rewards_in_range(data: st.DataObject) -> None:
    """Points decompose, log-weights keep their spread, and no action earns a total outside [0, 1]."""
    actions = data.draw(strategies.action_sets(6))
    point = data.draw(strategies.points(actions))
    assert np.abs(actions.decompose(point).marginals() - point).max() <= 1e-12
    w = data.draw(strategies.log_weights(actions.dimension, spread=7.0))
    assert w.shape == (actions.dimension,)
    assert np.abs(w).max() <= 7.0
    rewards = data.draw(strategies.reward_sequences(actions, max_days=4))
    for row in rewards:
        assert row @ actions.argmax(-row) >= -1e-12
        assert row @ actions.argmax(row) <= 1.0 + 1e-12


def test_hypothesis_is_asked_for_by_name() -> None:
    """Without Hypothesis the package and its checks import; only the strategies say what is missing."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from swapregret.testing import check_action_set\n"
        "try:\n"
        "    import swapregret.testing.strategies\n"
        "except ModuleNotFoundError as error:\n"
        "    sys.exit(0 if 'Hypothesis must be installed' in str(error) else 2)\n"
        "sys.exit(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_crash_is_a_fault_and_names_its_check() -> None:
    """An exception of the subject becomes a fault that names the check and keeps the cause."""

    def crash(case: int) -> None:
        raise KeyError(case)

    with pytest.raises(AssertionError, match="'second' without an exception: got KeyError: 3") as info:
        run_checks("a thing", 3, {"first": lambda case: None, "second": crash})
    assert isinstance(info.value.__cause__, KeyError)
    assert info.value.__notes__ == ["found by the check 'second' of a thing"]


def test_a_report_tells_what_was_done() -> None:
    """Checks that pass and checks that do not apply are told apart; requirements that hold say nothing."""
    require(True, "it must hold", "it did not", "Mend it.")
    report = run_checks("a thing", 3, {"first": lambda case: None, "second": lambda case: skip("no need")})
    assert report == Report("a thing", ("first",), (("second", "no need"),))
    assert str(report) == "a thing: 1 checks passed (first)\n  not applicable: second, no need"
