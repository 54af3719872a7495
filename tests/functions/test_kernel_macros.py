"""Macros that need kernels: in memory, on files, and for other clients of a file."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES, thorough_but
from treesql import catalog
from treesql.errors import QueryError

KERNEL = [query.name for query in catalog.all_queries().values() if query.needs_kernel]


def macros(connection: duckdb.DuckDBPyConnection) -> set[str]:
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table_macro'"
    return {name for (name,) in connection.execute(sql).fetchall()}


@pytest.mark.slow
@pytest.mark.parametrize("every", thorough_but([6, 1], 6))
def test_macros_that_need_kernels_ask_for_their_corpora(db: treesql.Database, every: int) -> None:
    """They are there in a database in memory as well. every: n-th of them."""
    required = {name: [p for p in catalog.query(name).parameters if p.default is None] for name in KERNEL}
    of_corpora = [name for name, given in required.items() if given]
    assert set(KERNEL) - set(of_corpora) == {"evalb_word_classes"}  # is of a parameter set
    assert {"aligned_words", "evalb"} <= set(of_corpora)
    for name in of_corpora[::every]:
        values = ", ".join(f"'{p.choices[0] if p.choices else 'none'}'" for p in required[name])
        with pytest.raises((QueryError, OSError), match=f"{name}: there is no corpus none"):
            db.sql(f"FROM {name}({values})")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "every"), [pytest.param({}, 1, marks=pytest.mark.thorough), ({"read_only": True, "safe": True}, 4)]
)
def test_macros_that_need_kernels_work_on_a_file(file: Path, options: dict[str, bool], every: int) -> None:
    """every: n-th of them."""
    before = file.read_bytes() if options else b""
    with treesql.connect(file, **options) as db:
        for name in KERNEL[::every]:
            query = catalog.query(name)
            if query.family == "nbest" or name == "phrase_pairs":  # whose corpora the file does not have
                continue
            given = [p for p in query.parameters if p.default is None]
            parses = query.family == "constituency"
            gold, system = ("gold parses", "test parses") if parses else ("gold", "parser-a")
            values = {"gold_corpus": gold, "system_corpus": system, "tree_corpus": gold}
            if query.family == "alignment":
                values |= {"gold_corpus": "links", "system_corpus": "links-a"}
            values |= {"old_corpus": gold, "new_corpus": system}
            values |= {"forward_corpus": "links", "backward_corpus": "links-a"}
            if query.family in ("lattice", "translation"):
                values |= {"lattice_corpus": "lattices", "reference_corpus": "references"}
                values |= {"hypothesis_corpus": "hypotheses", "other_lattice_corpus": "lattices"}
                values |= {"baseline_corpus": "references"}
            fallback = {p.name: p.choices[0] if p.choices else p.name.removesuffix("_corpus") for p in given}
            call = ", ".join(f"'{values.get(p.name, fallback[p.name])}'" for p in given)
            rows = db.sql(f"SELECT * FROM {name}({call})")
            # Example parses have no gaps, lattices do not differ from themselves, and the versions in few things.
            may_be_empty = name in ("discontinuous_brackets", "lattice_differences") or name.startswith("version_")
            assert len(rows) or may_be_empty, name
            assert rows.columns == [column.name for column in query.columns], name
        assert len(db.sql("FROM aligned_words('gold', 'parser-a')")) == 30
    if options:
        assert file.read_bytes() == before


def test_a_file_knows_no_kernels(file: Path) -> None:
    """Any DuckDB client can open it and use the other macros."""
    with duckdb.connect(str(file), read_only=True) as plain:
        assert macros(plain) & set(catalog.all_queries()) == set(catalog.all_queries()) - catalog.absent_from_files()
        assert plain.execute("SELECT sum(correct_head) FROM attachment('gold', 'parser-a')").fetchall() == [(25,)]
        with pytest.raises(duckdb.CatalogException, match="aligned_words"):
            plain.execute("FROM aligned_words('gold', 'parser-a')")
        with pytest.raises(duckdb.CatalogException, match="common_subsequence"):
            plain.execute("SELECT common_subsequence(['a'], ['a'])")


def test_a_plain_client_leaves_a_file_as_it_should_be(file: Path) -> None:
    """Written to by another client in between, it opens again with all macros."""
    with duckdb.connect(str(file)) as plain:
        plain.execute("CREATE TABLE mine AS SELECT 1 AS a")
    with treesql.connect(file) as db:
        assert len(db.sql("FROM aligned_words('gold', 'gold')")) == 30
        db.load(FIXTURES / "parser-b.conllu", corpus="b")
        assert len(db.sql("FROM aligned_words('gold', 'b')")) == 30
