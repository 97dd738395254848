"""The routes: what each request does with the problem it names.

A request that changes something is a job of the writer. Its answer is kept under its Idempotency-Key, and given again.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPBearer

import swapregret as sr
from swapregret.errors import SwapRegretError
from swapregret.serve import SCOPES, models
from swapregret.serve.keys import KeyRing
from swapregret.serve.problems import ProblemSpec, Reported
from swapregret.serve.refusals import Conflict, HeldElsewhere, NotFound, TooBig, as_json, status_of
from swapregret.serve.service import Service
from swapregret.serve.view import decision_json, log_lines, row_json, status_json
from swapregret.serve.writer import Reply, RequestKey

_STREAM_SECONDS = 1.0
_FAULTS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Fault} for status in (401, 403, 404, 409, 413, 422, 503)
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
    return RequestKey(hashlib.sha256(owner).hexdigest(), hashlib.sha256(asked).hexdigest())


Key = Annotated[RequestKey | None, Depends(_key)]


def make_routers(service: Service, keys: KeyRing) -> list[APIRouter]:
    """Return the routes of a service. A router stands for a scope: no route can be without one, whatever its path."""
    free = APIRouter(responses=_FAULTS)
    read, decide, admin = (APIRouter(responses=_FAULTS, dependencies=[_needs(keys, scope)]) for scope in SCOPES)
    _add_decisions(decide, service)
    _add_making(admin, service)
    _add_problems(read, service)

    @free.get("/health", tags=["server"])
    async def health() -> models.Health:
        """Say whether the server lives and its database answers; what could not be written is tried again first."""
        if service.writer.trouble is not None:
            await service.probe()
        await asyncio.to_thread(service.store.ping)
        return models.Health(status="ok", version=sr.__version__)

    @free.get("/ready", tags=["server"])
    async def ready() -> models.Health:
        """Say whether the server can take requests: something was written to the disk within the last second."""
        await service.probe()
        return models.Health(status="ok", version=sr.__version__)

    @read.get("/metrics", response_class=Response, tags=["server"])
    async def metrics() -> Response:
        """Return counts in Prometheus' text format."""
        return Response(service.metrics.text(service.gauges()), media_type="text/plain; version=0.0.4")

    return [free, read, decide, admin]


def _needs(keys: KeyRing, scope: str) -> Any:
    """Return what stands before each route of a scope: the key of the request must have it."""
    bearer = HTTPBearer(
        auto_error=False,
        scheme_name="key",
        description="Needed as soon as a key was made. Each scope has those before.",
    )

    async def check(request: Request, _: Annotated[Any, Security(bearer, scopes=[scope])]) -> None:
        request.state.allowed = partial(keys.allow, request.headers.get("authorization", ""), scope)
        request.state.key = await request.state.allowed()

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
    async def make_decisions(problem: str, key: Key, wanted: models.DecisionsIn | None = None) -> Response:
        """Make one decision, or a batch. Act on it, then report its reward."""
        count = 1 if wanted is None else wanted.count
        check_batch(count)

        def act() -> Reply:
            live = service.writer.live(problem)
            live.refuse_if_full(count)
            live.problem.refuse_if_large(count, service.settings.max_answer)
            now = service.now()
            made = [live.act(now) for _ in range(count)]
            service.metrics.count("decisions", count)
            marginals = live.open[made[0].day].decision.marginals
            body = {
                "problem": problem,
                "decisions": [decision_json(live, each.day, str(each.value)) for each in made],
                "marginals": dict(zip(live.labels, marginals.tolist(), strict=True)),
            }
            return Reply.of(body, 201)

        return _response(await service.call(problem, act, key))

    async def close_one(decision: str, reported: Reported | None, key: RequestKey | None) -> Response:
        problem, day = read_decision_id(decision)
        return _response(await service.call(problem, lambda: Reply.of(_close(service, problem, day, reported)), key))

    @router.post("/decisions/{decision}/reward", response_model=models.Closed, tags=["decisions"])
    async def report_reward(decision: str, sent: models.RewardIn, key: Key) -> Response:
        """Report what a decision earned: late, out of order, or twice (the second time changes nothing)."""
        return await close_one(decision, sent.reward, key)

    @router.post("/decisions/{decision}/skip", response_model=models.Closed, tags=["decisions"])
    async def skip_decision(decision: str, key: Key) -> Response:
        """Say that the reward of a decision will never be known: nothing is learnt from it."""
        return await close_one(decision, None, key)

    @router.post("/problems/{problem}/rewards", response_model=models.ClosedMany, tags=["decisions"])
    async def report_rewards(problem: str, sent: models.RewardsIn, key: Key) -> Response:
        """Report many rewards and skips of one problem; each is answered for itself."""
        check_batch(len(sent.rewards))

        def close() -> Reply:
            found = []
            for each in sent.rewards:
                try:
                    owner, day = read_decision_id(each.decision)
                    if owner != problem:
                        raise NotFound(
                            f"the decision must belong to problem {problem}", repr(each.decision[:40]), "Send it there."
                        )
                    found.append(_close(service, problem, day, each.reward))
                except SwapRegretError as error:
                    found.append({"decision": each.decision[:60], "state": "refused", **as_json(error)})
            return Reply.of({"n_refused": sum(each["state"] == "refused" for each in found), "results": found})

        return _response(await service.call(problem, close, key))


def _add_making(router: APIRouter, service: Service) -> None:
    @router.post("/problems", status_code=201, response_model=models.Created, tags=["problems"])
    async def create_problem(spec: ProblemSpec, key: Key) -> Response:
        """Make a problem: a repeated decision with a learner of its own."""
        return _response(await service.create(spec, key))

    @router.post("/problems/{problem}/archive", response_model=models.Archived, tags=["problems"])
    async def archive_problem(problem: str, key: Key) -> Response:
        """Take no more decisions; rewards of open ones may still come."""

        def change() -> Reply:
            live = service.writer.live(problem)
            live.state_changed, live.state = live.state != "archived", "archived"
            return Reply.of({"id": problem, "state": "archived", "n_open": len(live.open)})

        return _response(await service.call(problem, change, key))


def _add_problems(router: APIRouter, service: Service) -> None:
    @router.get("/problems", tags=["problems"])
    async def list_problems() -> list[models.ProblemOut]:
        """List all problems, newest first."""
        rows = await asyncio.to_thread(service.store.problems)
        return [models.ProblemOut(**row_json(row, service.owner)) for row in rows]

    @router.get("/problems/{problem}", tags=["problems"])
    async def show_problem(problem: str) -> models.ProblemOut:
        """Say where a problem stands."""
        try:
            status = await service.call(problem, lambda: status_json(service.writer.live(problem), service.now()))
        except HeldElsewhere:
            status = {}  # what its learner knows, the process that serves it knows
        row = await asyncio.to_thread(service.store.problem, problem)
        return models.ProblemOut(**row_json(row, service.owner), **status)

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
    async def stream_problem(problem: str, request: Request) -> Response:
        """Send what the dashboard draws whenever it has changed, as server-sent events."""
        await service.view(problem)
        return StreamingResponse(_stream(service, problem, request.state.allowed), media_type="text/event-stream")


def read_decision_id(id: str) -> tuple[str, int]:
    """Read the problem and the day of a decision's id.

    Examples
    --------
    >>> read_decision_id("k3v9q2mx.17")
    ('k3v9q2mx', 17)
    """
    problem, dot, day = id.rpartition(".")
    if not dot or not (day.isascii() and day.isdecimal() and len(day) < 16):
        raise _no_decision(id)
    return problem, int(day)


def _no_decision(id: str) -> NotFound:
    return NotFound("the decision must exist", repr(id[:40]), "Use the `id` that came with the decision.")


def _close(service: Service, problem: str, day: int, reported: Reported | None) -> dict[str, Any]:
    """Close a decision by its reward, or skip it, or say that this was done before."""
    live, kind = service.writer.live(problem), "skip" if reported is None else "reward"
    id = f"{problem}.{day}"
    if day in live.open:
        live.close(day, kind, reported, service.now())
        service.metrics.count(kind + "s")
        return {"decision": id, "state": kind, "repeated": False}
    if day >= live.totals["n_decisions"]:
        raise _no_decision(id)
    before = next((each for each in live.pending if each.day == day and each.kind != "act"), None)
    before = before or service.store.closing(problem, day)
    assert before is not None, "a decision that is not open was closed"
    value = None if before.value is None else json.loads(before.value)
    if (before.kind, value) == (kind, reported):
        return {"decision": id, "state": kind, "repeated": True}
    raise Conflict(
        f"decision {id} must be closed once",
        f"a {kind} after it was closed by {'its deadline' if before.kind in ('default', 'expire') else 'a ' + before.kind}",
        "Leave it; what came first counts.",
    )


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type="application/json")


async def _stream(service: Service, problem: str, allowed: Callable[[], Awaitable[str]]) -> AsyncIterator[bytes]:
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
