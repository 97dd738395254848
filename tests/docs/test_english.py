"""The pages are in plain English: short sentences, "per" where something comes once in each, words used as the glossary says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MOST_WORDS = 40
_THINGS = (
    r"rows?|numbers?|ones?|lines?|objects?|times?|µs|ms|(?:micro)?seconds?|minutes?|MiB|regrets?|rewards?|calls?|steps?|"
    r"tables?|policies?|policies|policy|updates?|columns?|values?|answers?|prices?|bars?|φ|\d+|gains?|decompositions?|"
    r"vectors?|rounds|once|set|competitor|axis|coordinates?|weights?|earned [+\d.]+|saved [\d.]+|paid [\d.]+"
)
_UNITS = (
    r"day|round|second|run|scale|row|checkpoint|line|player|replication|window|meta-day|action|policy|element|edge|column|"
    r"vertex|draw|step|pass|sweep|permutation|matching|term|cell|interval|process|commit|family|slot|field|worker|file"
)
_OLD_FASHIONED = re.compile(rf"(?<![\w.])(?:{_THINGS}) an? (?:{_UNITS})\b(?! of)", re.IGNORECASE)
_FENCE = re.compile(r"^(```|:::|\$\$).*?^\1[ ]*$", re.MULTILINE | re.DOTALL)


def paragraphs_of(page: str) -> list[str]:
    """Return the paragraphs, items and table cells of a page, without code, formulas and addresses of links."""
    text = _FENCE.sub("\n", page)
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`\n]*`|\$[^$\n]*\$", "X", text))
    found = [""]
    for line in text.splitlines():
        if line.lstrip().startswith("|"):
            found += [*line.strip().strip("|").split(" | "), ""]
        elif not line.strip():
            found.append("")
        elif begun := re.match(r"\s*(?:[*-]|\d+\.|#+|>) +(.*)", line):
            found.append(begun[1])
        else:
            found[-1] += " " + line.strip()
    return [each.strip() for each in found if each.strip()]


def sentences_of(page: str) -> list[str]:
    """Return the sentences of a page."""
    return [sentence for each in paragraphs_of(page) for sentence in re.split(r"(?<=[.!?])[)\"”*]*\s+", each)]


def n_words(sentence: str) -> int:
    """Count words: what has a letter or a digit in it."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_sentences_are_short(page: Path) -> None:
    """No sentence has more than 40 words."""
    long = [each for each in sentences_of(page.read_text(encoding="utf-8")) if n_words(each) > MOST_WORDS]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_what_comes_once_in_each_is_per_each(page: Path) -> None:
    """No page says "a row a day" or "one a scale"; it says "one row per day"."""
    text = "\n".join(paragraphs_of(page.read_text(encoding="utf-8")))
    assert [text[max(0, each.start() - 20) : each.end() + 20] for each in _OLD_FASHIONED.finditer(text)] == []


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_one_word_means_one_thing(page: Path) -> None:
    """A distribution over actions is a policy, never a law, also in comments of code."""
    written = page.read_text(encoding="utf-8")
    text = "\n".join([*paragraphs_of(written), *re.findall(r"^(?!#).*(?<= )# (.*)", written, re.MULTILINE)])
    assert re.findall(r".{0,30}\blaws?\b.{0,30}", text, re.IGNORECASE) == []


_PRIVATE = re.compile(r"\b(?:doors?|scenes?|pieces?|stretch(?:es)?|marks|tapes?)\b", re.IGNORECASE)
"""Words of the code that mean nothing to a reader of the pages; a road may lead door to door. A quantity may grow tenfold."""


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_words_of_the_code_stay_there(page: Path) -> None:
    """No page speaks of doors, scenes, pieces, stretches, marks or tapes."""
    text = "\n".join(paragraphs_of(page.read_text(encoding="utf-8")))
    assert _PRIVATE.findall(text.replace("door to door", "")) == []


def test_the_code_says_policy_too() -> None:
    """No name and no comment of the package says law for a policy."""
    named = re.compile(r"(?<![A-Za-z])[Ll]aws?(?![a-z])")
    found = [str(path) for path in (ROOT / "src").rglob("*.py") if named.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_glossary_has_the_words() -> None:
    """Every word that the pages use in a sense of their own is defined."""
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    defined = {word.strip() for row in re.findall(r"^\| ([^|]+) \|", glossary, re.MULTILINE) for word in row.split(",")}
    for word in (
        *("day", "window", "interval", "scale", "policy", "member", "tracker", "guard", "filter", "estimate"),
        *("family", "kernel", "phase", "handle", "entry", "slot", "base window", "cold scale", "atom", "spanner"),
        *("predictor", "ledger", "certificate", "case", "campaign", "replication", "marginals", "checkpoint"),
    ):
        assert word in defined, word


@pytest.mark.parametrize(
    "text", ["A row a day is written.", "one a scale", "It takes 3 µs a round.", "a line a worker"]
)
def test_old_fashioned_phrases_are_found(text: str) -> None:
    """The search above sees them, also in tables, and leaves code and ordinary articles alone."""
    assert _OLD_FASHIONED.search("\n".join(paragraphs_of(f"| {text} | x |")))
    assert not _OLD_FASHIONED.search("\n".join(paragraphs_of(f"`{text}` is a row of a day. On a day, one day.")))


def test_a_long_sentence_is_found() -> None:
    """Words are counted across lines; formulas, code and addresses count as one word or none."""
    assert [n_words(each) for each in sentences_of("one " * 41 + ".\n")] == [41]
    assert [n_words(each) for each in sentences_of("a [b](c/d/e.md)\n`f g h` $i + j$.\n\n| k | l m |\n")] == [4, 1, 2]
