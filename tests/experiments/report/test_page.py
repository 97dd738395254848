"""The page of a report: self-contained, complete, and safe against what names and specifications contain."""

import re
from html.parser import HTMLParser

import pytest

from swapregret.experiments.report.model import Case, Origin
from swapregret.experiments.report.page import bound_note, render_page
from swapregret.experiments.report.shell import read_panels


class Reader(HTMLParser):
    """Collects tags with their attributes, and text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        """Note text."""
        if self._inside not in ("script", "style"):
            self.text += data


@pytest.fixture
def page(cases: tuple[Case, ...], origin: Origin) -> str:
    """Return the page of the hand-made cases."""
    return render_page(cases, origin)


@pytest.fixture
def read(page: str) -> Reader:
    """Return the page, read."""
    reader = Reader()
    reader.feed(page)
    return reader


def test_nothing_is_loaded_from_elsewhere(read: Reader) -> None:
    """No element names an address, except an empty icon that keeps browsers from asking for one."""
    addresses = [
        (tag, value)
        for tag, attributes in read.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data", "poster")
    ]
    assert addresses == [("link", "data:,")]


def test_own_code_and_style_name_no_address(page: str) -> None:
    """Outside the Plotly it carries, the page has no URL and imports nothing."""
    own = re.sub(r"<script>/\*\*\n\* plotly\.js.*?</script>", "", page, flags=re.DOTALL)
    assert len(own) < 200_000 < len(page)
    assert not re.search(r"https?:|@import|url\(|fetch\(|XMLHttpRequest", own)


def test_every_figure_has_its_definition_beside_it(read: Reader) -> None:
    """Each panel is on the page with all its words."""
    plain = re.sub(r"\s+", " ", read.text)
    for panel in read_panels("panels.txt"):
        assert (panel.title in plain) != panel.is_optional  # no case here has a figure that may be left out
        if panel.is_optional:
            continue
        for paragraph in panel.words:
            assert re.sub(r"&lt;", "<", re.sub(r"<[^>]+>", "", paragraph)) in plain


def test_text_from_outside_is_escaped(page: str, read: Reader) -> None:
    """Names, errors and specifications with markup in them appear as text, and close no script."""
    assert "single <b>" in read.text
    assert "it <broke>" in read.text
    assert "seed = 7 # </script>" in read.text
    assert page.count("</script>") == 3


def test_the_best_of_each_case_is_bold(page: str) -> None:
    """The lowest swap regret is bold; the others are not."""
    assert "<b>0.0500</b>" in page
    assert "<b>0.3000</b>" not in page
    assert re.search(r"<b>0\.2000</b>", page)
    assert re.search(r"0\.2100 <span class=\"interval\">\[0\.1890, 0\.2310\]</span>", page)


def test_what_is_needed_to_make_it_again_is_there(read: Reader) -> None:
    """Specification, versions, counts of runs and failures are on the page."""
    for words in ("11 of 12 runs finished", "1 run failed", "library", "0.1.0", "swapregret run spec.toml"):
        assert words in read.text


def test_the_same_results_give_the_same_page(cases: tuple[Case, ...], origin: Origin, page: str) -> None:
    """No date or random name is in it."""
    assert render_page(cases, origin) == page


def test_bounds_are_called_what_they_are() -> None:
    """The theorem's bound is said to say nothing where it exceeds 1 a round, and to say something where it does not."""
    vacuous = Case("set", "world", 10_000, 10, 3, 120, (), ())
    real = Case("set", "world", 10**300, 2, 1, 2, (), ())
    assert "says nothing" in bound_note(vacuous)
    assert "so it says something" in bound_note(real)
