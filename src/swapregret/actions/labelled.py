"""What a set was made from, kept as it was then, how it is written in a spec, and its actions as people read them and listed.

A file that holds a session names the set by the arguments of its constructor. These must not change when the caller goes on
to use the list or array that was handed over, and an iterator must still be there after the constructor has read it.
"""

import inspect
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Integers, Label, as_action, as_integer, as_labels, check_memory
from swapregret.counts import count_in_words, shown
from swapregret.errors import InvalidAction, TooLarge
from swapregret.geometry.oracle import enumerate_actions

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet
    from swapregret.networks.network import Network
    from swapregret.policy import Policy

SpecValues: TypeAlias = dict[str, Any]
"""What a table that describes a set holds, by name."""
ENUMERATION_LIMIT = 100_000
"""How many actions ``enumerate`` lists before it asks to be told otherwise."""
_Asked = ParamSpec("_Asked")


def labelled(method: "Callable[_Asked, Policy]") -> "Callable[_Asked, Policy]":
    """Have the policy that a method of a set returns know the labels of the set."""

    @wraps(method)
    def labelling(*args: _Asked.args, **options: _Asked.kwargs) -> "Policy":
        actions: Any = args[0]
        return method(*args, **options).with_labels(actions)

    return labelling


def kept(value: Any) -> object:
    """Return an argument as it is now: arrays, lists and dicts copied, iterators and views listed, the rest as it is.

    Examples
    --------
    >>> rows = [[1, 0], [0, 1]]
    >>> copy = kept(rows)
    >>> rows[0][0] = 5
    >>> copy, kept(iter("ab")), kept({"s": 1}.keys())
    ([[1, 0], [0, 1]], ['a', 'b'], ['s'])
    """
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(kept(item) for item in value)
    if type(value) is dict:
        return {key: kept(item) for key, item in value.items()}
    if isinstance(value, Iterator) or (isinstance(value, Set) and not isinstance(value, set | frozenset)):
        return [kept(item) for item in value]
    return value


class Remembering(ABCMeta):
    """The class of action sets: constructors are called with arguments that nobody else can change."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        """Make a set from arguments as they are now."""
        return super().__call__(
            *(kept(value) for value in args), **{name: kept(value) for name, value in kwargs.items()}
        )

    @property
    def __signature__(cls) -> inspect.Signature:
        """The arguments of the constructor, for ``help`` and notebooks, which would otherwise see those of ``__call__``."""
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        return signature.replace(
            parameters=list(signature.parameters.values())[1:], return_annotation=inspect.Signature.empty
        )


class Labelled(metaclass=Remembering):
    """Elements with names, of which actions choose some, a best one for all weights; made again from the arguments."""

    spec_texts: ClassVar[tuple[str, ...]] = ()
    """Which arguments of a line that describes the set are no numbers (``actions.set_specs``)."""
    spec_options: ClassVar[tuple[str, ...]] = ()
    """What a table that describes it may hold besides the arguments of a line."""
    between: ClassVar[str] = ", "
    """What stands between the two ends of an edge, or the parts of another label, in tables and pictures."""
    arguments: tuple[tuple[Any, ...], SpecValues]
    """The arguments the set was made from: what a file needs to make it again."""

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """Remember the arguments of the constructor."""
        made = super().__new__(cls)
        made.arguments = (args, kwargs)
        return made

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the arguments alone: the set is made again from them, and what it works out later is always the same."""
        return _make_again, (type(self), *self.arguments)

    def __init__(self, dimension: int, size: int, labels: Sequence[Label] | None = None) -> None:
        self._dimension = as_integer(dimension, "dimension", 1)
        self._size = as_integer(size, "size", 0, self._dimension)
        check_memory(self._dimension, "a set")
        self._labels = as_labels(labels, self._dimension)

    @property
    def dimension(self) -> int:
        """Return d, the number of elements that can be chosen."""
        return self._dimension

    @property
    def size(self) -> int:
        """Return m, the largest number of elements an action has."""
        return self._size

    @property
    def labels(self) -> tuple[Label, ...]:
        """Return the names of the coordinates."""
        return self._labels

    def network(self) -> "Network | None":
        """Return the graph whose edges are the elements, in their order; None where there is none."""
        return None

    def shown_rows(self) -> tuple[tuple[Label, ...], npt.NDArray[np.int64]]:
        """Return the rows in which a picture shows marginals, by name, and the row of each element."""
        return self.labels, np.arange(self.dimension)

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> Self:
        """Make the set that a table describes; files are looked for in ``folder`` (``actions.set_specs``)."""
        return cls(**values)

    @classmethod
    def least_dimension(cls, given: Mapping[str, int]) -> int:
        """Return how many elements the set of a table with these numbers has at least, before it is made."""
        return given.get("dimension", 1)

    def is_same(self, other: object) -> bool:
        """Tell whether another set is made from equal arguments: of one class, with equal values and labels.

        Examples
        --------
        >>> from swapregret import MSets
        >>> MSets(3, 2).is_same(MSets(dimension=3, size=2)), MSets(3, 2).is_same(MSets(3, 2, labels="abc"))
        (True, False)
        """
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, Labelled) or self._labels != other._labels:
            return False
        signature = inspect.signature(type(self))
        one, two = (signature.bind(*each.arguments[0], **each.arguments[1]) for each in (self, other))
        one.apply_defaults()
        two.apply_defaults()
        return _are_equal(one.arguments, two.arguments)

    def elements(self, action: npt.ArrayLike) -> tuple[Label, ...]:
        """Read an action as the labels of its elements."""
        vector = as_action(action, self.dimension)
        return tuple(self._labels[index] for index in np.flatnonzero(vector))

    def choice(self, action: npt.ArrayLike) -> Any:
        """Read an action in the form people give it: a ranking, a route, a tree, an allocation; here, its labels in order.

        Examples
        --------
        >>> from swapregret import MSets
        >>> MSets(4, 2, labels="abcd").choice([0, 1, 0, 1])
        ('b', 'd')
        """
        return self.elements(action)

    def _read_action(self, action: npt.ArrayLike) -> Action:
        """Read an action of the set, or refuse what is no action of it."""
        vector = as_action(action, self.dimension)
        if vector not in self:
            raise InvalidAction("`action` must be an action of the set", "another vector", f"The set is {self!r}.")
        return vector

    def action_of(self, elements: Iterable[Label]) -> Action:
        """Write a collection of labels as an action, or refuse labels that are not one action."""
        try:
            names = list(elements)
        except TypeError:
            raise InvalidAction("`elements` must be a collection of labels", shown(elements), "Pass a list.") from None
        vector = np.zeros(self.dimension, dtype=np.int64)
        for name in names:
            position = self.position(name)
            if position is None:
                raise InvalidAction(
                    "`elements` must be labels of the set", shown(name), f"Known are e.g. {self._labels[:5]}."
                )
            vector[position] = 1
        if vector.sum() != len(names) or vector not in self:
            raise InvalidAction(
                "`elements` must together be one action of the set", shown(tuple(names)), f"The set is {self!r}."
            )
        return vector

    def part_on(self, kept: Integers) -> "ActionSet":
        """Return the actions that have no other elements than some, as a set on these; there must be one (``actions.face``)."""
        from swapregret.actions.face import oracle_part

        return oracle_part(self, kept)  # type: ignore[arg-type]  # an action set is what has labels

    def position(self, name: Label) -> int | None:
        """Return which element has a label; None if none has."""
        try:
            return self._positions.get(name)
        except TypeError:  # not hashable, so no label
            return None

    @cached_property
    def _positions(self) -> dict[Label, int]:
        return {label: index for index, label in enumerate(self._labels)}

    # ---- what follows from a best action alone -------------------------------------------------------------------------

    @abstractmethod
    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Return an action that maximises ``weights · M``."""

    @property
    def n_actions(self) -> int | None:
        """Return the exact number of actions, or None where it is not known."""
        return None

    def __contains__(self, action: object) -> bool:
        """Tell whether a vector is an action."""
        try:
            vector = as_action(action, self.dimension)  # type: ignore[arg-type]
        except InvalidAction:
            return False
        return self._is_action(vector)

    def _is_action(self, vector: Action) -> bool:
        """Tell whether zeros and ones are an action: M is the only maximiser of (2M − 1)·M' over all 0/1 vectors."""
        return bool(np.array_equal(self.argmax(2.0 * vector - 1.0), vector))

    def enumerate(self, limit: int = ENUMERATION_LIMIT) -> Actions:
        """List all actions, one per row, in canonical order.

        Raises
        ------
        TooLarge
            If there are more than ``limit`` of them.
        """
        limit = as_integer(limit, "limit", 0)
        if self.n_actions is not None and self.n_actions > limit:
            raise _too_many(limit, f"{count_in_words(self.n_actions)} actions")
        if self.n_actions is not None:
            check_memory(self.n_actions, "a list of all actions", 8 * self.dimension)
        rows: list[Action] = []
        for row in self._actions():
            if len(rows) == limit:
                raise _too_many(limit, "more")
            rows.append(row)
        table = np.array(rows, dtype=np.int64)
        return table[np.lexsort(table.T)]

    def _actions(self) -> Iterator[Action]:
        """Yield every action once, in any order."""
        return enumerate_actions(self)


def _are_equal(one: Any, two: Any) -> bool:
    """Compare arguments by value: arrays, collections and sets inside of them too."""
    if isinstance(one, Labelled):
        return one.is_same(two)
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return bool(np.array_equal(one, two))
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(map(_are_equal, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(_are_equal(one[key], two[key]) for key in one)
    return one is two or bool(one == two)


def _make_again(kind: type[Labelled], args: tuple[Any, ...], kwargs: SpecValues) -> Labelled:
    return kind(*args, **kwargs)


def _too_many(limit: int, came: str) -> TooLarge:
    return TooLarge(
        f"the set must have at most `limit` = {limit:,} actions to be listed",
        came,
        "Raise `limit`, or work with marginals and policies, which need no list.",
    )
