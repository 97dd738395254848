"""What stands before the routes: who may call from where with how much, and the headers of every answer."""

import asyncio
import ipaddress
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from swapregret.errors import SwapRegretError
from swapregret.serve import SCOPES, Settings
from swapregret.serve.gate import Gate
from swapregret.serve.keys import KeyRing
from swapregret.serve.metrics import Metrics
from swapregret.serve.refusals import Forbidden, NotFound, Refusal, TooBig, TooSlow, as_json, headers_of, status_of

_HEAD_SECONDS, _HEAD_BYTES = 10.0, 65_536
_BODY_SECONDS = 20.0
_LARGE_BYTES, _LARGE_BYTES_PER_SECOND = 65_536, 5e6
_UNREAD_SECONDS, _SPARE = 20.0, 100
_PART_BYTES = 65_536
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?", re.ASCII)
_READING = ("GET", "HEAD", "OPTIONS")
_ONCE = ("authorization", "content-length", "content-type", "host", "idempotency-key", "origin")
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


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Shield:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, settings: Settings, keys: KeyRing, gate: Gate, metrics: Metrics) -> None:
        self._app, self._settings, self._keys, self._gate, self._metrics = app, settings, keys, gate, metrics
        self._large: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, pass it on, and count it; HEAD is answered as GET is, without the body."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "HEAD":
            with suppress(_HeadSent):
                await self._serve({**scope, "method": "GET"}, receive, _head_only(send))
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, is_begun = time.perf_counter(), False

        async def answer(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                self._metrics.answered(scope["method"], message["status"], time.perf_counter() - started)
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            body, sent = message.get("body", b""), 0
            while len(body) - sent > _PART_BYTES:  # each part waits until the client has read most of those before
                await send({**message, "body": body[sent : sent + _PART_BYTES], "more_body": True})
                sent += _PART_BYTES
            await send({**message, "body": body[sent:]} if sent else message)

        state = scope.setdefault("state", {})
        try:
            headers = _read_headers(scope["headers"])
            if not scope["path"].isprintable():  # no route has such a name, whatever a pattern makes of it
                raise NotFound("a path must have printable characters only", repr(scope["path"][:80]), "See /docs.")
            is_reading = scope["method"] in _READING
            if not is_reading:  # who has no key at all is not listened to; which one is needed, each route says
                state["key"] = await self._keys.allow(headers.get("authorization", ""), SCOPES[0])
            self._check_place(headers)
            if not is_reading:
                self._gate.enter(state, "requests")
            body = b"" if is_reading else await self._body(state["key"], headers, receive)
            if body is None:
                is_begun = True  # nobody waits for an answer, and half a request is none
            else:
                await self._app(scope, _replay(body, receive), answer)
        except SwapRegretError as error:
            hang_up = {"Connection": "close"}  # what else the client wants to send is not waited for
            endpoint = f"{scope['method'][:20]} {scope['path'][:80]}"
            await answer_to(error, endpoint, headers=hang_up)(scope, receive, answer)
        finally:
            self._gate.leave(state)
            if not is_begun:
                self._metrics.answered(scope["method"], 500, time.perf_counter() - started)

    def _check_place(self, headers: dict[str, str]) -> None:
        """Refuse pages of other origins and, where no key is needed, names that are not ours: a page may point its name here."""
        host = headers.get("host", "")
        found = _HOST.fullmatch(host)
        name = found[1].strip("[]") if found else ""
        if not (self._keys.are_needed() or is_loopback(name) or name in (self._settings.host, *self._settings.hosts)):
            raise Forbidden(
                "the server must be called by a name it knows", repr(host[:80]), "Start it with --allow-host NAME."
            )
        ours = (f"http://{host}", f"https://{host}", *self._settings.origins)
        origin = headers.get("origin")
        if origin is not None and origin not in ours:
            raise Forbidden(
                "a page must be of this server's own origin", repr(origin[:80]), "Start it with --allow-origin ORIGIN."
            )

    async def _body(self, key: str, headers: dict[str, str], receive: Receive) -> bytes | None:
        """Read the whole body: within the limit, and in time; None if the client went away in the middle of it."""
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
                        return None
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        raise _too_big(limit)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise TooSlow(
                f"a request must arrive within {_BODY_SECONDS:g} seconds", "a part of it", "Send it again."
            ) from None
        if (
            size > _LARGE_BYTES
        ):  # reading it as JSON takes long: small requests, and those of other keys, come in between
            async with self._large.setdefault(key, asyncio.Lock()):
                await asyncio.sleep(size / _LARGE_BYTES_PER_SECOND)
        return b"".join(parts)


def _read_headers(given: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by name; those by which a request is judged come once, or readers might judge by different ones."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in given]
    names = [name for name, _ in pairs]
    for name in _ONCE:
        if names.count(name) > 1:
            raise Refusal("a header must come once", f"{name} {names.count(name)} times", "Send it once.")
    return dict(pairs)


class _HeadSent(Exception):
    """All that is wanted of an answer was sent, though it may go on for ever."""


def _head_only(send: Send) -> Send:
    async def head(message: Message) -> None:
        await send(message)
        if message["type"] == "http.response.start":
            await send({"type": "http.response.body", "body": b""})
            raise _HeadSent

    return head


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that hands over a body that was read, and then goes on with what comes."""
    handed = False

    async def again() -> Message:
        nonlocal handed
        if handed:
            return await receive()
        handed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _too_big(limit: int) -> TooBig:
    return TooBig(f"a request must have at most {limit} bytes", "more", "Send smaller batches.")


def answer_to(
    error: SwapRegretError,
    endpoint: str,
    field: str | None = None,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return the answer to a request that is refused."""
    return JSONResponse(
        as_json(error, endpoint, field), status or status_of(error), headers_of(error) | dict(headers or {})
    )


class Connection(HttpToolsProtocol):
    """Hangs up on who sends the head of a request too slowly, or too much of it.

    Uvicorn alone waits for it for ever, however long it gets.
    """

    _waiting: ClassVar[dict["Connection", None]] = {}  # those whose client has to send something, longest first

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._is_in_head, self._n_bytes, self._n_parsed = True, 0, 0
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request; where there are too many, whom we have waited for longest makes room."""
        super().connection_made(transport)
        limit = self.config.limit_concurrency
        if limit is not None and len(self.connections) > limit - _SPARE and self._waiting:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]
            oldest.transport.abort()
        self._waiting[self] = None
        self._wait()

    def pause_writing(self) -> None:
        """Wait a while for a client that does not read."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(_UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def data_received(self, data: bytes) -> None:
        """Read on, within the limits."""
        if self._is_in_head:
            self._wait()
            self._n_bytes += len(data)
        super().data_received(data)
        if self._is_in_head and self._n_bytes > _HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The head of a request must have at most 64 KB.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; those after the body are of no use here."""
        if self._is_in_head:
            self._n_parsed += len(name) + len(value) + 4
            if self._n_parsed > _HEAD_BYTES:
                raise ValueError("the head of a request is too long")  # answered with 400
            super().on_header(name, value)

    def on_url(self, url: bytes) -> None:
        """Begin to count: a head may come whole, and several at once."""
        self._n_parsed = len(url)
        super().on_url(url)

    def on_headers_complete(self) -> None:
        """Stop the clock: the body has one of its own."""
        self._is_in_head, self._n_bytes = False, 0
        self._stop()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Answer, and expect another head."""
        super().on_message_complete()
        self._is_in_head = True
        self._waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """Wait for the client again, unless it has sent the next request already."""
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        self._stop()
        self._waiting.pop(self, None)
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(_HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
