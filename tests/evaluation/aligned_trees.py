"""Aligned trees of fixtures/ and others, written and scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import treesql
from tests.conftest import FIXTURES

FILES = [str(FIXTURES / name) for name in ("reference.conllu", "hypothesis.conllu", "reference-hypothesis.align")]


def written(folder: Path, reference: bytes, hypothesis: bytes, links: str = "") -> list[str]:
    """The paths of a reference, a hypothesis and their alignment."""
    contents = {"r.conllu": reference, "h.conllu": hypothesis, "l.align": links.encode()}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in contents]


def score(reference: str, hypothesis: str, alignment: str, **how: Any) -> treesql.Result:
    return treesql.score("paths", reference=reference, systems=[(hypothesis, alignment)], **how)


def scores(*files: str, **how: Any) -> dict[str, Any]:
    """The only row."""
    [row] = score(*files, **how).rows()
    return row
