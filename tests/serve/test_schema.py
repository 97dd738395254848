"""The API from its own description: whatever fits or breaks it, answers are those that are described, and never a failure.

``SWAPREGRET_FUZZ_CALLS`` calls in all, 200 if it is not set (``make test-fuzz``).
"""

import json
import os
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

pytestmark = pytest.mark.serve
Served = Any

CALLS = int(os.environ.get("SWAPREGRET_FUZZ_CALLS", "200"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


def test_whatever_is_sent_is_answered_as_described(server: Served) -> None:
    """Calls made from the description, right and wrong ones, also on a problem that is there, get answers that it describes."""
    described = schemathesis.openapi.from_dict(server.http.get("/openapi.json").json())
    problem = server.make(max_open=10_000)
    operations = [each.ok() for each in described.get_all_operations()]
    assert len(operations) >= 14
    for operation in operations:
        for mode in MODES:
            _call(server, operation, mode, problem, max(5, CALLS // (len(operations) * len(MODES))))
    assert server.http.get("/ready").status_code == 200
    assert len(server.decide(server.make(), 3)) == 3


def _call(server: Served, operation: Any, mode: GenerationMode, problem: str, count: int) -> None:
    days = st.integers(0, 3).map(lambda day: f"{problem}.{day}")

    @seed(int(os.environ.get("SEED", "0")))
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), is_there=st.booleans(), decision=days)
    def send(case: Any, is_there: bool, decision: str) -> None:
        if is_there and not operation.path.endswith("/stream"):  # a stream would never end
            for name in set(case.path_parameters or {}) & {"problem", "decision"}:
                case.path_parameters[name] = problem if name == "problem" else decision
        try:
            answer = case.call(base_url=server.url, timeout=60)
        except (UnicodeError, ValueError, httpx.InvalidURL):
            return  # what no client can send
        case.validate_response(answer, checks=CHECKS)

    with suppress(Unsatisfiable) if mode is GenerationMode.NEGATIVE else nullcontext():  # nothing can be wrong with it
        send()


def _long_lists(kind: Any, parts: Any, entry: Any) -> Iterator[Any]:
    """Yield a value of a kind for each place where it may have a list: this one has one entry, as often as a request can."""
    if "$ref" in kind:
        kind = parts[kind["$ref"].rpartition("/")[2]]
    for each in kind.get("anyOf", ()):
        yield from _long_lists(each, parts, entry)
    for name, each in kind.get("properties", {}).items():
        yield from ({name: value} for value in _long_lists(each, parts, entry))
    if kind.get("type") == "array":
        yield [entry] * (990_000 // (len(json.dumps(entry)) + 1))
        yield from ([value] for value in _long_lists(kind.get("items", {}), parts, entry))


@pytest.mark.parametrize("entry", [0, "", {}, [], None], ids=json.dumps)
def test_a_long_list_of_faults_costs_little(server: Served, entry: Any) -> None:
    """Lists as long as a request may be, wherever the description has one, are answered, and take little memory."""
    described = server.http.get("/openapi.json").json()
    problem, before, n_sent = server.make(), server.peak(), 0
    for path, methods in described["paths"].items():
        sent = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        for body in _long_lists(sent.get("schema", {}), described["components"]["schemas"], entry):
            text = json.dumps({"set": "msets 4 2"} | body if path == "/problems" else body, separators=(",", ":"))
            where = path.format(problem=problem, decision=f"{problem}.0")
            answer = server.http.post(where, content=text, headers={"content-type": "application/json"})
            assert answer.status_code in (404, 409, 413, 422), (path, answer.text[:200])
            assert len(answer.content) < 2_000
            n_sent += 1
    assert n_sent >= 10
    assert server.peak() - before < 100e6
