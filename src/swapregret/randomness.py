"""The one door of randomness, and how a generator is written to a file.

May touch: ``errors``.
"""

from typing import Any

import numpy as np

from swapregret.errors import Unsupported

__all__ = ["Seed", "entropy_of", "generator_of", "plain_state", "set_state"]

Seed = int | np.random.SeedSequence | np.random.Generator | None
"""What may be handed over as ``rng``."""


def entropy_of(source: Seed) -> int | None:
    """Return the number that makes the same generator again, or None where no one number does.

    Examples
    --------
    >>> entropy_of(7), entropy_of(np.random.SeedSequence(8)), entropy_of(np.random.default_rng(9))
    (7, 8, None)
    """
    if isinstance(source, np.random.SeedSequence):
        is_root = isinstance(source.entropy, int) and not source.spawn_key
        return source.entropy if is_root else None  # type: ignore[return-value]
    return int(source) if isinstance(source, int | np.integer) else None


def plain_state(rng: np.random.Generator) -> dict[str, Any]:
    """Write the state of a generator as JSON can hold it; its whole numbers may have any length."""
    state: dict[str, Any] = _plain(rng.bit_generator.state)
    return state


def set_state(rng: np.random.Generator, state: dict[str, Any]) -> None:
    """Put a generator where ``plain_state`` found one of its kind."""
    rng.bit_generator.state = _lively(state)


def generator_of(state: dict[str, Any]) -> np.random.Generator:
    """Make a generator from what ``plain_state`` wrote.

    Examples
    --------
    >>> rng = np.random.default_rng(7)
    >>> generator_of(plain_state(rng)).random() == rng.random()
    True
    """
    kind = getattr(np.random, str(state["bit_generator"]), None)
    if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
        raise Unsupported(
            "the generator of a file must be one of NumPy's", repr(state["bit_generator"]), "Start a session anew."
        )
    rng = np.random.Generator(kind())
    set_state(rng, state)
    return rng


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    return value.item() if isinstance(value, np.generic) else value


def _lively(value: Any) -> Any:
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    return {key: _lively(item) for key, item in value.items()} if isinstance(value, dict) else value
