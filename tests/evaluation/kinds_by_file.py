"""Every kind of evaluation with inputs of fixtures/ in all its roles, as files and as corpora of a database."""

from __future__ import annotations

from typing import Any

import treesql
from tests.conftest import FIXTURES
from treesql.catalog import kinds
from treesql.catalog.kinds import Kind, Role

KINDS = kinds.names()

FILES = {
    "dependency": "gold.conllu",
    "constituency": "gold.mrg",
    "alignment": "links.pharaoh",
    "lattice": "lattices.plf",
    "words": "lattices.txt",
}
"""By what a role reads; corpora of a database have these names."""


def file_of(kind: Kind, role: Role) -> str:
    """A file that the role reads."""
    return str(FIXTURES / ("trees.nwk" if kind.usual_format == "newick" else FILES[role.reads]))


def given(name: str, *, loaded: bool = False) -> dict[str, Any]:
    """A system in all roles, and what it is compared with."""
    kind = kinds.kind(name)
    named = {role.name: FILES[role.reads] if loaded else file_of(kind, role) for role in kind.roles}
    shared = {role.name: named[role.name] for role in kind.shared}
    return {**shared, "systems": {"a": {role.name: named[role.name] for role in kind.own}}}


def load_all(path: str) -> None:
    """Load every file of FILES into a new database, under its name."""
    with treesql.connect(path) as db:
        for file in FILES.values():
            db.load(FIXTURES / file, corpus=file, **({"phrases": True} if file.endswith("plf") else {}))
