"""Every exception is one sentence of three parts, and can be caught under its everyday name."""

import inspect
import pickle

import pytest

from swapregret import errors

CLASSES = [getattr(errors, name) for name in errors.__all__]


def test_the_sentence_has_one_form() -> None:
    """What must hold; what came; what to do; all three can be read apart."""
    error = errors.InvalidInput("`size` must be in 1..4", "7", "Choose a smaller size.")
    assert str(error) == "`size` must be in 1..4: got 7. Choose a smaller size."
    assert (error.must, error.came, error.do) == ("`size` must be in 1..4", "7", "Choose a smaller size.")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_exception_is_in_the_tree_and_in_its_drawing(kind: type[Exception]) -> None:
    """Every public exception descends from the root and is drawn in the module's docstring."""
    assert issubclass(kind, errors.SwapRegretError)
    assert kind.__name__ in (errors.__doc__ or "")


def test_nothing_is_left_out_of_the_public_list() -> None:
    """Every exception class defined in the module is exported."""
    defined = {
        name
        for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, Exception) and thing.__module__ == errors.__name__
    }
    assert defined == set(errors.__all__)


@pytest.mark.parametrize(
    ("kind", "everyday"),
    [
        (errors.InvalidInput, ValueError),
        (errors.InvalidAction, errors.InvalidInput),
        (errors.InvalidReward, errors.InvalidInput),
        (errors.InvalidSchedule, errors.InvalidInput),
        (errors.ProtocolError, RuntimeError),
        (errors.OracleFault, RuntimeError),
        (errors.Unsupported, TypeError),
        (errors.TooLarge, ValueError),
        (errors.NotConverged, ArithmeticError),
        (errors.ConformanceError, AssertionError),
    ],
)
def test_exceptions_are_also_what_people_catch(kind: type[errors.SwapRegretError], everyday: type[Exception]) -> None:
    """A caller who has never heard of the tree catches them by the built-in name."""
    with pytest.raises(everyday):
        raise kind("it must hold", "nothing", "Try again.")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_exceptions_survive_the_way_between_processes(kind: type[errors.SwapRegretError]) -> None:
    """A worker process can hand its exception to the parent unchanged."""
    error = pickle.loads(pickle.dumps(kind("must", "came", "Do.")))
    assert type(error) is kind
    assert str(error) == "must: got came. Do."
