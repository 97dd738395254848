"""Why a request is refused: the errors of the service, and the status and JSON of every error."""

from typing import Any

from swapregret.errors import OracleFault, ProtocolError, SwapRegretError

__all__ = [
    "Conflict",
    "Forbidden",
    "HeldElsewhere",
    "KeyReused",
    "NotFound",
    "TooBig",
    "Unauthorised",
    "Unavailable",
    "as_json",
    "status_of",
]


class Refusal(SwapRegretError):
    """A request that cannot be answered as asked; ``status`` is its HTTP status."""

    status = 400


class Unauthorised(Refusal):
    """No key, or one that is not known or was revoked."""

    status = 401


class Forbidden(Refusal):
    """A key without the scope, a foreign origin or host."""

    status = 403


class NotFound(Refusal):
    """No such problem, decision or page."""

    status = 404


class Conflict(Refusal):
    """The state of the problem does not allow it."""

    status = 409


class HeldElsewhere(Refusal):
    """Another process serves the problem; the lease may end."""

    status = 409


class TooBig(Refusal):
    """A body or a batch above the limit."""

    status = 413


class KeyReused(Refusal):
    """An Idempotency-Key that came with another request before."""

    status = 422


class Unavailable(Refusal):
    """The database does not answer: nothing was changed, or the same request with its key finds what was."""

    status = 503


def status_of(error: SwapRegretError) -> int:
    """Return the HTTP status of an error of the library or the service."""
    if isinstance(error, Refusal):
        return error.status
    return 409 if isinstance(error, ProtocolError) else 500 if isinstance(error, OracleFault) else 422


def as_json(error: SwapRegretError) -> dict[str, Any]:
    """Return an error as clients see it.

    Examples
    --------
    >>> as_json(NotFound("the problem must exist", "'x'", "GET /problems lists them."))["error"]["came"]
    "'x'"
    """
    kind = type(error).__name__
    return {"error": {"type": kind, "must": error.must, "came": error.came, "do": error.do, "sentence": str(error)}}
