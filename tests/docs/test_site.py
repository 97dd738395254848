"""The documentation site: complete, built without the network, and in want of nothing from outside when read."""

import importlib.util
import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import swapregret

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


class Assets(HTMLParser):
    """Gathers what a page makes a browser load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of a tag that is not a link to follow."""
        if tag != "a":
            for name, value in attrs:
                if name in ("src", "href", "srcset", "data", "poster") and re.match(r"\s*(https?:)?//", value or ""):
                    self.found.append(f"<{tag} {name}={value}>")


def assets_of(text: str, is_page: bool) -> list[str]:
    """Return what a page or a style sheet loads from elsewhere."""
    reader = Assets()
    if is_page:
        reader.feed(text)
    return [*reader.found, *re.findall(r"(?:url\(\s*|@import\s*)[\"']?(?:https?:)?//[^)\"']*", text)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does, with sockets that refuse to be opened."""
    import socket

    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the build used the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        patch.setattr(socket.socket, "connect", refuse)
        config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    return folder


@pytest.mark.filterwarnings("ignore")
def test_every_page_is_built_and_reachable(site: Path) -> None:
    """Strict: no page is left out of the navigation, and no link or anchor leads nowhere."""
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix(".html")
        assert (site / (name.with_name("index.html") if page.name == "README.md" else name)).is_file(), page


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No page or style sheet of the site makes a browser fetch anything from another server."""
    found = {
        str(path.relative_to(site)): assets
        for path in site.rglob("*")
        if path.suffix in (".html", ".css") and (assets := assets_of(path.read_text("utf-8"), path.suffix == ".html"))
    }
    assert found == {}


@pytest.mark.filterwarnings("ignore")
def test_docstrings_are_shown_without_their_roles(site: Path) -> None:
    """The reference shows the docstrings, and no role of another markup is left in them."""
    pages = {path.name: path.read_text("utf-8") for path in (site / "reference").glob("*.html")}
    assert "Return Swap-ComBCP (Algorithms 1 and 2)" in pages["players.html"]
    for name, text in pages.items():
        assert not re.findall(r":(?:class|func|meth|mod|math):", text), name


def test_a_foreign_asset_is_found() -> None:
    """The search above sees scripts, styles, fonts and pictures of other servers, and lets links to follow be."""
    page = (
        '<a href="https://a.b/"></a><script src="//a.b/x.js"></script><link href="https://a.b/y.css"><img src="p.svg">'
    )
    assert assets_of(page, True) == ["<script src=//a.b/x.js>", "<link href=https://a.b/y.css>"]
    assert len(assets_of("@import 'https://a.b/c.css'; a {b: url(//a.b/f.woff)} c {d: url(e.svg)}", False)) == 2


def test_the_reference_has_every_public_name() -> None:
    """What is exported has its docstring in the reference, once."""
    shown = re.findall(
        r"^::: ([\w.]+)$", "\n".join(p.read_text("utf-8") for p in (DOCS / "reference").glob("*.md")), re.MULTILINE
    )
    wanted = set()
    for name in swapregret.__all__:
        thing = getattr(swapregret, name)
        inner = [getattr(thing, each) for each in thing.__all__] if isinstance(thing, ModuleType) else [thing]
        wanted |= {f"{each.__module__}.{each.__qualname__}" for each in inner}
    assert wanted - set(shown) == set(), "add `::: name` to a page of docs/reference"
    assert sorted(shown) == sorted(wanted), "remove what is not exported, or stands twice"


def test_the_picture_is_what_its_script_draws() -> None:
    """The picture of swap regret in the repository is the one its script draws with today's library."""
    script = DOCS / "pictures" / "draw_swap_regret.py"
    found = importlib.util.spec_from_file_location("draw_swap_regret", script)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert module.draw() == (DOCS / "pictures" / "swap_regret.svg").read_text("utf-8")
