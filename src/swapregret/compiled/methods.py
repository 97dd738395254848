"""Functions chosen by the class of their first argument: how each kind of player learns, and what a game pays.

``@method`` makes a stub. ``@stub.of(Rule)`` gives the code for values of that named tuple, ``@stub.default`` the code for all
others: to find what a stub runs, search for ``@stub.of``. Numba asks once, when it compiles a caller, and then calls that code
itself: nothing of the choice is left at run time. Called from Python the choice is made by ``type``.

A caller that is kept on disk is keyed by its argument types, and so by the class of the rule, but not by the code behind a
stub. :func:`code_digest` adds that code to the key: of the stubs that the caller's file imports, directly or not, so that it makes
no difference what else a process has loaded.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar, cast

from swapregret.compiled.cache_place import cache_folder, sources
from swapregret.compiled.kernel import Function, Kernel, Numba, Returned

_Function = TypeVar("_Function", bound=Function)
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Method(Generic[_Arguments, _Result]):
    """A stub and its code, by class."""

    def __init__(self, stub: Callable[_Arguments, _Result]) -> None:
        self.__name__, self.__doc__, self.__module__ = stub.__name__, stub.__doc__, stub.__module__
        self.file = Path(inspect.getfile(stub)).resolve()
        self._names = list(inspect.signature(stub).parameters)
        self._codes: dict[type | None, Kernel] = {}
        self._type: Numba = None
        _METHODS.append(self)

    def of(self, *classes: type) -> Callable[[_Function], _Function]:
        """Give the code for some classes."""

        def put(function: _Function) -> _Function:
            made = _compiled(function)
            names = list(inspect.signature(inspect.unwrap(made)).parameters)
            if names != self._names:
                raise TypeError(f"{names} must be the arguments of {self.__name__}: {self._names}")
            self._codes |= dict.fromkeys(classes, cast(Kernel, made))
            return cast(_Function, made)

        return put

    def default(self, function: _Function) -> _Function:
        """Give the code for all other classes."""
        made: _Function = _compiled(function)
        self._codes[None] = cast(Kernel, made)
        return made

    def code_for(self, cls: type | None) -> Kernel:
        """Return the code for a class."""
        for each in cls.__mro__ if cls is not None else ():
            if each in self._codes:
                return self._codes[each]
        if None in self._codes:
            return self._codes[None]
        raise TypeError(f"{self.__name__} must be given for {cls}, by @{self.__name__}.of, or have a default")

    def has_code_for(self, cls: type) -> bool:
        """Tell whether a class has code of its own, and not only the default."""
        return any(each in self._codes for each in cls.__mro__)

    def __call__(self, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        """Call the code for the first argument; all are given by place."""
        result: _Result = self.code_for(type(args[0]))(*args, **kwargs)
        return result

    @property
    def _numba_type_(self) -> Numba:
        """What Numba asks of a global that compiled code calls."""
        if self._type is None:
            self._type = _chosen_type()(self)
        return self._type

    def files(self, classes: set[type]) -> Iterable[str]:
        """Return the files of the code that stands behind some classes."""
        for cls, code in self._codes.items():
            if cls is None or any(issubclass(each, cls) for each in classes):
                yield inspect.unwrap(code).__code__.co_filename


_METHODS: list[Method[..., Returned]] = []


def _compiled(function: Function) -> Returned:
    return function if isinstance(function, Kernel) else Kernel(function)


def method(stub: Callable[_Arguments, _Result]) -> Method[_Arguments, _Result]:
    """Have a function chosen by the class of its first argument; the body of the stub is never run."""
    return Method(stub)


@cache
def _chosen_type() -> Numba:
    """Return the Numba type of methods; Numba is loaded by the first that is compiled into something."""
    from numba.core import types
    from numba.core.datamodel import models
    from numba.extending import register_model

    bases: tuple[Numba, ...] = (types.Callable, types.Dummy)

    class Chosen(*bases):  # type: ignore[misc]
        """A method: typed and lowered as the function it chooses."""

        def __init__(self, owner: Method[..., Returned]) -> None:
            self.owner = owner
            self.found: dict[Numba, Numba] = {}
            super().__init__(f"method({owner.__module__}.{owner.__name__})")

        def get_call_type(self, context: Numba, args: Numba, kws: Numba) -> Numba:
            own = self.owner.code_for(getattr(args[0], "instance_class", None))._numba_type_
            signature = own.get_call_type(context, args, kws)
            self.found[signature.args] = own
            return signature

        def get_call_signatures(self) -> Numba:
            return (), True

        def get_impl_key(self, sig: Numba) -> Numba:
            return self.found[sig.args].get_impl_key(sig)

    register_model(Chosen)(models.OpaqueModel)
    return Chosen


def code_digest(types_given: Numba, file: str) -> str:
    """Return a digest of the code that a caller in a file finds behind classes: those of Numba types, in tuples and handles too."""
    classes: set[type] = set()
    open_ = list(types_given)
    while open_:
        each = open_.pop()
        found = getattr(each, "instance_class", None)
        if found is not None:
            classes.add(found)
        open_ += list(getattr(each, "types", ()) or ())
        open_ += [part for _, part in getattr(each, "_fields", ()) or ()]
    return _digest(frozenset(classes), file) if classes else ""


@cache
def _digest(classes: frozenset[type], caller: str) -> str:
    known = sources(Path(caller).resolve())
    files = {file for owner in _METHODS if owner.file in known for file in owner.files(set(classes))}
    return hashlib.sha256("".join(sorted(cache_folder(file).name for file in files)).encode()).hexdigest()
