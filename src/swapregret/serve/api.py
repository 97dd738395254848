"""The routes: what each request does with the problem it names.

A request that changes something is a job of the writer. Its answer is kept under its Idempotency-Key, and given again.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPBearer

import swapregret as sr
from swapregret.errors import SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve import SCOPES, models
from swapregret.serve.gate import Gate
from swapregret.serve.keys import KeyRing
from swapregret.serve.problems import ProblemSpec, Reported
from swapregret.serve.processes.jobs import Asked, Own, Reply, read_decision_id
from swapregret.serve.refusals import HeldElsewhere, TooBig, Unavailable, as_json, status_of
from swapregret.serve.service import Service
from swapregret.serve.view import row_json
from swapregret.serve.writer import RequestKey

_STREAM_SECONDS, _HEALTH_SECONDS = 1.0, 5.0
_FAULTS: dict[int | str, Json] = {
    status: {"model": models.Fault} for status in (400, 401, 403, 404, 405, 408, 409, 413, 422, 429, 503)
}


async def _key(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="A new random text for each new request; retries with it are answered, not done, again.",
            max_length=200,
        ),
    ] = None,
) -> RequestKey | None:
    if idempotency_key is None:
        return None
    asked = f"{request.method} {request.url.path}\n".encode() + await request.body()
    owner = f"{request.state.key}\n{idempotency_key}".encode()
    name = f"{request.state.key}:{hashlib.sha256(owner).hexdigest()}"  # those of one API key lie together
    return RequestKey(name, hashlib.sha256(asked).hexdigest())


Key = Annotated[RequestKey | None, Depends(_key)]
_Problem = Annotated[str, Path(description="The id of the problem.")]
_Decision = Annotated[str, Path(description="The id of the decision.")]


def make_routers(service: Service, keys: KeyRing, gate: Gate) -> list[APIRouter]:
    """Return the routes of a service. A router stands for a scope: no route can be without one, whatever its path."""
    free = APIRouter(responses=_FAULTS)
    read, decide, admin = (APIRouter(responses=_FAULTS, dependencies=[_needs(keys, gate, scope)]) for scope in SCOPES)
    _add_decisions(decide, service)
    _add_making(admin, service)
    _add_problems(read, service)
    _add_streams(read, service, gate)

    @free.get("/health", tags=["server"])
    async def health() -> models.Health:
        """Say whether the server lives and its database answers; what could not be written is tried again first."""
        if service.writer.trouble is not None:
            await _soon(service.probe())
        await _soon(asyncio.to_thread(service.store.ping))
        return models.Health(status="ok", version=sr.__version__)

    @free.get("/ready", tags=["server"])
    async def ready() -> models.Health:
        """Say whether the server can take requests: something was written to the disk within the last second."""
        await _soon(service.probe())
        return models.Health(status="ok", version=sr.__version__)

    @read.get("/metrics", response_class=Response, tags=["server"])
    async def metrics() -> Response:
        """Return counts in Prometheus' text format."""
        return Response(service.metrics.text(service.gauges()), media_type="text/plain; version=0.0.4")

    return [free, read, decide, admin]


def _needs(keys: KeyRing, gate: Gate, scope: str) -> Any:
    """Return what stands before each route of a scope: the key of the request must have it, and ask for no more than it may."""
    bearer = HTTPBearer(
        auto_error=False,
        scheme_name="key",
        description="Needed as soon as a key was made. Each scope has those before.",
    )

    async def check(request: Request, _: Annotated[Any, Security(bearer, scopes=[scope])]) -> None:
        request.state.allowed = partial(keys.allow, request.headers.get("authorization", ""), scope)
        request.state.key = await request.state.allowed()
        gate.enter(request.scope["state"], "requests")

    return Depends(check)


def _add_decisions(router: APIRouter, service: Service) -> None:
    limit = service.settings.max_batch

    def check_batch(count: int) -> None:
        if count > limit:
            raise TooBig(
                f"a request must have at most {limit} decisions or rewards", str(count), "Send several requests."
            )

    @router.post(
        "/problems/{problem}/decisions", status_code=201, response_model=models.DecisionsOut, tags=["decisions"]
    )
    async def make_decisions(problem: _Problem, key: Key, wanted: models.DecisionsIn | None = None) -> Response:
        """Make one decision, or a batch. Act on it, then report its reward."""
        given = models.DecisionsIn() if wanted is None else wanted
        check_batch(given.count)
        asked = Asked(given.without, given.available, given.id, given.context)
        return _response(
            await service.call(problem, "decide", given.count, service.settings.max_answer, asked, key=key)
        )

    async def close_one(decision: str, reported: Reported | None, key: RequestKey | None) -> Response:
        problem, _ = read_decision_id(decision)
        return _response(await service.call(problem, "close", [(decision, reported)], False, key=key))

    @router.post("/decisions/{decision}/reward", response_model=models.Closed, tags=["decisions"])
    async def report_reward(decision: _Decision, sent: models.RewardIn, key: Key) -> Response:
        """Report what a decision earned: late, out of order, or twice (the second time changes nothing)."""
        return await close_one(decision, sent.reward, key)

    @router.post("/decisions/{decision}/skip", response_model=models.Closed, tags=["decisions"])
    async def skip_decision(decision: _Decision, key: Key) -> Response:
        """Say that the reward of a decision will never be known: nothing is learnt from it."""
        return await close_one(decision, None, key)

    @router.post("/problems/{problem}/rewards", response_model=models.ClosedMany, tags=["decisions"])
    async def report_rewards(problem: _Problem, sent: models.RewardsIn, key: Key) -> Response:
        """Report many rewards and skips of one problem; each is answered for itself."""
        check_batch(len(sent.rewards))

        items = [(str(each.decision) if each.id is None else Own(each.id), each.reward) for each in sent.rewards]
        return _response(await service.call(problem, "close", items, True, key=key))


def _add_making(router: APIRouter, service: Service) -> None:
    @router.post("/problems", status_code=201, response_model=models.Created, tags=["problems"])
    async def create_problem(spec: ProblemSpec, key: Key) -> Response:
        """Make a problem: a repeated decision with a learner of its own."""
        return _response(await service.create(spec, key))

    @router.post("/problems/{problem}/archive", response_model=models.Archived, tags=["problems"])
    async def archive_problem(problem: _Problem, key: Key) -> Response:
        """Take no more decisions; rewards of open ones may still come."""
        return _response(await service.call(problem, "archive", key=key))


def _add_problems(router: APIRouter, service: Service) -> None:
    listing = asyncio.Lock()

    @router.get("/problems", response_model=list[models.ProblemOut], tags=["problems"])
    async def list_problems(
        state: Annotated[Literal["open", "archived"] | None, Query(description="Only these.")] = None,
        within: Annotated[float | None, Query(gt=0, description="Made within so many seconds.")] = None,
        limit: Annotated[int, Query(ge=1, le=1_000, description="So many at most.")] = 200,
    ) -> Response:
        """List problems, newest first."""
        since = 0.0 if within is None else service.now() - within

        def listed() -> bytes:
            rows = service.store.problems(state, since, limit)
            return json.dumps([row_json(row, service.owner) for row in rows if row.id not in service.damaged]).encode()

        async with listing:  # one after another: a list takes the interpreter from those who decide
            return Response(await asyncio.to_thread(listed), media_type="application/json")

    @router.get("/problems/{problem}", tags=["problems"])
    async def show_problem(problem: _Problem) -> models.ProblemOut:
        """Say where a problem stands."""
        try:
            status = await service.call(problem, "status")
        except HeldElsewhere:
            status = {}  # what its learner knows, the process that serves it knows
        row = await asyncio.to_thread(service.store.problem, problem)
        return models.ProblemOut(**row_json(row, service.owner), **status)


def _add_streams(router: APIRouter, service: Service, gate: Gate) -> None:
    @router.get("/problems/{problem}/log", response_class=Response, tags=["problems"])
    async def download_log(problem: _Problem, request: Request) -> Response:
        """Return all rewarded decisions as a CSV file for `swapregret audit`."""
        gate.enter(request.scope["state"], "logs")
        lines = service.reading.log(problem)
        first = await anext(lines)  # refused before the answer begins

        async def all_lines() -> AsyncIterator[bytes]:
            async with aclosing(lines):
                yield first
                async for each in lines:
                    await request.state.allowed()  # the key may be revoked by now
                    yield each

        name = {"Content-Disposition": f'attachment; filename="{problem}.csv"'}
        return StreamingResponse(all_lines(), media_type="text/csv", headers=name)

    @router.get("/problems/{problem}/view", response_class=Response, tags=["dashboard"])
    async def view_problem(problem: _Problem) -> Response:
        """Return what the dashboard draws."""
        return Response(await service.view(problem), media_type="application/json")

    @router.get("/problems/{problem}/stream", response_class=Response, tags=["dashboard"])
    async def stream_problem(problem: _Problem, request: Request) -> Response:
        """Send what the dashboard draws whenever it has changed, as server-sent events."""
        gate.enter(request.scope["state"], "streams")
        await service.view(problem)
        return StreamingResponse(_stream(service, problem, request.state.allowed), media_type="text/event-stream")


async def _soon(answer: Awaitable[None]) -> None:
    """Wait for the database as long as who asks for health does."""
    try:
        await asyncio.wait_for(answer, _HEALTH_SECONDS)
    except TimeoutError:
        must = f"the database must answer within {_HEALTH_SECONDS:g} seconds"
        raise Unavailable(must, "nothing", "It is frozen, locked or overloaded.") from None


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type="application/json")


async def _stream(service: Service, problem: _Problem, allowed: Callable[[], Awaitable[str]]) -> AsyncIterator[bytes]:
    last: bytes = b""
    while True:
        try:
            await allowed()  # the key may be revoked by now
            view = await service.view(problem)
        except SwapRegretError as error:
            yield b"event: fault\ndata: " + json.dumps(as_json(error)).encode() + b"\n\n"
            if status_of(error) != 503:
                return
        else:
            yield b": still here\n\n" if view == last else b"event: view\ndata: " + view + b"\n\n"
            last = view
        await asyncio.sleep(_STREAM_SECONDS)
