"""The routes: thin. Each reads a request, calls the service, and hands over the JSON."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse

import swapregret as sr
from swapregret.errors import SwapRegretError
from swapregret.serve.log import log_lines
from swapregret.serve.models import (
    Closed,
    ClosedMany,
    Created,
    DecisionsIn,
    DecisionsOut,
    Fault,
    Health,
    ProblemOut,
    RewardIn,
    RewardsIn,
)
from swapregret.serve.problems import ProblemSpec
from swapregret.serve.refusals import TooBig, as_json, status_of
from swapregret.serve.service import Service
from swapregret.serve.writer import Reply, RequestKey

__all__ = ["make_router"]

_STREAM_SECONDS = 1.0
_FAULTS: dict[int | str, dict[str, Any]] = {status: {"model": Fault} for status in (401, 403, 404, 409, 413, 422, 503)}
IdempotencyKey = Annotated[
    str | None,
    Header(
        description="A new random text for each new request; retries with it are answered, not done, again.",
        max_length=200,
    ),
]


def make_router(service: Service) -> APIRouter:
    """Return the routes of a service."""
    router = APIRouter(responses=_FAULTS)
    limit = service.settings.max_batch

    def check_batch(count: int) -> None:
        if count > limit:
            raise TooBig(
                f"a request must have at most {limit} decisions or rewards", str(count), "Send several requests."
            )

    @router.post("/problems/{problem}/decisions", status_code=201, response_model=DecisionsOut, tags=["decisions"])
    async def make_decisions(
        problem: str, request: Request, wanted: DecisionsIn | None = None, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Make one decision, or a batch. Act on it, then report its reward."""
        count = 1 if wanted is None else wanted.count
        check_batch(count)
        return _json(await service.decide(problem, count, await _key(request, idempotency_key)))

    @router.post("/decisions/{decision}/reward", response_model=Closed, tags=["decisions"])
    async def report_reward(
        decision: str, sent: RewardIn, request: Request, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Report what a decision earned: late, out of order, or twice (the second time changes nothing)."""
        return _json(await service.close(decision, sent.reward, await _key(request, idempotency_key)))

    @router.post("/decisions/{decision}/skip", response_model=Closed, tags=["decisions"])
    async def skip_decision(decision: str, request: Request, idempotency_key: IdempotencyKey = None) -> Response:
        """Say that the reward of a decision will never be known: nothing is learnt from it."""
        return _json(await service.close(decision, None, await _key(request, idempotency_key)))

    @router.post("/problems/{problem}/rewards", response_model=ClosedMany, tags=["decisions"])
    async def report_rewards(
        problem: str, sent: RewardsIn, request: Request, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Report many rewards and skips of one problem; each is answered for itself."""
        check_batch(len(sent.rewards))
        items = [(each.decision, each.reward) for each in sent.rewards]
        return _json(await service.close_many(problem, items, await _key(request, idempotency_key)))

    @router.post("/problems", status_code=201, response_model=Created, tags=["problems"])
    async def create_problem(spec: ProblemSpec, request: Request, idempotency_key: IdempotencyKey = None) -> Response:
        """Make a problem: a repeated decision with a learner of its own."""
        return _json(await service.create(spec, await _key(request, idempotency_key)))

    @router.get("/problems", tags=["problems"])
    async def list_problems() -> list[ProblemOut]:
        """List all problems, newest first."""
        return [ProblemOut(**each) for each in await service.problems()]

    @router.get("/problems/{problem}", tags=["problems"])
    async def show_problem(problem: str) -> ProblemOut:
        """Say where a problem stands."""
        return ProblemOut(**await service.problem(problem))

    @router.post("/problems/{problem}/archive", tags=["problems"])
    async def archive_problem(problem: str, request: Request, idempotency_key: IdempotencyKey = None) -> Response:
        """Take no more decisions; rewards of open ones may still come."""
        return _json(await service.archive(problem, await _key(request, idempotency_key)))

    @router.get("/problems/{problem}/log", response_class=Response, tags=["problems"])
    async def download_log(problem: str) -> Response:
        """Return all rewarded decisions as a CSV file for `swapregret audit`."""
        await asyncio.to_thread(service.store.problem, problem)
        lines = log_lines(service.store, problem, service.settings.max_dimension)
        name = {"Content-Disposition": f'attachment; filename="{problem}.csv"'}
        return StreamingResponse(lines, media_type="text/csv", headers=name)

    @router.get("/problems/{problem}/view", response_class=Response, tags=["dashboard"])
    async def view_problem(problem: str) -> Response:
        """Return what the dashboard draws."""
        return Response(await service.view(problem), media_type="application/json")

    @router.get("/problems/{problem}/stream", response_class=Response, tags=["dashboard"])
    async def stream_problem(problem: str) -> Response:
        """Send what the dashboard draws whenever it has changed, as server-sent events."""
        await service.view(problem)
        return StreamingResponse(_stream(service, problem), media_type="text/event-stream")

    @router.get("/health", tags=["server"])
    async def health() -> Health:
        """Say whether the server and its database work."""
        await asyncio.to_thread(service.store.ping)
        return Health(status="ok", version=sr.__version__)

    @router.get("/metrics", response_class=Response, tags=["server"])
    async def metrics() -> Response:
        """Return counts in Prometheus' text format."""
        return Response(service.metrics.text(service.gauges()), media_type="text/plain; version=0.0.4")

    return router


async def _key(request: Request, header: str | None) -> RequestKey | None:
    if header is None:
        return None
    asked = f"{request.method} {request.url.path}\n".encode() + await request.body()
    owner = f"{request.state.key}\n{header}".encode()
    return RequestKey(hashlib.sha256(owner).hexdigest(), hashlib.sha256(asked).hexdigest())


def _json(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type="application/json")


async def _stream(service: Service, problem: str) -> AsyncIterator[bytes]:
    last: bytes = b""
    while True:
        try:
            view = await service.view(problem)
        except SwapRegretError as error:
            yield b"event: fault\ndata: " + json.dumps(as_json(error)).encode() + b"\n\n"
            if status_of(error) != 503:
                return
        else:
            yield b": still here\n\n" if view == last else b"event: view\ndata: " + view + b"\n\n"
            last = view
        await asyncio.sleep(_STREAM_SECONDS)
