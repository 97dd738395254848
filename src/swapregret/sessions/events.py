"""What happens to a session, as a journal holds it: a kind, a day, and what belongs to it."""

import json
import struct
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Vector

ACT, OBSERVE, SKIP, GENERATOR = b"a", b"o", b"s", b"g"
"""The kinds: a decision, its reward, a reward that never came, and somebody else who drew from the generator."""
_FRONT, _NUMBER = struct.Struct("<cQ"), struct.Struct("<d")


class Event(NamedTuple):
    """What happened.

    Attributes
    ----------
    kind : bytes
    day : int
    content : bytes
        The packed action; the numbers told; nothing; where the generator stands, as JSON.
    """

    kind: bytes
    day: int
    content: bytes

    def told(self) -> Vector:
        """Return the numbers told."""
        return np.frombuffer(self.content, "<f8")

    def payload(self) -> bytes:
        """Return the event as bytes."""
        return _FRONT.pack(self.kind, self.day) + self.content


def act_event(day: int, action: Action) -> bytes:
    """Write that an action was drawn."""
    return _FRONT.pack(ACT, day) + packed(action)


def close_event(day: int, told: npt.ArrayLike | None) -> bytes:
    """Write what was told of a day; None where nothing will ever be."""
    if told is None:
        return _FRONT.pack(SKIP, day)
    return _FRONT.pack(OBSERVE, day) + (
        _NUMBER.pack(told) if type(told) is float else np.asarray(told, "<f8").tobytes()
    )


def rng_event(day: int, state: dict[str, Any]) -> bytes:
    """Write where the generator stood before the action of a day was drawn."""
    return _FRONT.pack(GENERATOR, day) + json.dumps(state).encode()


def read_event(payload: bytes) -> Event | None:
    """Read an event, or None if it is not one.

    Examples
    --------
    >>> read_event(close_event(5, None))
    Event(kind=b's', day=5, content=b'')
    >>> read_event(b"a text") is None
    True
    """
    if len(payload) < _FRONT.size:
        return None
    kind, day = _FRONT.unpack_from(payload)
    content = payload[_FRONT.size :]
    if kind == OBSERVE:
        is_event = len(content) > 0 and len(content) % _NUMBER.size == 0
    else:
        is_event = kind in (ACT, GENERATOR) if content else kind == SKIP
    return Event(kind, day, content) if is_event and day < 2**63 else None


def packed(action: Action) -> bytes:
    """Write an action as its bits, that of the first element highest in the first byte.

    Examples
    --------
    >>> packed(np.array([1, 0, 0, 1, 0])).hex()
    '90'
    """
    return np.packbits(action).tobytes()
