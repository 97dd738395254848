"""The documentation site: complete, built without the network, and in want of nothing from outside when read."""

import html
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import run_gallery
import snowballstemmer

import swapregret

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


class Prose(HTMLParser):
    """Gathers the text of a page block by block, without code, formulas and signatures."""

    _SKIPPED = frozenset({"code", "pre", "math", "script", "style", "dt", "title", "nav", "aside", "svg"})
    _BLOCKS = frozenset({"p", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "dd", "div", "blockquote"})

    def __init__(self) -> None:
        super().__init__()
        self.blocks = [""]
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block, or something to leave out."""
        self._depth += tag in self._SKIPPED
        if tag in self._BLOCKS:
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        self._depth -= tag in self._SKIPPED
        if tag in self._BLOCKS:
            self.blocks.append("")

    def handle_data(self, data: str) -> None:
        """Keep what a reader reads as prose."""
        if self._depth == 0:
            self.blocks[-1] += data


_LEFTOVER = re.compile(
    r"[_^]\{|\$|\\[A-Za-z]+|(?<![^\W\d_])[^\W\d_][\u0300-\u036f]?_[^\W_](?!\w)|:(?:class|func|meth|mod|math):"
)


def leftovers_of(page: str) -> list[str]:
    """Return what a reader would see of formulas and roles that were not rendered."""
    reader = Prose()
    reader.feed(page)
    found = []
    for block in reader.blocks:
        found += [block[max(0, each.start() - 30) : each.end() + 30] for each in _LEFTOVER.finditer(block)]
        if block.count("{") != block.count("}"):
            found.append(f"unbalanced braces: {block.strip()[:80]}")
    return found


def module_of(path: Path) -> ModuleType:
    """Load a file of the pages as a module."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does, every warning an error, in a process that cannot open a connection."""
    folder = tmp_path_factory.mktemp("site")
    program = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('the build used the network')\n"
        "socket.socket.connect = refuse\n"
        "from sphinx.cmd.build import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    flags = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", str(folder / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-c", program, *flags, str(DOCS), str(folder / "html")],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_every_page_is_built_and_reachable(site: Path) -> None:
    """Strict: no page is left out of the navigation, and no link or anchor leads nowhere."""
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS).with_suffix(".html")).is_file(), page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No page or style sheet of the site makes a browser fetch anything from another server."""
    found = {
        str(path.relative_to(site)): assets
        for path in site.rglob("*")
        if path.suffix in (".html", ".css") and (assets := assets_of(path.read_text("utf-8"), path.suffix == ".html"))
    }
    assert found == {}


def test_every_formula_is_typeset(site: Path) -> None:
    """No page shows LaTeX, a brace or underscore of a formula, or a role; the pages of formulas have MathML."""
    pages = {str(path.relative_to(site)): path.read_text("utf-8") for path in site.rglob("*.html")}
    assert {name: found for name, text in pages.items() if (found := leftovers_of(text))} == {}
    for name in ("guarantee.html", "regret.html", "notation.html", "reference/actions.html"):
        assert "<math" in pages[name], name
    assert "<munder>" in pages["guarantee.html"] or "<munderover>" in pages["guarantee.html"]
    assert "Return Swap-ComBCP (Algorithms 1 and 2)" in pages["reference/players.html"]


@pytest.mark.parametrize(
    "text",
    ["where L_{k−1} is", "costs 5 $ or $x$", "the policy p_t", "H^{1/3} days", r"and \sum x", "a {brace", ":class:`X`"],
)
def test_a_leftover_is_found(text: str) -> None:
    """The search above sees every kind of leftover, and none in code or in a formula."""
    assert leftovers_of(f"<p>{text}</p>") != []
    assert leftovers_of(f"<p>Fine: <code>{text}</code> n_scales 𝒜 <math><mi>{text}</mi></math></p>") == []


def test_a_foreign_asset_is_found() -> None:
    """The search above sees scripts, styles, fonts and pictures of other servers, and lets links to follow be."""
    page = (
        '<a href="https://a.b/"></a><script src="//a.b/x.js"></script><link href="https://a.b/y.css"><img src="p.svg">'
    )
    assert assets_of(page, True) == ["<script src=//a.b/x.js>", "<link href=https://a.b/y.css>"]
    assert len(assets_of("@import 'https://a.b/c.css'; a {b: url(//a.b/f.woff)} c {d: url(e.svg)}", False)) == 2


def test_every_page_of_the_gallery_ends_with_a_picture(site: Path) -> None:
    """The last block of each page shows a figure, drawn by the Plotly of the site; its notebook has the same cells."""
    pages = [page for page in (DOCS / "gallery").glob("*.md") if page.stem != "README"]
    assert len(pages) >= 10
    assert (site / "_static" / "plotly.min.js").is_file()
    for page in pages:
        built = (site / "gallery" / f"{page.stem}.html").read_text("utf-8")
        text = page.read_text("utf-8")
        assert "Plotly.newPlot" in built.rpartition('<div class="highlight')[2], page.name
        notebook = json.loads((site / "gallery" / f"{page.stem}.ipynb").read_text("utf-8"))
        code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert code == [found.strip() for found in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]


def test_a_block_of_the_gallery_shows_what_a_notebook_would() -> None:
    """What was printed comes first, then the value of the last expression; what raises stops the build."""
    assert run_gallery.run_cell("x = '<1>'\nprint(x)\nx * 2", "page", {}) == ("<1>\n", "<1><1>")
    assert run_gallery.shown("<1>\n", 2, "place") == '<div class="shown"><pre>&lt;1&gt;\n</pre><pre>2</pre></div>'
    assert run_gallery.shown("", None, "place") == ""
    with pytest.raises(NameError):
        run_gallery.run_cell("y", "page", {})


def test_a_page_of_the_gallery_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page runs in a folder of its own: what it writes is gone when it is built a second time."""
    monkeypatch.chdir(tmp_path)
    app = SimpleNamespace(env=SimpleNamespace())
    for _ in range(2):
        source = ["```python\nfrom pathlib import Path\nPath('a').touch(exist_ok=False)\nprint(1 + 1)\n```\n"]
        run_gallery.run_page(app, "gallery/page", source)
        assert "<pre>2\n</pre>" in source[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mark", ["tilde", "widetilde", "hat", "widehat"])
def test_the_index_of_a_letter_with_an_accent_stands_beside_it(mark: str) -> None:
    """Not below the letter, however wide the accent."""
    markup = module_of(DOCS / "conf.py").mathml(rf"\{mark} R_t", as_block=False)
    assert re.search(r'<msub><mover accent="true"><mi>R</mi><mo[^>]*>.</mo></mover><mi>t</mi></msub>', markup)


def test_a_fraction_of_two_digits_is_one() -> None:
    """A quarter is not one of fourteen; a digit over a letter is left as it is."""
    mathml = module_of(DOCS / "conf.py").mathml
    for frac in ("frac", "tfrac"):
        assert mathml(rf"\{frac}14 T", as_block=False) == mathml(rf"\{frac}{{1}}{{4}} T", as_block=False)
        assert mathml(rf"\{frac}1K", as_block=False) == mathml(rf"\{frac}{{1}}{{K}}", as_block=False)


def exported() -> dict[str, Any]:
    """Return every public object by the shortest name it is exported under."""
    things = {f"sr.{name}": getattr(swapregret, name) for name in swapregret.__all__}
    modules = {name: thing for name, thing in things.items() if isinstance(thing, ModuleType)}
    known = {id(thing) for thing in things.values()}
    for name, module in modules.items():
        inner = {f"{name}.{each}": getattr(module, each) for each in module.__all__}
        things |= {each: thing for each, thing in inner.items() if id(thing) not in known}
    return {name: thing for name, thing in things.items() if name not in modules}


def test_the_reference_has_every_public_name() -> None:
    """What is exported has its docstring in the reference, once, under the name people import it by."""
    text = "\n".join(page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md"))
    assert sorted(re.findall(r"^::: (.+)$", text, re.MULTILINE)) == sorted(exported()), "a line `::: sr.name` for each"


def test_the_reference_shows_public_names_only(site: Path) -> None:
    """Signatures begin with `sr.`, carry no types, and no page of the reference names a module that is not public."""
    pages = {page.name: page.read_text("utf-8") for page in (site / "reference").glob("*.html")}
    public = {name for name in swapregret.__all__ if isinstance(getattr(swapregret, name), ModuleType)}
    for name, page in pages.items():
        text = html.unescape(re.sub(r"<[^>]+>", "", page))
        assert {each for each in re.findall(r"swapregret\.(\w+)\.\w", text) if each not in public} == set(), name
        assert all(signature.startswith(("sr.", "class sr.", "exception sr.")) for signature in signatures_of(page)), (
            name
        )
    shown = signatures_of(pages["players.html"])[0]
    assert (
        shown
        == "sr.swap_combcp(actions, horizon=None, *, preset=None, feedback='bandit', schedule=None, **ingredients)"
    )


def signatures_of(page: str) -> list[str]:
    """Return the signatures of the public names of a page of the reference, without those of methods."""
    every = re.findall(r'<dt class="sig[^>]*id="([\w.]+)">(.*?)</dt>', page, re.DOTALL)
    names = set(exported())
    found = [text for name, text in every if name in names]
    return [
        " ".join(html.unescape(re.sub(r"<[^>]+>", "", each)).removesuffix("¶\n").split()).rstrip("¶") for each in found
    ]


def test_examples_import_public_names() -> None:
    """The examples of public names, and of their methods, can be copied: what they import, they import from public places."""
    public = {"swapregret", *(f"swapregret.{name}" for name in swapregret.__all__)}
    found = set()
    for thing in exported().values():
        members = (
            [getattr(thing, name) for name in dir(thing) if not name.startswith("_")] if isinstance(thing, type) else []
        )
        for text in (inspect.getdoc(each) or "" for each in (thing, *members)):
            found |= {each for each in re.findall(r">>> from ([\w.]+) import", text) if each.startswith("swapregret")}
    assert found - public == set()


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("delayed", "how_to/run_a_session"),
        ("cost", "how_to/run_a_session"),
        ("unavailable", "how_to/run_a_session"),
        ("context", "how_to/run_a_session"),
        ("context", "how_to/audit_a_log"),
        ("route", "how_to/choose_a_route"),
        ("report", "how_to/read_a_report"),
    ],
)
def test_the_search_finds_what_people_look_for(site: Path, word: str, page: str) -> None:
    """Each word is in a title of the page that answers, where the search of the site puts it first."""
    text = (site / "searchindex.js").read_text("utf-8").removeprefix("Search.setIndex(").removesuffix(")")
    index = json.loads(text)
    found = index["titleterms"].get(snowballstemmer.stemmer("english").stemWord(word), [])
    assert page in [index["docnames"][each] for each in (found if isinstance(found, list) else [found])]


def test_the_picture_is_what_its_script_draws() -> None:
    """The picture of swap regret in the repository is the one its script draws with today's library."""
    module = module_of(DOCS / "pictures" / "draw_swap_regret.py")
    assert module.draw() == (DOCS / "pictures" / "swap_regret.svg").read_text("utf-8")
