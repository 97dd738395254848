"""The examples run against a real server, as a newcomer would run them."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.serve
Served = Any

FOLDER = Path(__file__).parents[2] / "examples" / "service"


def test_the_curl_script(server: Served) -> None:
    """The script makes a problem, decides, reports and shows the log, with nothing but curl."""
    done = subprocess.run(
        ["bash", str(FOLDER / "decide.sh"), server.url], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"state": "reward"' in done.stdout
    assert ",reward,policy" in done.stdout


def test_the_application(server: Served) -> None:
    """The simulated application gets its decisions and leaves only those open that were never heard of."""
    found = importlib.util.spec_from_file_location("application", FOLDER / "application.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    shown = module.run(server.url, 120)
    assert shown["n_decisions"] == 120
    assert 0 < shown["n_rewards"] <= 120
    assert shown["n_open"] == 120 - shown["n_rewards"] < 15


PROGRAM = """
import { Client, ServiceError } from "./swapregret.mjs";
const client = new Client(process.argv[2]);
const problem = await client.createProblem({ set: "msets 6 2 labels=a,b,c,d,e,f", horizon: 1000, seed: 3 });
const { decisions, marginals } = await client.makeDecisions(problem.id, { count: 3 });
await client.reportReward(decisions[0].id, { reward: 0.4 });
const many = await client.reportRewards(problem.id, { rewards: [{ decision: decisions[1].id, reward: 0.1 }] });
await client.skipDecision(decisions[2].id);
const refused = await client.reportReward(decisions[0].id, { reward: 7 }).catch((error) => error);
const shown = await client.showProblem(problem.id);
const log = await (await client.downloadLog(problem.id)).text();
const newest = await client.listProblems({ limit: 1 });
console.log(JSON.stringify({
  chosen: decisions[0].elements, likely: Object.keys(marginals), many: many.n_refused, decided: shown.n_decisions,
  refused: [refused instanceof ServiceError, refused.status, refused.endpoint], rows: log.trim().split("\\n").length,
  newest: newest.map((each) => each.id === problem.id),
}));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_the_typescript_client(server: Served, tmp_path: Path) -> None:
    """A client made from the description of a server has a typed method for every request, and Node decides with it."""
    maker = [sys.executable, str(FOLDER / "typescript_client.py"), server.url, str(tmp_path)]
    assert subprocess.run(maker, capture_output=True, timeout=60, check=False).returncode == 0
    types = (tmp_path / "swapregret.d.mts").read_text(encoding="utf-8")
    for each in ("createProblem(body: ProblemSpec): Promise<Created>;", "count?: number;", "elements: unknown[];"):
        assert each in types
    described = server.http.get("/openapi.json").json()
    assert types.count("): Promise<") == sum(len(methods) for methods in described["paths"].values())
    assert types.count("export interface ") == len(described["components"]["schemas"])
    (tmp_path / "program.mjs").write_text(PROGRAM, encoding="utf-8")
    program = ["node", str(tmp_path / "program.mjs"), server.url]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["chosen"]) == 2
    assert found["likely"] == list("abcdef")
    assert (found["many"], found["decided"], found["rows"], found["newest"]) == (0, 3, 3, [True])
    assert found["refused"] == [True, 409, "POST /decisions/{decision}/reward"]
