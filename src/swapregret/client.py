"""A client of the decision service (``swapregret serve``); needs ``pip install 'swapregret[serve]'``.

Every call that changes something carries an Idempotency-Key, so it is sent again without harm when the connection breaks or the
server is not there for a moment.
"""

import asyncio
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

import httpx

from swapregret.errors import InvalidInput, SwapRegretError

Answer: TypeAlias = Any
"""What the service answers, JSON as its API says; of ``AsyncClient``, to be awaited."""
_AGAIN = (408, 429, 500, 502, 503, 504)


class ServiceError(SwapRegretError):
    """What the service refused: what must hold, what came, what to do; its HTTP ``status``, ``field`` and ``endpoint``."""

    status = 0
    field: str | None = None
    endpoint = ""


class _Calls(ABC):
    """What both clients can do, each with connections of its own kind; each call is (method, path, body)."""

    _connections: type[httpx.Client | httpx.AsyncClient]

    def __init__(self, url: str = "http://127.0.0.1:8000", key: str | None = None, *, tries: int = 6) -> None:
        if tries < 1:
            raise InvalidInput("`tries` must be 1 or more", repr(tries), "A call is sent at least once.")
        self._tries = tries
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        patience = httpx.Timeout(10.0, read=240.0)  # a new problem may have to be compiled
        self._http: Any = self._connections(base_url=url, headers=headers, timeout=patience)

    def create(self, set: str | Mapping[str, object], **options: object) -> Answer:
        """Make a problem, and return it with its id; ``options`` are the fields of POST /problems."""
        return self._call("POST", "/problems", {"set": set, **options})

    def problems(self, **chosen: str | float) -> Answer:
        """Return the newest problems; ``chosen`` are ``state``, ``within`` (seconds) and ``limit`` of GET /problems."""
        return self._call("GET", f"/problems?{urlencode(chosen)}" if chosen else "/problems")

    def problem(self, problem: str) -> Answer:
        """Return where a problem stands."""
        return self._call("GET", _path("problems", problem))

    def decide(self, problem: str, count: int = 1, **given: Any) -> Answer:
        """Make decisions: ``{"decisions": [{"id", "day", "elements", "choice", "text"}], "marginals": {…}}``.

        ``given`` are further fields of POST /problems/{id}/decisions: ``without`` or ``available``, a ``context``, an ``id`` of
        your own.
        """
        return self._call("POST", _path("problems", problem, "decisions"), {"count": count, **given})

    def reward(self, decision: str, reward: float | list[float]) -> Answer:
        """Report what a decision earned (or cost)."""
        return self._call("POST", _path("decisions", decision, "reward"), {"reward": reward})

    def skip(self, decision: str) -> Answer:
        """Say that the reward of a decision will never be known."""
        return self._call("POST", _path("decisions", decision, "skip"))

    def rewards(
        self, problem: str, rewards: Mapping[Any, float | list[float] | None], *, by: str = "decision"
    ) -> Answer:
        """Report many rewards of one problem, by decision, or by ids of your own with ``by="id"``; None skips."""
        items = [{by: id, **({"skip": True} if told is None else {"reward": told})} for id, told in rewards.items()]
        return self._call("POST", _path("problems", problem, "rewards"), {"rewards": items})

    def archive(self, problem: str) -> Answer:
        """Take no more decisions."""
        return self._call("POST", _path("problems", problem, "archive"))

    @abstractmethod
    def _call(self, method: str, path: str, body: object = None) -> Answer:
        """Send a request until it is answered."""

    def _request(self, method: str, path: str, body: object) -> Answer:
        headers = {} if method == "GET" else {"Idempotency-Key": secrets.token_hex(16)}
        return {"method": method, "url": path, "headers": headers, **({} if body is None else {"json": body})}

    def _pauses(self) -> Iterator[float]:
        """Yield how long to wait after each try but the last: longer and longer, and never two clients in step."""
        for attempt in range(self._tries - 1):
            yield min(2.0, 0.1 * 2.0**attempt) * (0.5 + secrets.randbelow(1000) / 1000)


class Client(_Calls):
    """Talks to a service, one call after another.

    Parameters
    ----------
    url : str
    key : str, optional
        An API key (``swapregret serve key create``).
    tries : int
        How often a call is sent at most.

    Notes
    -----
    ::

        with Client("http://127.0.0.1:8000") as client:
            problem = client.create("msets 10 3", horizon=10_000)["id"]
            decision = client.decide(problem)["decisions"][0]
            client.reward(decision["id"], 0.4)
    """

    _connections = httpx.Client

    def _call(self, method: str, path: str, body: object = None) -> Answer:
        request = self._request(method, path, body)
        for pause in self._pauses():
            with suppress(httpx.TransportError):
                answer = self._http.request(**request)
                if answer.status_code not in _AGAIN:
                    return _read(answer)
            time.sleep(pause)
        return _read(self._http.request(**request))

    def __enter__(self) -> "Client":
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close its connections."""
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()


class AsyncClient(_Calls):
    """The same for asyncio: ``async with AsyncClient(url) as client: await client.decide(problem)``."""

    _connections = httpx.AsyncClient

    async def _call(self, method: str, path: str, body: object = None) -> Answer:
        request = self._request(method, path, body)
        for pause in self._pauses():
            with suppress(httpx.TransportError):
                answer = await self._http.request(**request)
                if answer.status_code not in _AGAIN:
                    return _read(answer)
            await asyncio.sleep(pause)
        return _read(await self._http.request(**request))

    async def __aenter__(self) -> "AsyncClient":
        """Return the client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close its connections."""
        await self.close()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()


def _path(*parts: str) -> str:
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def _read(answer: httpx.Response) -> Answer:
    if answer.is_success:
        return answer.json()
    try:
        told = answer.json()["error"]
        error = ServiceError(told["must"], told["came"], told["do"])
        error.field, error.endpoint = told["field"], told["endpoint"]
    except (ValueError, KeyError, TypeError):
        error = ServiceError("the service must answer in JSON", f"status {answer.status_code}", "Check the address.")
    error.status = answer.status_code
    raise error
