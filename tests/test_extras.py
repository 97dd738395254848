"""Without the extras: learning, playing and measuring work, and what needs more says which extra."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from swapregret.errors import Unsupported
from swapregret.extras import EXTRA_OF, missing, need

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

BARE = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        package = name.split(".")[0]
        if package in {sorted(EXTRA_OF)!r}:
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
    ("call", "package"),
    [
        ("sr.load_results('nowhere')", "polars"),
        ("sr.load_cells('nowhere')", "polars"),
        ("sr.networks.read_gml('nowhere.gml')", "networkx"),
    ],
)
def test_what_needs_an_extra_names_it(call: str, package: str) -> None:
    """A call whose package is missing raises our error with the command that installs it."""
    done = run_bare(
        f"import swapregret as sr\ntry:\n    {call}\nexcept sr.errors.Unsupported as error:\n    print(error)"
    )
    assert f"{package} must be installed to" in done.stdout, done.stderr
    assert f"pip install 'swapregret[{EXTRA_OF[package]}]'" in done.stdout


@pytest.mark.parametrize("command", ["run spec.toml --out x", "report folder"])
def test_a_command_names_its_extra_with_the_bracket(command: str, tmp_path: Path) -> None:
    """Commands that need more exit with a sentence in which the bracket can be seen; the list of commands still works."""
    (tmp_path / "spec.toml").write_text(
        'horizons = 10\nsets = "msets 4 2"\nenvironments = "iid"\nplayers = "uniform"\n'
    )
    (tmp_path / "folder").mkdir()
    words = (
        command.replace("spec.toml", str(tmp_path / "spec.toml")).replace("folder", str(tmp_path / "folder")).split()
    )
    done = run_bare(f"from swapregret.cli import app\napp({words!r})")
    assert done.returncode == 2, done.stderr
    assert "swapregret[experiments]" in done.stderr.replace("\n", "")
    assert "Traceback" not in done.stderr
    listed = run_bare("from swapregret.cli import app\napp(['--help'])")
    assert listed.returncode == 0, listed.stderr
    assert "demo" in listed.stdout


def test_what_is_installed_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is there passes; one that is not is refused."""
    need("polars", "test")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(Unsupported, match="polars must be installed to test"):
        need("polars", "test")


def test_the_extras_are_those_of_the_project() -> None:
    """Every package of the table is brought by its extra, and none by the base install."""
    base = {re.split(r"[<>=\[]", line)[0] for line in PROJECT["dependencies"]}
    assert base == {"numpy", "scipy", "numba", "typer", "rich"}
    for package, extra in EXTRA_OF.items():
        brought = {re.split(r"[<>=\[]", line)[0] for line in PROJECT["optional-dependencies"][extra]}
        assert {"pyspiel": "open_spiel"}.get(package, package) in brought
        assert f"'swapregret[{extra}]'" in str(missing(package, "test"))
