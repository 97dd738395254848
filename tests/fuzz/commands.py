"""Commands with hostile words: each ends with a status of 0, 1 or 2, and never with a traceback."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.targets import Target
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app

__all__ = ["WORDS", "command_targets"]

WORDS = (
    "",
    "-1",
    "0",
    "1.5",
    "1e400",
    "1e18",
    "nan",
    "inf",
    "9" * 5000,
    "abc",
    "[/foo]",
    "[bold]x",
    ":smile:",
    "\x1b[31mred",
    "../..",
    "/nonexistent/x",
    "/dev/null",
    "msets",
    "msets 1000000000000 3",
    "msets 3 1000000000000",
    "permutations 1000000",
    "permutations -2",
    "product",
    "product msets",
    "dag",
    "graph /nonexistent",
    "--horizon",
    "-",
    "é" * 50,
    "a\nb",
    "{}",
)
"""What may be typed in place of a word."""


class CommandFailed(Exception):
    """A command ended in a way that no command should."""


def _command(*words: str) -> Callable[..., None]:
    """Return what runs a command with some of its words replaced."""
    runner = CliRunner()

    def call(*given: str) -> None:
        result = runner.invoke(app, [*words, *given])
        error: Any = result.exception
        if error is not None and not isinstance(error, SystemExit):
            raise CommandFailed(f"{type(error).__name__}: {error}")
        if result.exit_code not in (0, 1, 2) or "Traceback" in result.output or "\x1b[31mred" in result.output:
            raise CommandFailed(f"status {result.exit_code}: {result.output[-200:]}")

    return call


def command_targets(folder: Path) -> list[Target]:
    """Return commands that end at once, with words that are right."""
    (folder / "log.csv").write_text("action,reward:0,reward:1,reward:2\n0 1,0.1,0.2,0.3\n1 2,0.1,0.2,0.3\n")
    with sr.Session(sr.baselines.uniform(sr.MSets(3, 2)), rng=1, journal=folder / "x.journal") as session:
        session.act()
    (folder / "bad.toml").write_text("horizon = [")
    calls: dict[str, tuple[str, ...]] = {
        "plan --seconds 0": ("--set", "msets 4 2", "--horizon", "1e4"),
        "audit": (str(folder / "log.csv"), "--set", "msets 3 2"),
        "journal check": (str(folder / "x.journal"),),
        "journal repair": (str(folder / "x.journal"), "--out", str(folder / "y.journal")),
        "results": (str(folder),),
        "report": (str(folder),),
        "run": (str(folder / "bad.toml"), "--out", str(folder / "out")),
        "game": (str(folder / "bad.toml"),),
        "warm": ("--set", "msets x"),
        "table1": ("--days", "x"),
        "nothing": ("x",),
    }
    return [Target(f"swapregret {name}", _command(*name.split()), words) for name, words in calls.items()]
