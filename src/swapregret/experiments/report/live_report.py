"""The report of a running campaign, served on loopback and kept up to date.

The page asks once per second whether runs have finished since it was drawn; figures and tables are made anew only then. Nothing
outside this machine can reach it: it listens on 127.0.0.1 and answers only requests that were addressed to this machine.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from urllib.parse import parse_qs, urlsplit

from swapregret.errors import InvalidInput
from swapregret.experiments.report.gather import gather
from swapregret.experiments.report.page import first_sections, lead_of, page_data, render_page
from swapregret.experiments.report.shell import document, header, paragraph
from swapregret.experiments.runs.execute import Outcome
from swapregret.experiments.runs.plan_runs import RunPlan, RunTask
from swapregret.experiments.runs.runner import Watcher

_GOODBYE_SECONDS = 5.0
"""How long the end waits for a page that is still open to hear of it."""


class LiveReport(Watcher):
    """Serves the report of a folder of results while runs are being added to it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._version, self._made, self._is_over = 0, -1, False
        self._page, self._news = b"", b""
        self._asked, self._told = -1.0, threading.Event()
        handler = type("Handler", (_Handler,), {"live": self})
        self._server = _Server(("127.0.0.1", 0), handler)  # any port that is free
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Return where a browser finds it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def begin(self, plan: RunPlan, missing: Sequence[RunTask]) -> None:
        """Show runs of an earlier time at once."""
        self.changed()

    def finished(self, outcome: Outcome) -> None:
        """Show a run that was made, or that it failed."""
        self.changed()

    def changed(self) -> None:
        """Take note that there is something new to show."""
        with self._lock:
            self._version += 1

    def close(self) -> None:
        """Tell pages that are open that there is no more to come, and stop serving."""
        with self._lock:
            self._version += 1
            self._is_over = True
            is_watched = time.monotonic() - self._asked < _GOODBYE_SECONDS and self._asked >= 0.0
        if is_watched:
            self._told.wait(_GOODBYE_SECONDS)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> "LiveReport":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def page(self) -> bytes:
        """Return the page as it is now."""
        with self._lock:
            self._refresh()
            return self._page

    def news(self, seen: int) -> bytes | None:
        """Return what a page needs that has seen version ``seen``; None where there is nothing new."""
        with self._lock:
            self._asked = time.monotonic()
            if seen >= self._version:
                return None
            self._refresh()
            if self._is_over:
                self._told.set()
            return self._news

    def _refresh(self) -> None:
        if self._made == self._version:
            return
        news: dict[str, object] = {"version": self._version, "labels": [], "is_over": self._is_over}
        try:
            cases, origin = gather(self._folder)
        except InvalidInput:  # no run has finished
            page = _waiting(os.fspath(self._folder), self._version)
        else:
            page = render_page(cases, origin, live_version=self._version)
            news |= {"report": page_data(cases), "lead": lead_of(cases, origin), "first": first_sections(cases)}
            news["labels"] = [case.label for case in cases]
        self._page, self._news = page.encode(), json.dumps(news, allow_nan=False).encode()
        self._made = self._version


def _waiting(folder: str, version: int) -> str:
    words = f"No run has finished yet in {escape(folder)}. This page shows the first one as soon as it is there."
    return document("Waiting", [header("Waiting", paragraph(words))], (), {"cases": []}, live_version=version)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Say nothing of a page that was closed before it was sent; anything else is a bug of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    live: LiveReport

    def do_GET(self) -> None:
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host not in ("127.0.0.1", "localhost"):
            self.send_error(403)
            return
        address = urlsplit(self.path)
        if address.path == "/":
            self._send(self.live.page(), "text/html; charset=utf-8")
        elif address.path == "/live.json":
            seen = parse_qs(address.query).get("seen", ["0"])[0]
            news = self.live.news(int(seen) if seen.isdecimal() else 0)
            self._send(news, "application/json")
        else:
            self.send_error(404)

    def _send(self, body: bytes | None, kind: str) -> None:
        self.send_response(204 if body is None else 200)
        if body is not None:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if body is not None:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal shows the campaign."""
