"""How the site is built: `make docs` turns docs/ into site/. Nothing is fetched, neither at build time nor when a page is read.

Formulas are written as LaTeX between dollar signs and become MathML while the site is built. Browsers draw MathML themselves,
so a page needs no script and no font for them. A line ``::: sr.Name`` stands for the documentation of that public name.
"""

import inspect
import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError, pick_math_environment
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.lexers.special import TextLexer
from sphinx.errors import ExtensionError

import swapregret

sys.path.insert(0, str(Path(__file__).parent / "extensions"))
from run_gallery import PLOTLY

project = "swapregret"
author = "The swapregret developers"
copyright = "the swapregret developers"
release = version = version_of("swapregret")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "run_gallery"]
exclude_patterns = ["pictures", "extensions"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_dmath_allow_digits = False
myst_heading_anchors = 4

html_theme = "furo"
html_title = "swapregret"
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_static_path = ["_static", str(PLOTLY)]
html_css_files = ["site.css"]
pygments_style = "default"
pygments_dark_style = "github-dark"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings have them, in words
autodoc_default_options = {"members": True, "show-inheritance": False}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
nitpicky = False

_OTHER_NAMES = {r"\texttt": r"\mathtt", r"\dots": r"\ldots", r"\big": r"\bigl"}
"""Names of LaTeX that the converter lacks, and what it calls them."""
_DIGITS = re.compile(r"(\\[dt]?frac)\s*(\d)\s*(\d)")
"""A fraction of two digits, \\frac14, which the converter takes for one of fourteen."""
_NAME = re.compile(r"^::: (sr[\w.]+)$", re.MULTILINE)
sys.modules["sr"] = swapregret  # as pages write it: import swapregret as sr


def documented(app: Any, page: str, source: list[str]) -> None:
    """Turn each line ``::: name`` into the directive that writes out the docstrings of that name."""
    source[0] = _NAME.sub(lambda found: _directive(found[1]), source[0])


def _directive(name: str) -> str:
    thing: Any = swapregret
    for part in name.split(".")[1:]:
        thing = getattr(thing, part)
    is_class = inspect.isclass(thing)
    if is_class:
        thing.__name__ = part  # a class is shown by the name it is exported under
    kind = "autoexception" if is_class and issubclass(thing, Exception) else "autoclass" if is_class else "autofunction"
    return f"## {name}\n\n```{{eval-rst}}\n.. {kind}:: {name}\n```"


def mathml(formula: str, *, as_block: bool) -> str:
    """Return a formula of LaTeX as MathML."""
    wrapped = formula
    for name, known in _OTHER_NAMES.items():
        wrapped = re.sub(re.escape(name) + r"(?![A-Za-z])", lambda _, known=known: known, wrapped)
    wrapped = _DIGITS.sub(r"\1{\2}{\3}", wrapped)
    environment = pick_math_environment(formula) if as_block else ""
    if environment.startswith("align"):
        wrapped = f"\\begin{{{environment}}}{wrapped}\\end{{{environment}}}"
    try:
        return _corrected(str(tex2mathml(wrapped, as_block=as_block)))
    except MathError as error:
        sentence = f"A formula must be LaTeX that MathML can say; got {formula!r} ({error}). Write it in simpler terms."
        raise ExtensionError(sentence) from None


def _corrected(markup: str) -> str:
    """Set what the converter gets wrong: the index of a letter with an accent stands beside it; bars have no space around them."""
    for found in re.finditer(r"<munderover>.*?</munderover>", markup, re.DOTALL):
        parts = list(ElementTree.fromstring(found[0]))
        if parts[2].tag == "mo" and (parts[2].get("stretchy") == "false" or parts[2].get("accent") == "true"):
            base, index, accent = (ElementTree.tostring(part, encoding="unicode").strip() for part in parts)
            markup = markup.replace(found[0], f'<msub><mover accent="true">{base}{accent}</mover>{index}</msub>', 1)
    return re.sub(r"<mo[^>]*>\|</mo>", '<mo lspace="0" rspace="0" stretchy="false">|</mo>', markup)


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="formula">{mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def typeset(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Set the plain formulas of docstrings: L_k and L_{k−1} get subscripts, H^{1/3} an exponent, |A| its bars."""
    depth: int | None = None  # of the line that announced a block of code
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip() and indent <= depth:
            depth = None
        if depth is None and not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(``.*?``|:\w+:`[^`]*`|`[^`]*`_?)", line)
            lines[at] = "".join(part if i % 2 else _set_formulas(part) for i, part in enumerate(parts))
        if depth is None and line.rstrip().endswith("::"):
            depth = indent


def _set_formulas(text: str) -> str:
    text = re.sub(r"(?<!\w)\|(\w+)\|", r"\\|\1\\|", text)
    text = re.sub(r"_\{([^{}]+)\}", r"\\ :sub:`\1`\\ ", text)
    text = re.sub(r"\^\{([^{}]+)\}", r"\\ :sup:`\1`\\ ", text)
    return re.sub(r"(?<![^\W\d_])([^\W\d_][\u0300-\u036f]?)_([^\W_])(?!\w)", r"\1\\ :sub:`\2`\\ ", text)


def setup(app: Any) -> None:
    """Tell Sphinx about what stands above."""
    app.connect("source-read", documented)
    app.connect("autodoc-process-docstring", typeset)
    app.add_lexer("csv", TextLexer)
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
