"""The README as the package index shows it, where relative links lead nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:)([^)]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Sets the field `readme`; its links lead to the address `Source` of [project.urls], at the tag of the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the field to the metadata of the project."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        source = metadata.get("urls", {}).get("Source")
        text = for_package_index(text, source, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def for_package_index(text: str, source: str | None, tag: str) -> str:
    """A page with its relative links and pictures at the address of the source; without an address, with their words.

    Pictures without an address are left out.
    """

    def target(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if source is None:
            return "" if picture else words
        if path.startswith("#"):
            return f"[{words}]({source}/blob/{tag}/README.md{path})"
        return f"{picture}[{words}]({source}/{'raw' if picture else 'blob'}/{tag}/{path})"

    return _LINK.sub(target, text)
