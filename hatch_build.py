"""What the package index shows of README.md: there, a relative link would lead nowhere."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE_LINK = re.compile(r"\[([^\[\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Gives the index the README with links that work there."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme_for_index(text, repository)}


def readme_for_index(text: str, repository: str | None) -> str:
    """Make relative links absolute; while the repository has no address, keep their words alone."""

    def absolute(link: re.Match[str]) -> str:
        words, path = link.groups()
        return words if repository is None else f"[{words}]({repository.rstrip('/')}/blob/main/{path})"

    return _RELATIVE_LINK.sub(absolute, text)
