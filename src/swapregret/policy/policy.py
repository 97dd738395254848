r"""What every policy can do: a sample, its marginals, its second moment applied to a vector."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector, Words, as_action, as_vector, frozen
from swapregret.errors import InvalidInput, Unsupported
from swapregret.files.held import Held, wrong_policy
from swapregret.notebook import bar_figure, label_text, marginals_table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from swapregret.policy.finite import FinitePolicy

_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")


def once(method: Callable[[_Owner], _Value]) -> Callable[[_Owner], _Value]:
    """Have a method of a policy computed when it is first called, and keep the value, arrays read-only."""
    name = f"_{method.__name__}"

    @wraps(method)
    def kept(self: _Owner) -> _Value:
        if name not in self.__dict__:
            value = method(self)
            self.__dict__[name] = frozen(value) if isinstance(value, np.ndarray) else value
        found: _Value = self.__dict__[name]
        return found

    return kept


class Named(Protocol):
    """A set as its policies see it."""

    @property
    def labels(self) -> Sequence[Hashable]:
        """What its elements are called."""

    @property
    def between(self) -> str:
        """What stands between the parts of a label."""


class Policy(ABC):
    """A probability distribution over actions. Immutable: a learner that changes its mind makes a new one."""

    dimension: int
    has_atoms: bool = False
    made_of: ClassVar[tuple[str, ...]] = ()
    """What a file holds of it, of which ``of_held`` makes it again."""
    _labels: tuple[Sequence[Hashable], str] | None = None

    def with_labels(self, actions: Named) -> Self:
        """Have this policy call its elements in tables and pictures as its set does, and return it."""
        self.__dict__["_labels"] = actions.labels, actions.between
        return self

    def __getstate__(self) -> dict[str, object]:
        """Leave out the labels: they are their set's."""
        return {name: value for name, value in self.__dict__.items() if name != "_labels"}

    def __setstate__(self, state: dict[str, object]) -> None:
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

    @once
    def finite(self) -> "FinitePolicy":
        """List the support, where ``has_atoms``: the same policy as atoms and weights in canonical order."""
        return self._listed() if self.has_atoms else Policy._listed(self)

    def _listed(self) -> "FinitePolicy":
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

    def _names(self, labels: Sequence[Hashable] | None = None) -> list[str]:
        known, between = self._labels or (range(self.dimension), ", ")
        return [label_text(each, between) for each in (known if labels is None else labels)]

    def plot(self, labels: Sequence[Hashable] | None = None) -> "Figure":
        """Return the marginals as a Plotly figure, one bar per element (extra ``experiments``).

        Parameters
        ----------
        labels : sequence of hashable, optional
            What to call the elements; those of the set that made the policy if not given, numbers where that is not known.
        """
        names = self._names(labels)
        if len(names) != self.dimension:
            raise InvalidInput(
                f"`labels` must be {self.dimension} names, one for each element",
                str(len(names)),
                "Pass `actions.labels` of the set the policy belongs to.",
            )
        return bar_figure(
            names, self.marginals(), title="How likely each element is to be chosen", y_title="probability"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dimension={self.dimension})"

    def _repr_html_(self) -> str:
        return marginals_table(repr(self), self._names(), self.marginals())

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
