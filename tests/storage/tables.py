"""The rows of a database."""

from __future__ import annotations

from typing import Any

import treesql
from tests.conftest import bare

TABLES = (
    "sentences", "words", "tokens", "empty_nodes", "enhanced_edges", "word_columns", "token_columns",
    "empty_node_columns", "constituents", "secondary_edges", "alignments", "lattices", "lattice_edges",
    "lattice_words", "feature_lists",
)  # fmt: skip


def rows(db: treesql.Database) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables but corpora and those that are of use to kernels alone."""
    return {name: bare(db).sql(f"SELECT * FROM {name} ORDER BY ALL").to_arrow_table().to_pylist() for name in TABLES}
