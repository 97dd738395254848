"""The report of a running campaign: on loopback only, new when a run has finished, and told when it is over."""

import json
import socket
import struct
import threading
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.experiments.report.live_report import LiveReport
from swapregret.experiments.runs.runner import read_plan, run_plan

_SPEC = """
name = "live"
seed = 5
replications = 2
horizons = 24
sets = ["msets 4 2"]
environments = "cyclic"
players = ["uniform"]
"""


def ask(live: LiveReport, path: str, host: str | None = None) -> tuple[int, bytes]:
    """Return status and body of a request."""
    place = urlsplit(live.address)
    connection = HTTPConnection("127.0.0.1", place.port, timeout=20)
    connection.request("GET", path, headers={"Host": host or place.netloc})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder with a spec."""
    (tmp_path / "spec.toml").write_text(_SPEC, encoding="utf-8")
    return tmp_path


def test_the_page_follows_the_runs(home: Path) -> None:
    """It waits, shows runs once they are told of, has nothing new twice, and says when it is over."""
    live = LiveReport(home / "out")
    assert urlsplit(live.address).hostname == "127.0.0.1"
    status, page = ask(live, "/")
    assert (status, b"No run has finished yet" in page, b'data-version="0"' in page) == (200, True, True)
    assert ask(live, "/live.json?seen=0")[0] == 204
    plan, spec = read_plan(home / "spec.toml")
    assert run_plan(plan, spec, home / "out", jobs=1).failures == []
    live.changed()
    news = json.loads(ask(live, "/live.json?seen=0")[1])
    assert (news["version"], news["labels"], news["is_over"]) == (1, ["msets 4 2 · cyclic · T = 24"], False)
    assert "2 of 2 runs finished" in news["lead"]
    assert ask(live, "/live.json?seen=1")[0] == 204
    assert b'data-live="true"' in ask(live, "/")[1]
    closing = threading.Thread(target=live.close)
    closing.start()
    status, body = ask(live, "/live.json?seen=1")
    while status == 204:  # asked before the end was told
        status, body = ask(live, "/live.json?seen=1")
    assert json.loads(body)["is_over"]
    closing.join(20)
    assert not closing.is_alive()


def test_strangers_and_other_paths_are_turned_away(home: Path) -> None:
    """A request that another name was asked for, or another file, gets nothing."""
    with LiveReport(home / "out") as live:
        assert ask(live, "/", host="attacker.example")[0] == 403
        assert ask(live, "/../spec.toml")[0] == 404


def test_a_page_that_is_closed_early_prints_nothing(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A browser that goes away before the page was sent, or in the middle of it, leaves the terminal alone."""
    with LiveReport(home / "out") as live:
        plan, spec = read_plan(home / "spec.toml")
        assert run_plan(plan, spec, home / "out", jobs=1).failures == []
        live.changed()
        place = urlsplit(live.address)
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", place.port or 0), timeout=20) as browser:
                browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # to hang up at once
                browser.sendall(f"GET / HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        assert ask(live, "/")[0] == 200
    assert capfd.readouterr().err == ""


def test_the_command_tells_the_address(home: Path) -> None:
    """`run --live` says where the report is, and ends when the campaign does."""
    done = CliRunner().invoke(
        app, ["run", str(home / "spec.toml"), "--out", str(home / "out"), "--jobs", "1", "--live"]
    )
    assert done.exit_code == 0, done.output
    assert "The report so far: http://127.0.0.1:" in done.output
    assert "2 runs: 2 made" in done.output


def test_the_command_compares_two_folders(home: Path) -> None:
    """`report A B` writes a comparison beside the second; the same folder twice is refused."""
    runner = CliRunner()
    for name in ("a", "b"):
        spec = home / f"{name}.toml"
        spec.write_text(_SPEC.replace('"live"', f'"{name}"'), encoding="utf-8")
        assert runner.invoke(app, ["run", str(spec), "--out", str(home / name), "--jobs", "1"]).exit_code == 0
    done = runner.invoke(app, ["report", str(home / "a"), str(home / "b")])
    assert done.exit_code == 0, done.output
    page = (home / "b" / "comparison.html").read_text(encoding="utf-8")
    assert "What changed from a to b" in page
    assert "All settings are the same." in page
    assert "run is compared with run" in page
    refused = runner.invoke(app, ["report", str(home / "a"), str(home / "a")])
    assert refused.exit_code != 0
    assert "two folders" in refused.output
