"""Why a request is refused: the errors of the service, and the status and JSON of every error."""

import ast
import json
import re

from swapregret.errors import InvalidReward, OracleFault, ProtocolError, SwapRegretError
from swapregret.files.storage import Json
from swapregret.registry import SETS

_CLASS = rf"\b(?:{'|'.join(SETS)})\([^()]*\)"
_CODE = re.compile(rf"\b(sr|np|session|Session|Schedule)[.(]|\w\([^)]*=|\bact\(|\bint\b|The set is {_CLASS}")
_LITERAL = re.compile(r"(?<!\w)'(?:[^'\\\n]|\\.)*'(?!\w)|\((?=[^()]*,)[^()]*\)")
"""A text as Python writes it, or a tuple."""
_OTHER_ENDPOINTS = "The API is described at /docs."


class Refusal(SwapRegretError):
    """A request that cannot be answered as asked; ``status`` is its HTTP status."""

    status = 400

    def __init_subclass__(cls, *, status: int) -> None:
        cls.status = status


class Unauthorised(Refusal, status=401):
    """No key, or one that is not known or was revoked."""


class Forbidden(Refusal, status=403):
    """A key without the scope, a foreign origin or host."""


class NotFound(Refusal, status=404):
    """No such problem, decision or page."""


class Conflict(Refusal, status=409):
    """The state of the problem does not allow it."""


class HeldElsewhere(Refusal, status=409):
    """Another process serves the problem; the lease may end."""


class TooSlow(Refusal, status=408):
    """A body that did not arrive in time."""


class TooBig(Refusal, status=413):
    """A body or a batch above the limit."""


class TooCostly(Refusal, status=413):
    """A problem or a call above a limit of time or memory; nothing was changed."""


class TooMany(Refusal, status=429):
    """More at once, or more often, than one key or all together may."""


class Damaged(Refusal, status=500):
    """What the database holds is not what was written."""


class KeyReused(Refusal, status=422):
    """An Idempotency-Key that came with another request before."""


class Unavailable(Refusal, status=503):
    """The database does not answer: nothing was changed, or the same request with its key finds what was."""


class NotWritten(Unavailable, status=503):
    """What one request wanted written cannot be; that of others can."""


def status_of(error: SwapRegretError) -> int:
    """Return the HTTP status of an error of the library or the service."""
    if isinstance(error, Refusal):
        return error.status
    return 409 if isinstance(error, ProtocolError) else 500 if isinstance(error, OracleFault) else 422


def headers_of(error: SwapRegretError) -> dict[str, str]:
    """Return the headers that go with an error."""
    if isinstance(error, TooMany):
        return {"Retry-After": "1", "Connection": "close"}
    if isinstance(error, Unavailable):
        return {"Retry-After": "1"}
    return {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorised) else {}


def as_json(error: SwapRegretError, endpoint: str = "", field: str | None = None) -> Json:
    """Return an error as clients see it: with JSON where the library has Python, and requests where it has calls.

    Examples
    --------
    >>> told = as_json(InvalidReward("`reward` must be one number", "(0.5, None)", "session.skip()."), "POST /x")["error"]
    >>> told["came"], told["field"], told["endpoint"]
    ('[0.5, null]', 'reward', 'POST /x')
    >>> as_json(NotFound("the label must exist", "'ad…'", "Known are ['a', 'b', …]."))["error"]["sentence"]
    'the label must exist: got "ad…". Known are ["a", "b", …].'
    """
    must, came, do = map(_in_json, (error.must, error.came, _advice(error)))
    return {
        "error": {
            "type": type(error).__name__,
            "must": must,
            "came": came,
            "do": do,
            "sentence": f"{must}: got {came}. {do}",
            "field": field or named_field(error),
            "endpoint": endpoint,
        }
    }


def named_field(error: SwapRegretError) -> str | None:
    """Return the field that an error is about, where its sentence names one."""
    quoted = re.search(r"`([\w.]+)`", error.must)
    return "reward" if isinstance(error, InvalidReward) else quoted and quoted[1]


def _in_json(text: str) -> str:
    """Write Python's literals as JSON, in a text that is one or holds some; a set by its class is "the set"."""
    whole = _literal(text)
    if whole != text:
        return whole
    count, text = 1, re.sub(_CLASS, "the set", text)
    while count:  # tuples in tuples, from the inside
        before = text
        text, count = _LITERAL.subn(lambda found: _literal(found[0]), text)
        count *= text != before
    return text


def readable_json(value: object) -> str:
    """Return JSON with its letters as they are, unless some do not show or turn the direction of others."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value, default=str)


def _literal(text: str) -> str:
    """Write a Python literal as JSON; all else as it is."""
    try:
        return readable_json(ast.literal_eval(text))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


def _advice(error: SwapRegretError) -> str:
    """Return what to do without what only a program in Python could: a sentence ends before its code, or is left out."""
    if isinstance(error, InvalidReward):
        return (
            "Report what was earned, within the range of the problem; where nothing will come: POST /decisions/ID/skip."
        )
    kept = []
    for sentence in re.split(r"(?<=\.) (?=[A-Z])", error.do):
        before, colon, after = sentence.partition(": ")
        if not _CODE.search(sentence):
            kept.append(sentence)
        elif colon and _CODE.search(after) and not _CODE.search(before):
            kept.append(f"{before}.")
    return " ".join(kept) or _OTHER_ENDPOINTS
