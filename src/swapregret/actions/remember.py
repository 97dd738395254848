"""What a set was made from, kept as it was then.

A file that holds a session names the set by the arguments of its constructor. These must not change when the caller goes on
to use the list or array that was handed over, and an iterator must still be there after the constructor has read it.
"""

import inspect
from collections.abc import Iterator, Set
from typing import Any

import numpy as np

from swapregret.boundary import Refusing

__all__ = ["Remembering", "kept"]


def kept(value: Any) -> Any:
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


class Remembering(Refusing):
    """The class of action sets: constructors are called with arguments that nobody else can change."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Make a set from arguments as they are now."""
        return super().__call__(
            *(kept(value) for value in args), **{name: kept(value) for name, value in kwargs.items()}
        )

    @property
    def __signature__(cls) -> inspect.Signature:  # noqa: N805 (a metaclass)
        """The arguments of the constructor, for ``help`` and notebooks, which would otherwise see those of ``__call__``."""
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        return signature.replace(
            parameters=list(signature.parameters.values())[1:], return_annotation=inspect.Signature.empty
        )
