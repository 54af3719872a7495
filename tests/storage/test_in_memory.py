"""Corpora that are held for a single piece of work."""

from __future__ import annotations

import gc
import weakref

import pytest

from tests.conftest import FIXTURES
from treesql import catalog
from treesql.errors import InvalidInput
from treesql.readers import Options
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles


@pytest.fixture(params=["together", "one file at a time", "side by side"], autouse=True)
def _reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "together":
        monkeypatch.setattr(loading, "GROUP_BYTES", 0)
    if request.param == "side by side":
        monkeypatch.setattr(loading, "MIN_BYTES_FOR_THREADS", 0)
        monkeypatch.setattr(loading, "n_cores", lambda: 2)


@pytest.mark.spread(2, rest="slow")
def test_corpora_stand_in_the_order_asked_for() -> None:
    files = {"b": "gold.conllu", "a": "parser-a.conllu", "c": "parser-b.conllu"}
    wanted = [CorpusFiles((str(FIXTURES / file),), "conllu", corpus) for corpus, file in files.items()]
    engine, loaded = loading.load_into_memory(wanted, Options())
    with engine:
        assert [one.corpus for one in loaded] == ["b", "a", "c"]
        assert engine.rows("SELECT corpus FROM corpora") == [("b",), ("a",), ("c",)]
        sql = "SELECT corpus, count(*) FROM words GROUP BY corpus ORDER BY corpus"
        assert engine.rows(sql) == [("a", 30), ("b", 30), ("c", 30)]


def test_of_several_faulty_files_the_first_is_told() -> None:
    names = ["bad/head_open.conllu", "bad/cycle_of_two.conllu"]
    wanted = [CorpusFiles((str(FIXTURES / name),), "conllu", name) for name in names]
    for order in (wanted, wanted[::-1]):
        with pytest.raises(InvalidInput) as raised:
            loading.load_into_memory(order, Options())
        assert {fault.path for fault in raised.value.faults} == {order[0].files[0]}


@pytest.mark.spread(2, rest="slow")
def test_the_rows_of_many_small_corpora_are_one_view() -> None:
    names = [f"c{number}" for number in range(12)]
    wanted = [CorpusFiles((str(FIXTURES / "gold.conllu"),), "conllu", name) for name in names]
    sql = "SELECT sql FROM duckdb_views() WHERE view_name = 'words'"
    engine, _ = loading.load_into_memory(wanted, Options())
    with engine:
        assert engine.rows("SELECT DISTINCT corpus FROM words ORDER BY corpus") == [(name,) for name in sorted(names)]
        [(view,)] = engine.rows(sql)
    assert view.count("UNION ALL") == (0 if loading.GROUP_BYTES else 11)


def test_tables_without_rows_are_made_where_they_are_named() -> None:
    wanted = [CorpusFiles((str(FIXTURES / "gold.conllu"),), "conllu", "gold")]
    engine, _ = loading.load_into_memory(wanted, Options(), frozenset({"edges"}))
    with engine:
        assert engine.rows("SELECT count(*) FROM edges WHERE NOT enhanced") == [(30,)]
        made = {name for (name,) in engine.rows("SELECT table_name FROM duckdb_tables()")}
    assert "lattices" not in made


def test_rows_that_no_statement_has_read_are_gone_with_their_engine() -> None:
    """Without a collection of cycles."""
    wanted = [CorpusFiles((str(FIXTURES / "hypotheses.txt"),), "text", "lines")]
    read = [catalog.query("n_gram_matches")]
    options = Options(columns=catalog.columns_read(read))
    gc.disable()
    try:
        engine, _ = loading.load_into_memory(wanted, options, catalog.words_of_queries(read), lent=True)
        held = weakref.ref(engine)
        with engine:
            assert engine.is_small
        del engine
        assert held() is None
    finally:
        gc.enable()
