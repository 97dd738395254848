"""The README on the package index: every link leads somewhere, or is left as words."""

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_TARGET = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the hook of the build, which tests do not install."""
    name = "hatchling.metadata.plugin.interface"
    stand_in: Any = SimpleNamespace(MetadataHookInterface=object)
    monkeypatch.setitem(sys.modules, name, stand_in)
    found = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_links_lead_to_the_repository(hook: ModuleType) -> None:
    """With an address every link of the README is absolute, and leads to a file of the project or to another site."""
    shown = hook.readme_for_index(README, "https://example.org/swapregret/")
    targets = _TARGET.findall(shown)
    assert len(targets) == len(_TARGET.findall(README)) > 20
    for target in targets:
        assert target.startswith("https://")
        path = target.removeprefix("https://example.org/swapregret/blob/main/")
        assert path == target or (ROOT / path).is_file()


def test_without_an_address_links_are_words(hook: ModuleType) -> None:
    """No link leads nowhere, no word is lost, and links to other sites stay."""
    assert hook.readme_for_index("See [the\nguide](docs/a.md), [b](https://c.d) and [e](#f).", None) == (
        "See the\nguide, [b](https://c.d) and [e](#f)."
    )
    assert all(target.startswith("https://") for target in _TARGET.findall(hook.readme_for_index(README, None)))


def test_the_metadata_has_the_readme(hook: ModuleType) -> None:
    """The hook reads the file, and the address from the project's own addresses."""
    maker = hook.ReadmeHook()
    maker.root = str(ROOT)
    metadata: dict[str, Any] = {"urls": {"Repository": "https://example.org/x"}}
    maker.update(metadata)
    assert metadata["readme"]["content-type"] == "text/markdown"
    assert "(https://example.org/x/blob/main/docs/tutorial.md)" in metadata["readme"]["text"]


def test_the_paper_has_one_address() -> None:
    """README, the metadata and the citation name the same one."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert f"Bandits*]({urls['Paper']})" in README
    assert f'url: "{urls["Paper"]}"' in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
