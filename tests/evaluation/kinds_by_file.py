"""Every kind of evaluation with inputs of fixtures/ in all its roles, as files and as corpora of a database."""

from __future__ import annotations

import warnings
from typing import Any

import treesql
from tests.conftest import FIXTURES
from treesql import catalog
from treesql.catalog import kinds
from treesql.catalog.kinds import Kind, Role
from treesql.errors import TreesqlError

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


def roles_of(kind: Kind, metric: str | None = None) -> list[Role]:
    """The roles of a kind, but for those whose inputs add other metrics than the one that is scored."""
    return [role for role in kind.roles if not role.adds or metric in role.adds]


def given(name: str, *, loaded: bool = False, metric: str | None = None) -> dict[str, Any]:
    """A system in all of these roles, and what it is compared with."""
    kind = kinds.kind(name)
    roles = {role: FILES[role.reads] if loaded else file_of(kind, role) for role in roles_of(kind, metric)}
    shared = {role.name: file for role, file in roles.items() if role.side == kinds.GOLD}
    return {**shared, "systems": {"a": {role.name: file for role, file in roles.items() if role.side == kinds.SYSTEM}}}


def load_all(path: str) -> None:
    """Load every file of FILES into a new database, under its name."""
    with treesql.connect(path) as db:
        for file in FILES.values():
            db.load(FIXTURES / file, corpus=file, **({"phrases": True} if file.endswith("plf") else {}))


def is_whole(metric: str) -> bool:
    """Whether sentences of a metric depend on others: n-grams are counted in all, as are scores of edges."""
    query = catalog.query(metric)
    return catalog.cross_sentences([query, *query.audit_queries], {})


def told(kind: str, **given: Any) -> tuple[object, ...]:
    """The schema, rows, signatures and warnings of scores, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = treesql.score(kind, **given)
        except TreesqlError as error:
            return (type(error), str(error))
    return found.arrow().schema, found.rows(), found.signatures, [str(one.message) for one in caught]
