"""Repeated combinatorial decisions with no swap regret.

>>> import swapregret as sr
>>> actions = sr.MSets(10, 3)
>>> session = sr.Session(sr.swap_combcp(actions, horizon=100_000), rng=7)
>>> decision = session.act()
>>> session.observe(0.5)

The public names stand in ``public.py`` and are described in ``docs/api.md``. They are loaded when the first of
them is asked for (``games``, ``networks`` and ``testing`` each for itself), Numba when the first compiled function is called.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from swapregret.extras import loading as _loading

if TYPE_CHECKING:
    from swapregret.public import *  # noqa: F403
    from swapregret.public import __all__ as __all__

__version__ = "0.1.0"

_LATER = ("games", "networks", "testing")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _LATER:
            with _loading(f"{__name__}.{name}"):
                return import_module(f"{__name__}.{name}")
        if name == "__all__" or not name.startswith("_"):
            with _loading(__name__):
                public = import_module(f"{__name__}.public")
            names = [each for each in public.__all__ if each not in _LATER]
            globals().update({each: getattr(public, each) for each in ("__all__", *names)})
        if name not in globals():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module(f"{__name__}.public").__all__})


class _Package(ModuleType):
    """The package as a module."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Go to other processes by name: joblib sends a function of a script or a notebook with the modules it uses."""
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package
