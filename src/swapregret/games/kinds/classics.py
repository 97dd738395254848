"""Small games with known equilibria."""

import numpy as np

from swapregret.games.kinds.matrix import MatrixGame

__all__ = ["chicken", "gibson", "matching_pennies", "shapley"]


def chicken() -> MatrixGame:
    """Return chicken with payoffs (0, 7; 2, 6): ¼, ¼, ½ on (dare, yield), (yield, dare), (yield, yield) pays 5.25 each.

    Examples
    --------
    >>> chicken().payoffs([[1, 0], [0, 1]])
    array([7., 2.])
    """
    first = np.array([[0.0, 7.0], [2.0, 6.0]])
    return MatrixGame([first, first.T], labels=[["dare", "yield"]] * 2)


def shapley() -> MatrixGame:
    """Return Shapley's game: the first wants to match, the second to be one ahead.

    Learners that only have small external regret go in circles. Uniform play pays ⅓; 1/6 on each of the six pairs that pay
    someone is a correlated equilibrium that pays ½.

    Examples
    --------
    >>> shapley().payoffs([[1, 0, 0], [0, 1, 0]])
    array([0., 1.])
    """
    return MatrixGame([np.eye(3), np.roll(np.eye(3), 1, axis=1)])


def matching_pennies() -> MatrixGame:
    """Return matching pennies, zero-sum, value 0.

    Examples
    --------
    >>> matching_pennies().payoffs([[1, 0], [1, 0]])
    array([ 1., -1.])
    """
    first = np.array([[1.0, -1.0], [-1.0, 1.0]])
    return MatrixGame([first, -first], labels=[["heads", "tails"]] * 2)


def gibson() -> MatrixGame:
    """Return a game in which ½(A,a) + ¼(B,b) + ¼(C,b) has external gap 0 and swap gap ¼ for the first player (Gibson 2013).

    Examples
    --------
    >>> gibson().payoffs([[0, 1, 0], [0, 1]])
    array([2., 0.])
    """
    first = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
    return MatrixGame([first, np.zeros((3, 2))], labels=[["A", "B", "C"], ["a", "b"]])
