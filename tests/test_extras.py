"""Packages that not every installation has: the sentence names the extra, and everything else works without them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from swapregret.errors import Unsupported
from swapregret.extras import EXTRAS, extra_of, require_extra

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted(module for modules in EXTRAS.values() for module in modules)
DISTRIBUTIONS = {"pyspiel": "open_spiel"}
"""What a module is installed by, where the name is another."""

BARE = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        package = name.split(".")[0]
        if package in {MODULES!r}:
            raise ModuleNotFoundError(f"No module named {{package!r}}", name=package)

sys.meta_path.insert(0, Blocked())
"""
"""What makes an interpreter behave as if no extra were installed."""


def run_bare(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that finds no package of an extra."""
    return subprocess.run(
        [sys.executable, "-c", BARE + code], capture_output=True, text=True, timeout=300, check=False, cwd=ROOT
    )


def test_learning_playing_and_measuring_need_no_extra() -> None:
    """Import, a session, a play, an audit and a self-play work with nothing but the base install."""
    done = run_bare(
        """
import swapregret as sr
actions = sr.MSets(5, 2, labels="abcde")
session = sr.Session(sr.swap_combcp(actions, 50), rng=0)
session.act(); session.observe(0.5)
result = sr.play(sr.swap_combcp(actions, 50), sr.environments.cyclic(actions, 50, rng=0), rng=0, replications=2)
assert result.swap_regret.value >= 0.0
sr.audit(actions, [("a", "b")], [[.1, .2, .3, .1, .1]])
sr.games.self_play(game := sr.games.chicken(), [sr.baselines.uniform(a) for a in game.action_sets], 10, rng=0)
print(repr(result), "played")
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("played")


@pytest.mark.parametrize(
    ("call", "module"),
    [
        ("sr.load_results('nowhere')", "polars"),
        ("sr.load_cells('nowhere')", "polars"),
        ("sr.networks.read_gml('nowhere.gml')", "networkx"),
    ],
)
def test_what_needs_an_extra_names_it(call: str, module: str) -> None:
    """A call whose package is missing raises our error with the command that installs it."""
    done = run_bare(
        f"import swapregret as sr\ntry:\n    {call}\nexcept sr.errors.Unsupported as error:\n    print(error)"
    )
    assert f"got no {module}." in done.stdout, done.stderr
    assert f'pip install "swapregret[{extra_of(module)}]"' in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "run spec.toml --out x",
        "results folder",
        "report folder",
        "table1 --html x.html --horizon 10",
        "counterexample --html x.html --horizon 10",
        "exploit --html x.html --horizon 10",
        "game game.toml --report x.html",
        "audit plays.csv --set msets_4_2 --picture x.html",
    ],
)
def test_a_command_names_its_extra_with_the_bracket(command: str, tmp_path: Path) -> None:
    """Commands that need more exit with a sentence in which the bracket can be seen, before they compute."""
    (tmp_path / "spec.toml").write_text(
        'horizons = 10\nsets = "msets 4 2"\nenvironments = "iid"\nplayers = "uniform"\n'
    )
    (tmp_path / "game.toml").write_text('[game]\nkind = "chicken"\n[play]\nrounds = 10\n')
    (tmp_path / "plays.csv").write_text("action,reward:0,reward:1,reward:2,reward:3\n0;1,0,0,0,0\n")
    (tmp_path / "folder").mkdir()
    words = [word.replace("_", " ") for word in command.split()]
    done = run_bare(f"import os\nos.chdir({str(tmp_path)!r})\nfrom swapregret.cli import app\napp({words!r})")
    assert done.returncode == 2, done.stderr
    assert "swapregret[experiments]" in done.stderr.replace("\n", "")
    assert "Traceback" not in done.stderr


def test_the_list_of_commands_needs_no_extra() -> None:
    """Every command can say what it does, whatever is installed."""
    listed = run_bare("from swapregret.cli import app\napp(['--help'])")
    assert listed.returncode == 0, listed.stderr
    assert "demo" in listed.stdout


def test_the_base_install_is_small() -> None:
    """Nothing of an extra comes with every installation."""
    base = {re.split(r"[<>=\[]", line)[0] for line in PROJECT["dependencies"]}
    assert base == {"numpy", "scipy", "numba", "typer", "rich"}


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_what_is_asked_for(extra: str) -> None:
    """Every module of an extra comes with it."""
    brought = {re.split(r"[<>=\[]", line)[0] for line in PROJECT["optional-dependencies"][extra]}
    assert {DISTRIBUTIONS.get(module, module) for module in EXTRAS[extra]} <= brought


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_missing_extra_is_named_with_its_bracket(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence: what needs it, what is missing, the command."""
    require_extra(extra, "reading stars")
    for name in EXTRAS[extra]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Unsupported) as caught:
        require_extra(extra, "reading stars", otherwise="Or look up.")
    missing = ", ".join(EXTRAS[extra])
    assert str(caught.value) == (
        f"the extra `{extra}` must be installed for reading stars: got no {missing}. "
        f'Install it: pip install "swapregret[{extra}]". Or look up.'
    )
