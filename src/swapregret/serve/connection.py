"""Connections that say what they want in time: uvicorn alone waits for the head of a request for ever, however long it gets."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["Connection"]

_HEAD_SECONDS, _HEAD_BYTES = 10.0, 65_536


class Connection(HttpToolsProtocol):
    """Hangs up on who sends the head of a request too slowly, or too much of it."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._is_in_head, self._n_bytes = True, 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

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
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop the clock: the body has one of its own."""
        self._is_in_head, self._n_bytes = False, 0
        self._stop()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect another head."""
        super().on_message_complete()
        self._is_in_head = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(_HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
