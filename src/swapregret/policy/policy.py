r"""What every policy can do: a sample, its marginals, its second moment applied to a vector."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, Words, as_action, as_vector, frozen
from swapregret.errors import InvalidInput, Unsupported
from swapregret.notebook import bar_figure, html_table
from swapregret.policy.held import Held, wrong_policy

if TYPE_CHECKING:
    from swapregret.policy.finite import FinitePolicy

_Value = TypeVar("_Value")
_SHOWN = 20


def once(method: Callable[[Any], _Value]) -> Callable[[Any], _Value]:
    """Have a method of a policy computed when it is first called, and keep the value, arrays read-only."""
    name = f"_{method.__name__}"

    @wraps(method)
    def kept(self: Any) -> _Value:
        if name not in self.__dict__:
            value = method(self)
            self.__dict__[name] = frozen(value) if isinstance(value, np.ndarray) else value
        found: _Value = self.__dict__[name]
        return found

    return kept


class Policy(ABC):
    """A probability distribution over actions. Immutable: a learner that changes its mind makes a new one."""

    dimension: int
    has_atoms: bool = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what pickle kept, and mark arrays read-only again, which pickle forgets."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                frozen(value)
        self.__dict__.update(state)

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one action."""

    def sample_many(self, rng: np.random.Generator, count: int) -> Actions:
        """Draw actions, one per row: those that as many calls of ``sample`` would draw, and leave ``rng`` where they would."""
        rows = np.empty((count, self.dimension), dtype=np.int64)
        for index in range(count):
            rows[index] = self.sample(rng)
        return rows

    @abstractmethod
    def marginals(self) -> Vector:
        """E[M]: how likely each element is to be chosen."""

    @abstractmethod
    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)], without building the matrix."""

    def probability(self, action: npt.ArrayLike) -> float:
        """Return p(M)."""
        return float(self.probabilities(as_action(action, self.dimension)[None])[0])

    def probabilities(self, actions: Actions) -> Vector:
        """Return p(M) of every row; policies that know it in closed form need no list."""
        policy = self.finite()
        return np.array(
            [policy.weights[(policy.atoms == action).all(axis=1)].sum() for action in actions], dtype=np.float64
        )

    def variance(self, vector: Vector) -> float:
        """Return Var(M·v), sums taken from the first element to the last."""
        vector = as_vector(vector, self.dimension, "vector")
        mean = float(np.cumsum(self.marginals() * vector)[-1])
        return max(0.0, float(np.cumsum(vector * self.second_moment(vector))[-1]) - mean * mean)

    def cooccurrence(self) -> Matrix:
        """Σ = E[M Mᵀ] as a dense ``(dimension, dimension)`` matrix."""
        identity = np.eye(self.dimension)
        columns = np.stack([self.second_moment(row) for row in identity])
        return frozen((columns + columns.T) / 2.0)

    def finite(self) -> "FinitePolicy":
        """List the support: the same policy as atoms and weights in canonical order."""
        raise Unsupported(
            "the support of the policy must be small enough to be listed",
            f"{type(self).__name__}, whose support is not listed",
            "Use sample, marginals and second_moment, which need no list.",
        )

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked; ``most`` bounds the elements of the set.

        Only classes that ``swapregret.registry`` names are asked.
        """
        raise wrong_policy("a class with a way to read it", cls.__name__)

    # ---- for people ------------------------------------------------------------------------------------------------

    def plot(self, labels: Sequence[Hashable] | None = None) -> Any:
        """Return the marginals as a Plotly figure, one bar per element (extra ``experiments``).

        Parameters
        ----------
        labels : sequence of hashable, optional
            What to call the elements, e.g. ``actions.labels``; numbers from 0 if not given.
        """
        names = [str(label) for label in (range(self.dimension) if labels is None else labels)]
        if len(names) != self.dimension:
            raise InvalidInput(
                f"`labels` must be {self.dimension} names, one for each element",
                str(len(names)),
                "Pass `actions.labels` of the set the policy belongs to.",
            )
        return bar_figure(names, self.marginals(), title=repr(self), y_title="probability of being chosen")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dimension={self.dimension})"

    def _repr_html_(self) -> str:
        marginals = self.marginals()
        shown = np.argsort(-marginals, kind="stable")[:_SHOWN].tolist()
        left = self.dimension - len(shown)
        note = f"and {left:,} elements that are less likely" if left else ""
        rows = [[str(index), f"{marginals[index]:.4f}"] for index in shown]
        return html_table(repr(self), ["element", "probability of being chosen"], rows, note)

    def packed_support(self) -> tuple[Words, Vector]:
        """List the support as packed bits, with weights; an action may come more than once."""
        return self.finite().packed_support()

    @property
    def atoms(self) -> Actions:
        """Return the support, one action per row, in canonical order."""
        return self.finite().atoms

    @property
    def weights(self) -> Vector:
        """Return the probability of each atom; they add up to exactly 1."""
        return self.finite().weights
