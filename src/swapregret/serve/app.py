"""The application: database, service, routes, pages and shield put together, and the server that runs it."""

import importlib.resources
import logging
import os
import re
import resource
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from itertools import takewhile
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

import swapregret as sr
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput, SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve import Settings
from swapregret.serve.api import make_routers
from swapregret.serve.data.upkeep import check
from swapregret.serve.database import open_store
from swapregret.serve.gate import Gate
from swapregret.serve.keys import KeyRing
from swapregret.serve.problems import ProblemSpec
from swapregret.serve.processes.nursery import Nursery
from swapregret.serve.refusals import NotFound, Refusal, named_field, readable_json, status_of
from swapregret.serve.service import Service
from swapregret.serve.shield import Connection, Shield, answer_to, is_loopback

_log = logging.getLogger("swapregret.serve")
_SPARE = 200
"""Handles and requests beside those of connections and processes: of the database, of pages, of who is told to wait."""
_CREATE = "POST /problems"
_WORDS = {
    "^Value error, ": "",
    r"^\w+ should ": "must ",
    " or Input should be ": " or ",
    " a valid dictionary( or object to extract fields from)?": " an object",
    " valid (tuple|list)": " list",
    " valid string": " text",
    " valid integer": " whole number",
    " valid number": " number",
    ", (got a number with|unable to parse).*": "",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "above",
    "less than": "below",
    " after validation, not .*": "",
}
"""What pydantic says, and what is said instead."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def make_app(settings: Settings) -> Shield | CORSMiddleware:
    """Return the application of a database, with everything around it; without a key it listens to this machine alone."""
    with ExitStack() as opened:
        nursery = Nursery()  # forked before there is a thread or a connection
        opened.callback(nursery.close)
        store = open_store(settings.database)
        opened.callback(store.close)
        keys = KeyRing(store)
        if not keys.has_live_key() and not is_loopback(settings.host):
            raise InvalidInput(
                "a server that others can reach must have a key",
                f"host {settings.host} and no key",
                "Make one first: swapregret serve key create --scope admin; or listen on 127.0.0.1.",
            )
        damaged = {fault.problem: fault.what for fault in (check(store) if settings.check else [])}
        for problem, what in damaged.items():
            _log.error("damage: problem %s: %s", problem or "any", what)
        if "" in damaged:
            do = "See: swapregret serve check. Restore a backup."
            raise InvalidInput("the database must be as it was written", damaged[""], do)
        opened.pop_all()
    gate, service = Gate(settings), Service(store, settings, nursery, damaged)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        yield
        await service.stop()

    app = FastAPI(
        title="swapregret",
        version=sr.__version__,
        description="Repeated combinatorial decisions with no swap regret.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        lifespan=life,
    )
    for router in make_routers(service, keys, gate):
        app.include_router(router)
    _add_pages(app)
    _add_faults(app)
    shield = Shield(app, settings, keys, gate, service.metrics)
    if not settings.origins:
        return shield
    headers = ["Authorization", "Content-Type", "Idempotency-Key"]
    return CORSMiddleware(shield, allow_origins=settings.origins, allow_methods=["GET", "POST"], allow_headers=headers)


def run_server(settings: Settings, ready: Callable[[int], None] = lambda _: None) -> None:
    """Serve until a signal ends it; ``ready`` is told the port when the database is open, before the first request."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )  # its processes, too
    settings = with_handles(settings)
    app = make_app(settings)
    listening = _listen(settings.host, settings.port)
    ready(listening.getsockname()[1])
    sys.setswitchinterval(0.0005)  # the writer waits for the disk, not for its turn
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.connections + 100,  # above it Uvicorn refuses; below it Connection makes room
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
        log_config=None,
    )
    uvicorn.Server(config).run([listening])


def with_handles(settings: Settings) -> Settings:
    """Let this process have a file for each connection; where the system allows fewer, return settings with fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = sys.maxsize if hard == resource.RLIM_INFINITY else hard
    others = settings.max_live + settings.making + settings.logs + _SPARE
    needed = min(most, settings.connections + others)
    if 0 <= soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    connections = max(1, needed - others)
    if connections < settings.connections:
        _log.warning("%d connections, not %d: the system allows %d open files", connections, settings.connections, hard)
    return replace(settings, connections=connections)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there can be none."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        raise InvalidInput(
            "`--host` and `--port` must be an address of this machine that nobody else listens on",
            f"{host} and {port}: {os.strerror(getattr(error, 'errno', None) or 0)}",
            "End the other program, or choose another --port.",
        ) from None


def _add_pages(app: FastAPI) -> None:
    folder = importlib.resources.files("swapregret.serve") / "pages"
    contents = {each.name: each.read_bytes() for each in folder.iterdir()}

    def page(name: str) -> Response:
        if name not in contents:
            raise NotFound("the page must exist", repr(name[:40]), "The dashboard is at /, the API at /docs.")
        return Response(contents[name], media_type=f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8")

    app.get("/", include_in_schema=False)(lambda: page("index.html"))
    app.get("/docs", include_in_schema=False)(lambda: page("docs.html"))
    app.get("/pages/{name}", include_in_schema=False)(page)


def _add_faults(app: FastAPI) -> None:
    @app.exception_handler(SwapRegretError)
    async def refused(request: Request, error: SwapRegretError) -> JSONResponse:
        endpoint, field = _endpoint(request), named_field(error)
        if endpoint == _CREATE and field not in ProblemSpec.model_fields and status_of(error) in (413, 422):
            field = "set" if field is None else f"set.{field}"  # what else there is belongs to the set
        return answer_to(error, endpoint, field)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = error.errors()
        first: Json = dict(faults[0])
        cause, field = first.get("ctx", {}).get("error"), _field(first["loc"])
        if isinstance(cause, SwapRegretError):  # a field that does not exist
            return answer_to(cause, _endpoint(request), cause.came.strip("'"))
        if first["type"] == "json_invalid":
            field = "the body"
            made: SwapRegretError = InvalidInput(
                "the body must be JSON", f"{cause}, character {first['loc'][-1]}", "See /docs."
            )
        elif isinstance(first.get("input"), bytes):  # not even read
            kind = request.headers.get("content-type")
            came = "no Content-Type" if kind is None else shown(kind)
            made = InvalidInput("the body must be JSON, and say so", came, "Send `Content-Type: application/json`.")
        else:
            made = _wrong(field, faults)
        return answer_to(made, _endpoint(request), field)

    @app.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> JSONResponse:
        came = f"{request.method} {request.url.path[:80]}"
        made = Refusal("a request must be one of those described at /docs", came, f"{error.detail}: look it up there.")
        return answer_to(made, came, None, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:
        made = Refusal("the server must not fail", type(error).__name__, "See its log; the request may be sent again.")
        return answer_to(made, _endpoint(request), None, 500)


def _endpoint(request: Request) -> str:
    """Return the route of a request as /docs names it."""
    return f"{request.method} {getattr(request.scope.get('route'), 'path', request.url.path[:80])}"


def _wrong(field: str, faults: Sequence[Any]) -> SwapRegretError:
    """Return what the library that checks requests says, in the words of HTTP and JSON."""
    first = faults[0]
    said, kind, given = first["msg"], first["type"], first.get("input")
    if kind == "literal_error":
        try:
            check_name(given, re.findall(r"'(.*?)'", first["ctx"]["expected"]), field)
        except InvalidInput as error:
            return error
    if kind.endswith("_type"):
        said = " or ".join(dict.fromkeys(each["msg"] for each in faults if each["type"].endswith("_type")))
    for pattern, word in _WORDS.items():
        said = re.sub(pattern, word, said)
    name = field if field == "the body" else f"`{field}`"
    must = f"{name} {said}" if said.startswith("must ") else said if " must " in said else f"{name}: {said}"
    if kind == "missing":
        return InvalidInput(f"{name} must be given", "nothing", "See /docs.")
    return InvalidInput(must, readable_json(given)[:80], "See /docs.")


def _field(place: Sequence[str | int]) -> str:
    """Return where in a body something is wrong, without the types that were tried."""
    parts = [str(part) for part in place if part not in ("body", "query", "header")]
    return (
        ".".join(takewhile(re.compile(r"(?!(float|int|str|list|dict|function|constrained)\b)[\w-]+$").match, parts))
        or "the body"
    )
