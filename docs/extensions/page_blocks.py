"""The fenced blocks of a page: what its tests run, and what the build of the gallery runs."""

import re
from dataclasses import dataclass

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAVED = re.compile(r"Save this as `([\w.]+)`[^`]*\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, its text, the line it starts on, the file it is to be saved as."""

    language: str
    text: str
    line: int
    saved_as: str | None


def blocks_of(page: str) -> list[Block]:
    """Read the fenced blocks of a page."""
    found = []
    for match in BLOCK.finditer(page):
        before = page[: match.start()]
        saved = _SAVED.search(before.rsplit("```", 1)[-1])
        found.append(Block(match[1], match[2], before.count("\n") + 1, saved[1] if saved else None))
    return found
