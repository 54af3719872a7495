"""Word alignments of fixtures/ and others, written and scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import treesql
from tests.conftest import FIXTURES

LINKS, LINKS_A = str(FIXTURES / "links.pharaoh"), str(FIXTURES / "links-a.pharaoh")
GOLD, PARSER_A, PARSER_B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))


def score(gold: str, *systems: str, **how: Any) -> list[dict[str, Any]]:
    return treesql.score("alignment", gold=gold, systems=systems, **how).rows()


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)
