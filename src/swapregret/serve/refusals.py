"""Why a request is refused: the errors of the service, and the status and JSON of every error."""

from typing import Any

from swapregret.errors import OracleFault, ProtocolError, SwapRegretError


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


def as_json(error: SwapRegretError) -> dict[str, Any]:
    """Return an error as clients see it.

    Examples
    --------
    >>> as_json(NotFound("the problem must exist", "'x'", "GET /problems lists them."))["error"]["came"]
    "'x'"
    """
    kind = type(error).__name__
    return {"error": {"type": kind, "must": error.must, "came": error.came, "do": error.do, "sentence": str(error)}}
