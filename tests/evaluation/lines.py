"""Texts, lattices and translations of fixtures/ and others, a line each, written and scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import treesql
from tests.conftest import FIXTURES

PLF = str(FIXTURES / "lattices.plf")
REFERENCES = [str(FIXTURES / "lattices.txt"), str(FIXTURES / "lattices-2.txt")]


def written(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def lattices(reference: Sequence[str] = REFERENCES[:1], **how: Any) -> treesql.Result:
    """The scores of the lattices of fixtures/."""
    return treesql.score("lattice", systems=[PLF], reference=reference, phrases=True, **how)


def row(found: treesql.Result) -> dict[str, Any]:
    """The only row."""
    [only] = found.rows()
    return only
