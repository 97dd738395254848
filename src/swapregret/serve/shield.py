"""What stands before the routes: who may call from where with how much, and the headers of every answer."""

import asyncio
import json
import time
from typing import Any
from urllib.parse import urlsplit

from swapregret.errors import SwapRegretError
from swapregret.serve.keys import KeyRing
from swapregret.serve.metrics import Metrics
from swapregret.serve.refusals import Forbidden, Refusal, TooBig, as_json, status_of
from swapregret.serve.settings import Settings, is_loopback

__all__ = ["Shield", "scope_of"]

_BODY_SECONDS = 20.0
_OPEN = ("/", "/docs", "/health", "/openapi.json")
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class TooSlow(Refusal):
    """A body that did not arrive in time."""

    status = 408


def scope_of(method: str, path: str) -> str | None:
    """Return the scope a request needs; None for pages and health, which hold nothing of anybody.

    Examples
    --------
    >>> scope_of("GET", "/problems"), scope_of("POST", "/problems"), scope_of("POST", "/decisions/x.1/reward")
    ('read', 'admin', 'decide')
    """
    if method == "OPTIONS" or (method in ("GET", "HEAD") and (path in _OPEN or path.startswith("/pages/"))):
        return None
    if method in ("GET", "HEAD"):
        return "read"
    return "admin" if path.rstrip("/") == "/problems" or path.rstrip("/").endswith("/archive") else "decide"


class Shield:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGI application
    settings : Settings
    keys : KeyRing
    metrics : Metrics
    """

    def __init__(self, app: Any, settings: Settings, keys: KeyRing, metrics: Metrics) -> None:
        self._app, self._settings, self._keys, self._metrics = app, settings, keys, metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Check a request, pass it on, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def answer(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        try:
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            needed = scope_of(scope["method"], scope["path"])
            scope.setdefault("state", {})["key"] = "" if needed is None else await self._key(headers, needed)
            self._check_place(headers)
            body = await self._body(headers, receive)
            await self._app(scope, _replay(body, receive), answer)
        except SwapRegretError as error:
            await _refuse(error, answer)
        finally:
            self._metrics.answered(scope["method"], status, time.perf_counter() - started)

    async def _key(self, headers: dict[str, str], needed: str) -> str:
        authorization = headers.get("authorization", "")
        if self._keys.is_fresh():
            return self._keys.check(authorization, needed)
        return await asyncio.to_thread(self._keys.check, authorization, needed)

    def _check_place(self, headers: dict[str, str]) -> None:
        """Refuse pages of other origins and, where no key is needed, names that are not ours: a page may point its name here."""
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if not (self._keys.are_needed() or is_loopback(name) or name in (self._settings.host, *self._settings.hosts)):
            raise Forbidden(
                "the server must be called by a name it knows", repr(host[:80]), "Start it with --allow-host NAME."
            )
        origin = headers.get("origin")
        if origin is not None and origin not in self._settings.origins and urlsplit(origin).netloc != host:
            raise Forbidden(
                "a page must be of this server's own origin", repr(origin[:80]), "Start it with --allow-origin ORIGIN."
            )

    async def _body(self, headers: dict[str, str], receive: Any) -> bytes:
        """Read the whole body: within the limit, and in time."""
        limit = self._settings.max_body
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            raise _too_big(limit)
        parts, size = [], 0
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return b""
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        raise _too_big(limit)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise TooSlow(
                f"a request must arrive within {_BODY_SECONDS:g} seconds", "a part of it", "Send it again."
            ) from None


def _replay(body: bytes, receive: Any) -> Any:
    """Return a receiver that hands over a body that was read, and then goes on with what comes."""
    handed = False

    async def again() -> Any:
        nonlocal handed
        if handed:
            return await receive()
        handed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _too_big(limit: int) -> TooBig:
    return TooBig(f"a request must have at most {limit} bytes", "more", "Send smaller batches.")


async def _refuse(error: SwapRegretError, send: Any) -> None:
    body = json.dumps(as_json(error)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"www-authenticate", b"Bearer")] if status_of(error) == 401 else []
    headers += [(b"connection", b"close")] if status_of(error) in (408, 413) else []
    await send({"type": "http.response.start", "status": status_of(error), "headers": headers})
    await send({"type": "http.response.body", "body": body})
