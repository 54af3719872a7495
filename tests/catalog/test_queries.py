"""The catalogue: expansion into one WITH chain, parameters, macros. Each test lays its own small queries/ out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

import treesql
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import header, query_list, schemas
from treesql.catalog.queries import table_macro
from treesql.catalog.sql_text import relations_of
from treesql.errors import HeaderError, UnknownName, UsageError

Lay = Callable[..., None]


@pytest.fixture
def lay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lay]:
    """Write queries into a catalogue of the test's own."""
    for kind in ("queries/family", "schemas"):
        (tmp_path / kind).mkdir(parents=True)
    for read_once in (schemas.all_macros, schemas.all_tables, schemas.all_views):
        read_once()  # of the package, as other tests need them
    monkeypatch.setattr(header, "folder", lambda name: tmp_path / name)
    catalog.clear_cache()

    def write(
        name: str, body: str, *fields: str, called: str | None = None, family: str = "family", kind: str = "relation"
    ) -> None:
        lines = [f"-- {called or name}: a query", f"-- kind: {kind}", *(f"-- {f}" for f in fields), "-- source: none"]
        (tmp_path / "queries" / family).mkdir(exist_ok=True)
        (tmp_path / "queries" / family / f"{name}.sql").write_text("\n".join([*lines, body]))
        catalog.clear_cache()

    yield write
    catalog.clear_cache()


def run(name: str, **values: object) -> list[tuple[object, ...]]:
    query = catalog.query(name)
    with duckdb.connect() as connection:
        return connection.execute(query.statement.sql, query.statement.bind(query.values(values))).fetchall()


NUMBER = "parameter number INTEGER: a number"


def test_a_plain_name_passes_the_parameters_on(lay: Lay) -> None:
    lay("base", "SELECT $number AS n", NUMBER)
    lay("twice", "SELECT b.n * 2 AS m FROM base AS b", NUMBER)
    lay("again", "SELECT t.m, b.n FROM twice AS t JOIN base AS b ON TRUE", NUMBER)
    assert run("again", number=4) == [(8, 4)]
    statement = catalog.query("again").statement
    assert [name for name, _ in statement.expressions] == ["base", "twice"], "each reference once, in order of need"


def test_a_call_sets_parameters(lay: Lay) -> None:
    lay("base", "SELECT $number AS n", NUMBER)
    lay(
        "pair",
        "SELECT a.n, b.n, c.n FROM base(number := $left) AS a JOIN base(number := $right) AS b ON TRUE "
        "JOIN base(number := 7) AS c ON TRUE",
        "parameter left INTEGER: one",
        "parameter right INTEGER: other",
    )
    assert run("pair", left=1, right=2) == [(1, 2, 7)]
    assert [name for name, _ in catalog.query("pair").statement.expressions] == ["base", "base_2", "base_3"]


def test_a_call_reaches_through_a_chain(lay: Lay) -> None:
    lay("base", "SELECT $number AS n", NUMBER)
    lay("middle", "SELECT b.n FROM base AS b", NUMBER)
    lay(
        "top",
        "SELECT a.n, b.n FROM middle AS a JOIN middle(number := $other) AS b ON TRUE",
        NUMBER,
        "parameter other INTEGER: o",
    )
    assert run("top", number=1, other=2) == [(1, 2)]


def test_a_default_of_a_child_stands_in(lay: Lay) -> None:
    lay("base", "SELECT $number AS n, $word AS w", "parameter number INTEGER = 3: n", "parameter word TEXT = it's: w")
    lay("top", "SELECT b.n + 1, b.w FROM base AS b")
    assert run("top") == [(4, "it's")]
    assert run("base", number=5) == [(5, "it's")]


def test_names_in_strings_and_comments_are_no_references(lay: Lay) -> None:
    lay("base", "SELECT 1 AS n")
    lay("top", "SELECT 'FROM base' AS s -- FROM base\nFROM (SELECT 2 AS base) AS t")
    assert run("top") == [("FROM base",)]
    assert catalog.query("top").statement.expressions == ()


def test_values_are_checked(lay: Lay) -> None:
    lay("base", "SELECT $number, $how", NUMBER, "parameter how TEXT(a|b) = a: how")
    query = catalog.query("base")
    assert query.values({"number": 1}) == {"number": 1, "how": "a"}
    with pytest.raises(UsageError, match="needs a value for number"):
        query.values({})
    with pytest.raises(UsageError, match="choose one of a, b"):
        query.values({"number": 1, "how": "c"})
    with pytest.raises(UnknownName, match="did you mean number"):
        query.values({"numbr": 1})


@in_turn(
    ("body", "message"),
    [
        ("SELECT $missing", "uses .missing, which its header does not declare"),
        ("SELECT * FROM base AS b", "base needs number"),
        ("SELECT * FROM base(number := 1, nmber := 2) AS b", "has no parameter nmber"),
        ("SELECT * FROM top AS t", "refers to itself"),
    ],
)
def test_a_broken_query_is_refused(lay: Lay, body: str, message: str) -> None:
    lay("base", "SELECT $number AS n", NUMBER)
    lay("top", body)
    with pytest.raises(HeaderError, match=message):
        _ = catalog.query("top").statement


def test_parameters_of_another_query_are_taken_over(lay: Lay) -> None:
    lay(
        "base",
        "SELECT $number AS n",
        NUMBER,
        "parameter how TEXT(a|b) = a: which",
        "parameter size DOUBLE = 2: how large",
    )
    lay("all", "SELECT 1 AS n", "parameters: as base")
    lay("some", "SELECT 1 AS n", "parameters: as all (size, number)", "parameter own TEXT: of its own")
    base = catalog.query("base").parameters
    assert catalog.query("all").parameters == base
    *taken, own = catalog.query("some").parameters
    assert taken == [base[2], base[0]]
    assert own.name == "own"


@in_turn(
    ("field", "message"),
    [
        ("parameters: as nothing", "there is no query nothing, which the header names"),
        ("parameters: as base (number, nmber)", "base has no parameter nmber"),
        ("parameters: as bare", "bare has no parameter at all"),
        ("parameters: as top", "shares fields with itself by way of top"),
        ("parameters: as round", "shares fields with itself by way of top -> round"),
        ("parameters: base", "cannot read `base`"),
        ("parameters: as base (number number)", "cannot read"),
        ("parameters: as base\n-- parameter number TEXT: again", "`parameter number` is given twice"),
    ],
)
def test_parameters_that_cannot_be_taken_over(lay: Lay, field: str, message: str) -> None:
    lay("base", "SELECT $number AS n", NUMBER)
    lay("bare", "SELECT 1 AS n")
    lay("round", "SELECT 1 AS n", "parameters: as top")
    lay("top", "SELECT 1 AS n", field)
    with pytest.raises(HeaderError, match=re.escape(message)):
        catalog.query("top")


def test_columns_and_scores_of_another_query_are_taken_over(lay: Lay) -> None:
    score = "score share percent higher = sum(n) / nullif(sum(m), 0): share"
    lay("base", "SELECT 1 AS n, 2 AS m", "count n INTEGER: ones", "column m INTEGER: twos", score)
    lay("all", "SELECT 1 AS n, 2 AS m", "columns: as base", "scores: as base")
    lay("some", "SELECT 0 AS k, 2 AS m", "column k INTEGER: noughts", "columns: as base (m)")
    base = catalog.query("base")
    assert (catalog.query("all").columns, catalog.query("all").scores) == (base.columns, base.scores)
    assert [column.doc for column in catalog.query("some").columns] == ["noughts", "twos"]
    lay("twice", "SELECT 1 AS n, 2 AS m", "column m INTEGER: twos", "columns: as base")
    with pytest.raises(HeaderError, match="`column m` is given twice"):
        catalog.query("twice")


def test_terms_of_another_query_are_taken_over(lay: Lay) -> None:
    columns = ("count n INTEGER: ones", "column m INTEGER: twos")
    terms = ("term half = sum(n) / 2", "term rest = {half} - sum(m)")
    lay("base", "SELECT 1 AS n, 2 AS m", *columns, *terms)
    lay(
        "all",
        "SELECT 1 AS n, 2 AS m",
        *columns,
        "terms: as base",
        "score left number higher = {rest} * 2: what is left",
    )
    [score] = catalog.query("all").scores
    assert score.expression == "((sum(n) / 2) - sum(m)) * 2"
    assert catalog.query("all").terms == catalog.query("base").terms
    lay("some", "SELECT 1 AS n", columns[0], "terms: as base (half)", "score share number higher = {half}: half")
    assert [score.expression for score in catalog.query("some").scores] == ["(sum(n) / 2)"]
    for name, field, message in (
        ("typo", "terms: as base (hlf)", "base has no term hlf"),
        ("twice", "terms: as base\n-- term half = sum(m)", "`term half` is given twice"),
        ("alone", "terms: as base (rest)", "no `term half` is defined above the line that names it"),
    ):
        lay(name, "SELECT 1 AS n, 2 AS m", *columns, field)
        with pytest.raises(HeaderError, match=re.escape(message)):
            catalog.query(name)


def test_sums_by_key_have_counts_and_no_sentences(lay: Lay) -> None:
    """Rows of blocks of sentences add up to those of the whole; a metric's items are summed by its scores."""
    lay("totals", "SELECT 'a' AS form, 1 AS n", "column form VARCHAR: key", "count n BIGINT: how many", kind="relation")
    lay("items", "SELECT 0 AS sentence, 1 AS n", "column sentence INTEGER: 0", "count n BIGINT: 1", kind="relation")
    lay("plain", "SELECT 'a' AS form, 1 AS n", "column form VARCHAR: key", "column n BIGINT: 1", kind="relation")
    lay("metric", "SELECT 1 AS n", "count n BIGINT: 1", kind="metric")
    adds_up = {name for name, query in catalog.all_queries().items() if query.adds_up}
    assert adds_up == {"totals"}


def test_what_crosses_sentences_is_found_behind_any_query(lay: Lay) -> None:
    pairs = "parameter match TEXT(order|id) = order: how"
    lay(
        "pairs",
        "SELECT 1 AS n WHERE $match = 'id'",
        pairs,
        "crosses_sentences unless match = order: ids stand anywhere",
    )
    lay(
        "weighted",
        "SELECT 1 AS n WHERE $w = ''",
        "parameter w TEXT = : w",
        "crosses_sentences unless w: all are weighted",
    )
    lay("always", "SELECT 1 AS n", "crosses_sentences: documents")
    lay("top", "SELECT p.n FROM pairs AS p JOIN weighted AS w ON w.n = p.n", pairs, "parameter w TEXT = : w")
    lay("far", "SELECT a.n FROM always AS a")

    def crosses(name: str, **values: object) -> bool:
        return catalog.cross_sentences([catalog.query(name)], values)

    assert [crosses("top", w="x"), crosses("top"), crosses("top", w="x", match="id")] == [False, True, True]
    assert [crosses("pairs"), crosses("pairs", match="order"), crosses("far")] == [False, False, True]


def test_words_of_lines_are_needed_unless_all_that_read_them_declare_it(lay: Lay) -> None:
    """And nothing else reads the table of words."""
    lay("held", "SELECT w.form FROM words AS w")
    lay("joined", "SELECT s.text FROM sentences AS s LEFT JOIN held AS h ON h.form = s.text", "without_lines held")
    lay("counted", "SELECT count(*) AS n FROM held AS h")
    lay("whole", "SELECT j.text FROM joined AS j")
    lay("both", "SELECT j.text FROM joined AS j CROSS JOIN counted AS c")
    needing = {name: catalog.needs_words_of_lines(catalog.query(name).statement.sql) for name in catalog.names()}
    assert needing == {"held": True, "joined": True, "counted": True, "whole": False, "both": True}
    whole = catalog.query("whole").statement.sql
    for other in (
        "SELECT w.form FROM words AS w", "SELECT h.form FROM held AS h", "SELECT e.deprel AS form FROM edges AS e",
        "SELECT text_between(s, 1, 2) AS form FROM sentences AS s",
    ):  # fmt: skip
        assert catalog.needs_words_of_lines(f"{whole} UNION ALL {other}")


def test_relations_without_lines_are_read() -> None:
    for query in catalog.all_queries().values():
        assert query.without_lines is None or query.without_lines in relations_of(query.body), query.name


def test_the_digest_is_of_all_that_macros_are_made_from(lay: Lay, tmp_path: Path) -> None:
    """Also of the list of those that stay in databases."""
    digests = set()
    for body, parts in (("SELECT 1 AS n", '"one"'), ("SELECT 2 AS n", '"one"'), ("SELECT 2 AS n", "")):
        (tmp_path / "queries" / "tasks.toml").write_text(f"parts = [{parts}]")
        lay("one", body)
        assert catalog.absent_from_files() == (frozenset() if parts else {"one"})
        digests.add(catalog.digest())
    assert len(digests) == 3


def test_a_query_is_called_like_its_file_and_once(lay: Lay) -> None:
    lay("one", "SELECT 1", called="other")
    with pytest.raises(HeaderError, match="called like its file"):
        catalog.all_queries()
    lay("one", "SELECT 1")
    lay("one", "SELECT 1", family="second")
    with pytest.raises(HeaderError, match="has a query of this name"):
        catalog.all_queries()


def test_macros_take_defaults_and_refuse_other_values(lay: Lay) -> None:
    lay(
        "base",
        "SELECT $number AS n WHERE $how = 'all'",
        NUMBER,
        "parameter how TEXT(all|none) = all: how",
        "column n INTEGER: n",
    )
    with duckdb.connect() as connection:
        connection.execute(table_macro(catalog.query("base")))
        assert connection.execute("FROM base(5)").fetchall() == [(5,)]
        assert connection.execute("FROM base(5, how := 'none')").fetchall() == []
        with pytest.raises(duckdb.Error, match="how must be one of all, none"):
            connection.execute("FROM base(5, how := 'some')").fetchall()


def test_unknown_queries_come_with_the_nearest_names() -> None:
    with pytest.raises(UnknownName, match="did you mean attachment"):
        catalog.query("atachment")


def test_every_query_is_listed_with_its_header() -> None:
    found = {one.name: one for one in treesql.queries()}
    assert list(found) == list(catalog.all_queries())
    one = found["attachment"]
    assert (one.kind, one.folder) == ("metric", "dependency")
    assert one.scores[::3] == ("uas", "las", "la")
    [punctuation] = [parameter for parameter in one.parameters if parameter.name == "punctuation"]
    assert punctuation.choices == ("all", "form", "relation")
    assert punctuation.default == "all"
    assert one.doc


def test_named_queries_have_their_statement_and_their_page() -> None:
    one, other = treesql.queries("exact_match", "attachment")
    assert (one.name, other.name) == ("exact_match", "attachment")
    assert one.sql == catalog.query("exact_match").statement.sql
    assert str(one) == one.markdown == query_list.describe(catalog.query("exact_match")).rstrip()
    with pytest.raises(treesql.UnknownName, match="did you mean attachment"):
        treesql.queries("attachmnt")


def test_titles_of_parameters_fit_forms() -> None:
    parameters = [parameter for query in catalog.all_queries().values() for parameter in query.parameters]
    assert all(0 < len(parameter.title) <= header.MAX_TITLE for parameter in parameters)


def test_pages_of_queries_have_the_commands_that_print_them() -> None:
    options = "[--word-tags] [--lemma] [--frame-relations] [--order] [--case] [--by]"
    commands = {
        "dependency_frames": [f"stats TREEBANK... --table dependency_frames {options}"],
        "attachment": ["score dependency GOLD SYSTEM --metric attachment"],
        "relation_confusions": ["score dependency GOLD SYSTEM --table relation_confusions"],
        "word_pairs": [],
    }
    for name, expected in commands.items():
        page = query_list.describe(catalog.query(name))
        assert re.findall(r"^    treesql (.*)$", page, re.MULTILINE) == expected, name
    assert "ratio_low" in query_list.describe(catalog.query("dependency_lengths"))
