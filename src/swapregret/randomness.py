"""The one way in which randomness comes in, and how a generator is written to a file."""

from collections.abc import Mapping

import numpy as np

from swapregret.counts import shown
from swapregret.errors import InvalidInput, Unsupported
from swapregret.files.values import Plain, read_value, write_value

Seed = int | np.random.SeedSequence | np.random.Generator | None
"""What may be handed over as ``rng``."""
GeneratorState = dict[str, Plain]
"""The state of a generator, as files hold it."""
_MOST = 2**4096
_KINDS: dict[str, type[np.random.BitGenerator]] = {
    kind.__name__: kind
    for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
}


def entropy_of(source: Seed) -> int | None:
    """Return the number that makes the same generator again, or None where no one number does.

    Examples
    --------
    >>> entropy_of(7), entropy_of(np.random.SeedSequence(8)), entropy_of(np.random.default_rng(9))
    (7, 8, None)
    """
    if isinstance(source, np.random.SeedSequence):
        is_root = isinstance(source.entropy, int) and not source.spawn_key and source.entropy < _MOST
        return source.entropy if is_root else None  # type: ignore[return-value]
    return int(source) if isinstance(source, int | np.integer) else None


def as_generator(source: Seed) -> np.random.Generator:
    """Return the generator of what is handed over as ``rng``, or refuse it.

    Examples
    --------
    >>> as_generator(7).random() == np.random.default_rng(7).random()
    True
    """
    is_whole = isinstance(source, int | np.integer) and not isinstance(source, bool | np.bool_) and 0 <= source < _MOST
    if source is None or is_whole or isinstance(source, np.random.SeedSequence | np.random.Generator):
        return np.random.default_rng(source)
    raise InvalidInput(
        "`rng` must be a whole number of at least 0 and below 2**4096, a SeedSequence, a Generator or None",
        shown(source),
        "Pass e.g. rng=7.",
    )


def plain_state(rng: np.random.Generator) -> GeneratorState:
    """Write the state of a generator as JSON can hold it; its whole numbers may have any length."""
    return _plain(rng.bit_generator.state)


def set_state(rng: np.random.Generator, state: object) -> None:
    """Put a generator where ``plain_state`` found one of its kind."""
    try:
        if not isinstance(state, dict):
            raise TypeError(f"no state: {shown(state)}")
        rng.bit_generator.state = _lively(state)
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:  # NumPy's, of what it reads
        raise InvalidInput(
            "the state of a generator must be as it was written",
            f"{type(error).__name__}: {str(error)[:80]}",
            "Restore the file from a copy.",
        ) from None


def generator_of(state: object) -> np.random.Generator:
    """Make a generator from what ``plain_state`` wrote.

    Examples
    --------
    >>> rng = np.random.default_rng(7)
    >>> generator_of(plain_state(rng)).random() == rng.random()
    True
    """
    name = state.get("bit_generator") if isinstance(state, dict) else None
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None or not isinstance(state, dict):
        raise Unsupported(
            f"the generator of a file must be one of {', '.join(_KINDS)}",
            f"{name or state!r:.80}",
            "Start a session anew.",
        )
    rng = np.random.Generator(kind(0))
    set_state(rng, state)
    return rng


def _plain(state: Mapping[str, object]) -> GeneratorState:
    return {name: _plain(item) if isinstance(item, dict) else write_value(item) for name, item in state.items()}


def _lively(state: GeneratorState) -> dict[str, object]:
    return {
        name: _lively(item) if isinstance(item, dict) and "array" not in item else read_value(item)
        for name, item in state.items()
    }
