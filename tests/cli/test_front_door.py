"""Functions and methods return what the commands of their names print, and raise TreesqlError alone."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.cli.conftest import GOLD, A
from tests.conftest import FIXTURES
from treesql import Result, lattices
from treesql.errors import of_command_line

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

PLF, TEXTS = str(FIXTURES / "lattices.plf"), [str(FIXTURES / name) for name in ("lattices.txt", "lattices-2.txt")]
LINKS, LINKS_A = str(FIXTURES / "links.pharaoh"), str(FIXTURES / "links-a.pharaoh")
OF = ["-r", TEXTS[0], "-r", TEXTS[1], "--phrases"]
HOW: dict[str, Any] = {"reference": TEXTS, "phrases": True}
VERBS, NOUNS = "pattern { V [upos=VERB] }", "pattern { N [upos=NUON] }"


def csv(result: Result) -> str:
    file = io.BytesIO()
    treesql.write(result, file, format="csv")
    return file.getvalue().decode()


TABLES: list[tuple[list[str], Callable[[], Result]]] = [
    (["stats", GOLD, A], lambda: treesql.stats(GOLD, A)),
    (["stats", GOLD, "--relations"], lambda: treesql.stats(GOLD, relations=True)),
    (["stats", GOLD, A, "--table", "single_relations"], lambda: treesql.stats(GOLD, A, table="single_relations")),
    (["diff", GOLD, A], lambda: treesql.diff(GOLD, A)),
    (["diff", GOLD, A, "--changes", "--column", "deprel"],
     lambda: treesql.diff(GOLD, A, changes=True, column="deprel")),
    (["diff", GOLD, A, "--list", "--limit", "3"], lambda: treesql.diff(GOLD, A, list=True, limit=3)),
    (["diff", "gold", "parser-a", "--db", "t.duckdb", "--by", "upos"],
     lambda: of_database(lambda db: db.diff("gold", "parser-a", by="upos"))),
    (["wde", GOLD, A, "--absent", "skip"], lambda: treesql.wde(GOLD, A, absent="skip")),
    (["wde", GOLD, "--long", "--forms", "lower"], lambda: treesql.wde(GOLD, long=True, forms="lower")),
    (["find", GOLD, VERBS, "--columns", "V.lemma,text"], lambda: treesql.find(GOLD, VERBS, columns="V.lemma, text")),
    (["find", GOLD, VERBS, "--by", "V.lemma", "--limit", "2"],
     lambda: treesql.find(GOLD, VERBS, by="V.lemma", limit=2)),
    (["find", GOLD, VERBS, "--count"], lambda: treesql.find(GOLD, VERBS, count=True)),
    (["find", GOLD, VERBS, "--kwic", "3", "--sort", "right"], lambda: treesql.find(GOLD, VERBS, kwic=3, sort="right")),
    (["find", GOLD, VERBS, "--by", "V.lemma,V.upos", "--grid", "--share", "row"],
     lambda: treesql.find(GOLD, VERBS, by="V.lemma,V.upos", grid=True, share="row")),
    (["find", GOLD, VERBS, "--by", "V.lemma,V.upos", "--association"],
     lambda: treesql.find(GOLD, VERBS, by="V.lemma,V.upos", association=True)),
    (["find", GOLD, "--request", f"verbs={VERBS}"], lambda: treesql.find(GOLD, requests={"verbs": VERBS})),
    (["lattice", "oracle", PLF, *OF, "--measure", "gper"], lambda: lattices.oracle(PLF, measure="gper", **HOW)),
    (["lattice", "oracle", PLF, *OF, "--measure", "bleu", "--corpus-bleu"],
     lambda: lattices.oracle(PLF, measure="bleu", corpus_bleu=True, **HOW)),
    (["lattice", "curve", PLF, "p.jsonl", *OF], lambda: lattices.curve(PLF, "p.jsonl", **HOW).points),
    (["lattice", "curve", PLF, "p.jsonl", *OF, "--table", "numbers", "--fit", "line"],
     lambda: lattices.curve(PLF, "p.jsonl", fit="line", **HOW).table("numbers")),
    (["lattice", "curve", PLF, "p.jsonl", *OF, "--table", "line", "--to", "ger_rate"],
     lambda: lattices.curve(PLF, "p.jsonl", to="ger_rate", **HOW).line),
    (["lattice", "curve", PLF, *OF, "--table", "growth", "--thresholds", "-2:2"],
     lambda: lattices.curve(PLF, thresholds="-2:2", **HOW).growth),
    (["lattice", "fit", "examples.parquet", "-o", "a.json"], lambda: lattices.fit("examples.parquet").weights()),
    (["sql", "t.duckdb", "FROM words"], lambda: of_database(lambda db: db.sql("FROM words"))),
    (["info", "t.duckdb"], lambda: of_database(lambda db: db.info())),
    (["stats", "t.duckdb", "--corpus", "gold"], lambda: of_database(lambda db: db.stats(corpus="gold"))),
    (["wde", "t.duckdb", "--classes", "classes.csv"], lambda: of_database(lambda db: db.wde(classes="classes.csv"))),
    (["find", "t.duckdb", VERBS], lambda: of_database(lambda db: db.find(VERBS))),
    (["correlate", "table.csv"], lambda: treesql.correlate("table.csv")),
    (["correlate", "table.csv", "--method", "kendall"], lambda: treesql.correlate("table.csv", method="kendall")),
    (["correlate", "table.csv", "--columns", "uas,las"], lambda: treesql.correlate("table.csv", columns="uas, las")),
    (["queries"], lambda: Result.of([
        {"task": one.task, "query": one.query} for one in treesql.tasks() if one.query
    ])),
    (["queries", "--all"], lambda: Result.of([
        {"query": one.name, "kind": one.kind, "family": one.folder, "scores": ", ".join(one.scores), "what": one.doc}
        for one in treesql.queries()
    ])),
]  # fmt: skip
"""Command lines that print a table, and the calls that return it."""

TEXTS_PRINTED: list[tuple[list[str], Callable[[], str]]] = [
    (["find", GOLD, VERBS, "--sql"], lambda: prepared(lambda search: f"{search.sql}\n")),
    (["find", GOLD, VERBS, "--explain"], lambda: prepared(lambda search: f"{search.explain()}\n")),
    (["find", GOLD, VERBS, "--draw"], lambda: prepared(lambda search: search.draw().text(width=120))),
    (["find", GOLD, VERBS, "--draw", "-o", "v.html"], lambda: prepared(lambda search: search.draw().html())),
    (["find", GOLD, VERBS, "--format", "conllu"],
     lambda: prepared(lambda search: b"".join(search.sentences()).decode())),
    (["show", GOLD, "mat", "0", "--width", "60"], lambda: treesql.show(GOLD, "mat", 0).text(width=60)),
    (["show", GOLD, "mat", "--system", A], lambda: treesql.show(GOLD, "mat", system=A).text(width=120)),
    (["show", GOLD, "mat", "--svg"], lambda: treesql.show(GOLD, "mat").svg()),
    (["show", GOLD, "mat", "--aligned", A, "--links", LINKS, "--html"],
     lambda: treesql.show(GOLD, "mat", aligned=A, links=LINKS).html()),
    (["show", "t.duckdb", "mat", "--corpus", "gold", "--system", "parser-a"],
     lambda: of_database(lambda db: db.show("mat", corpus="gold", system="parser-a").text(width=120))),
    (["align", "symmetrise", LINKS, LINKS_A], lambda: treesql.symmetrise(LINKS, LINKS_A).content.decode()),
    (["lattice", "show", PLF, "0", *OF], lambda: lattices.show(PLF, 0, **HOW).text()),
    (["queries", "attachment"], lambda: f"{treesql.queries('attachment')[0]}\n"),
    (["queries", "attachment", "--sql"], lambda: f"{treesql.queries('attachment')[0].sql}\n"),
    (["wde", GOLD, "--chart", "w.svg", "--format", "csv"], lambda: treesql.wde(GOLD).svg()),
    (["correlate", "table.csv", "--chart", "c.svg"], lambda: treesql.correlate("table.csv").svg()),
    (["lattice", "curve", PLF, "p.jsonl", *OF, "--chart", "p.svg"],
     lambda: lattices.curve(PLF, "p.jsonl", **HOW).svg()),
]  # fmt: skip
"""Command lines that print or write a text, and the calls that return it."""


def of_database(ask: Callable[[treesql.Database], Any]) -> Any:
    with treesql.connect("t.duckdb", read_only=True) as db:
        return ask(db)


def prepared(ask: Callable[[treesql.Search], str]) -> str:
    with treesql.prepare(GOLD, VERBS) as search:
        return ask(search)


def make_files(command: list[str]) -> None:
    """The files that a command reads and another command writes."""
    if "p.jsonl" in command:
        lattices.prune(PLF, out="p.jsonl", **HOW)
    if "examples.parquet" in command:
        lattices.examples(PLF, out="examples.parquet", **HOW)


def slow_curves(commands: list[tuple[list[str], Any]]) -> list[Any]:
    """Commands and calls, of which those of curves and decoders of lattices take more than a second."""
    marks = {"curve": pytest.mark.slow, "apply": pytest.mark.thorough, "prune": pytest.mark.thorough}
    return [
        pytest.param(*one, marks=marks[one[0][1]]) if one[0][0] == "lattice" and one[0][1] in marks else one
        for one in commands
    ]


@pytest.mark.spread(24)
@pytest.mark.parametrize(
    ("command", "call"), slow_curves(TABLES), ids=lambda one: " ".join(one[:2]) if isinstance(one, list) else ""
)
def test_tables(run, folder: Path, command: list[str], call: Callable[[], Result]) -> None:  # type: ignore[no-untyped-def]
    make_files(command)
    printed = run(*command, "--format", "csv")
    assert printed.code == 0
    assert printed.out == csv(call())
    assert len(printed.out.splitlines()) > 1


@pytest.mark.spread(9)
@pytest.mark.parametrize(
    ("command", "call"), slow_curves(TEXTS_PRINTED), ids=lambda one: " ".join(one[:2]) if isinstance(one, list) else ""
)
def test_texts(run, folder: Path, command: list[str], call: Callable[[], str]) -> None:  # type: ignore[no-untyped-def]
    make_files(command)
    printed = run(*command)
    assert printed.code == 0
    files = [Path(word) for word in command if word.endswith((".svg", ".html"))]
    assert (files[0].read_text() if files else printed.out) == call()


@pytest.mark.thorough
def test_folders_of_treebanks(run, treebank_folders: tuple[str, str], folder: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("correlate", *treebank_folders, "--format", "csv").out == csv(treesql.correlate(*treebank_folders))
    printed = run("typology", *treebank_folders, "-o", "one", "--format", "csv", "--order", "las")
    assert printed.out == csv(treesql.typology(*treebank_folders, "two", order="las"))
    assert {path.name: path.read_bytes() for path in Path("one").iterdir()} == {
        path.name: path.read_bytes() for path in Path("two").iterdir()
    }


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    ("command", "call"),
    slow_curves([
        (["lattice", "prune", PLF, *OF, "--greedy"], lambda out: lattices.prune(PLF, greedy=True, out=out, **HOW)),
        (["lattice", "apply", "a.json", PLF, *OF, "--share", "0.3"],
         lambda out: lattices.apply("a.json", PLF, share=0.3, out=out, **HOW)),
        (["align", "symmetrise", LINKS, LINKS_A], lambda out: treesql.symmetrise(LINKS, LINKS_A, out=out)),
        (["export", "t.duckdb", "--corpus", "gold"],
         lambda out: of_database(lambda db: db.export(out, corpus="gold"))),
        (["find", GOLD, VERBS, "--format", "csv"], lambda out: treesql.write(treesql.find(GOLD, VERBS), out)),
    ]),
    ids=lambda one: " ".join(one[:2]) if isinstance(one, list) else "",
)  # fmt: skip
def test_files(run, folder: Path, command: list[str], call: Callable[[Path], object]) -> None:  # type: ignore[no-untyped-def]
    ending = {"lattice": ".jsonl", "align": ".wpt", "export": ".conllu", "find": ".csv"}[command[0]]
    if "a.json" in command:
        lattices.fit(lattices.examples(PLF, **HOW), out="a.json")
    one, two = Path(f"one{ending}"), Path(f"two{ending}")
    assert run(*command, *([] if command[0] == "export" else ["-o"]), one).code == 0
    call(two)
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_size


def test_an_arbiter_of_a_result_is_that_of_its_file(folder: Path) -> None:
    found = lattices.examples(PLF, out="examples.parquet", **HOW)
    assert lattices.fit(found) == lattices.fit("examples.parquet")
    applied = lattices.apply(lattices.fit(found, out="a.json"), PLF, phrases=True)
    assert applied.rows() == lattices.apply("a.json", PLF, phrases=True).rows()


@pytest.mark.slow
def test_loading_and_checking(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    assert (
        run("load", "one.duckdb", GOLD, "--corpus", "gold", "--language", "en").out == "gold: 5 sentences, 30 words\n"
    )
    told: list[tuple[int, int | None]] = []
    [loaded] = treesql.load(
        "two.duckdb", GOLD, corpus="gold", language="en", progress=lambda done, total: told.append((done, total))
    )
    assert (loaded.corpus, loaded.n_sentences, loaded.n_words) == ("gold", 5, 30)
    size = Path(GOLD).stat().st_size
    assert (told[0], told[-1]) == ((0, size), (size, size))
    with treesql.connect("one.duckdb") as one, treesql.connect("two.duckdb") as two:
        assert one.sql("FROM words").rows() == two.sql("FROM words").rows()
    Path("bad.conllu").write_text("1\ta\n")
    found = treesql.check("bad.conllu", GOLD)
    refused = run("check", "bad.conllu", GOLD)
    counted = "2 files, read as conllu: 1 error\n"
    with of_command_line():
        assert (refused.code, refused.err) == (1, counted + "".join(f"{fault}\n" for fault in found.faults))
    assert found.files == ("bad.conllu", GOLD)
    assert not treesql.check(GOLD).faults


def test_a_load_that_fails_leaves_no_database(folder: Path) -> None:
    Path("bad.conllu").write_text("1\ta\n")
    with pytest.raises(treesql.InvalidInput):
        treesql.load("new.duckdb", "bad.conllu", corpus="bad")
    assert not Path("new.duckdb").exists()


@pytest.mark.slow
def test_methods_and_functions_agree(folder: Path) -> None:
    """On a database in memory, on its file, and on the files that were loaded."""
    with treesql.connect() as memory, treesql.connect("t.duckdb") as file:
        memory.load(GOLD, corpus="gold.conllu")
        for how in ({}, {"classes": "classes.csv"}):
            found = treesql.stats(GOLD, **how).rows()
            assert memory.stats(**how).rows() == found
            assert [{**row, "treebank": "gold.conllu"} for row in file.stats(corpus="gold", **how).rows()] == found
            assert (
                memory.wde(**how).rows() == treesql.wde(GOLD, **how).rows() == file.wde(corpus=["gold"], **how).rows()
            )
        assert memory.stats().rows() == treesql.stats(GOLD).rows(), "nothing of the classes stays"
        assert len(file.stats().rows()) == 2, "nothing of the choice stays"
        assert memory.show("mat").text() == treesql.show(GOLD, "mat").text()
        with memory.prepare(VERBS) as search:
            assert search.matches().rows() == memory.find(VERBS).rows()
        assert memory.find(VERBS).rows() == treesql.find(GOLD, VERBS).rows(), "the database stays open"


def test_warnings_are_a_line_each(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    with pytest.warns(treesql.NothingFound, match="no word has") as found:
        treesql.find(GOLD, NOUNS)
    assert all(one.filename == __file__ for one in found), "warnings name the line that called treesql"
    told = run("find", GOLD, NOUNS).err.splitlines()
    kinds = {treesql.TreesqlWarning: "warning", treesql.NothingFound: "warning: nothing found"}
    assert told == [f"{kinds[one.category]}: {one.message}" for one in found]  # type: ignore[index]


CALLS: dict[str, Callable[[], object]] = {
    "load": lambda: treesql.load("t.duckdb", "missing.conllu", corpus="x"),
    "load into a text": lambda: treesql.load(GOLD, GOLD, corpus="x"),
    "check": lambda: treesql.check("missing.conllu"),
    "check a format": lambda: treesql.check(GOLD, format="nonsense"),
    "check a size": lambda: treesql.check(GOLD, max_sentence="huge"),
    "find": lambda: treesql.find("missing.conllu", VERBS),
    "find a request": lambda: treesql.find(GOLD, "pattern {"),
    "prepare": lambda: treesql.prepare(GOLD, VERBS, limit=-1),
    "prepare a corpus": lambda: treesql.prepare("t.duckdb", VERBS, corpus="nonsense"),
    "draw": lambda: prepared(lambda search: search.draw().svg()),
    "show": lambda: treesql.show(GOLD, "nonsense"),
    "show relations": lambda: treesql.show(GOLD, "mat", system=A, relations="nonsense"),
    "stats": lambda: treesql.stats(),
    "stats of a file": lambda: treesql.stats("missing.conllu"),
    "stats of a corpus": lambda: of_database(lambda db: db.stats(corpus="nonsense")),
    "stats of no table": lambda: treesql.stats(GOLD, table="nonsense"),
    "diff of a file": lambda: treesql.diff(GOLD, "missing.conllu"),
    "diff of a corpus": lambda: of_database(lambda db: db.diff("gold", "nonsense")),
    "stats by classes": lambda: of_database(lambda db: db.stats(classes="missing.csv")),
    "wde": lambda: treesql.wde(GOLD, forms="nonsense"),
    "wde of no words": lambda: treesql.wde(str(FIXTURES / "gold.mrg")),
    "correlate": lambda: treesql.correlate("missing.csv"),
    "correlate columns": lambda: treesql.correlate("table.csv", columns=["uas", "nonsense"]),
    "correlate a result": lambda: treesql.correlate(treesql.stats(GOLD), "outputs"),
    "typology": lambda: treesql.typology("missing", "missing"),
    "symmetrise": lambda: treesql.symmetrise(LINKS, LINKS_A, method="nonsense"),
    "symmetrise to": lambda: treesql.symmetrise(LINKS, LINKS_A, to="nonsense"),
    "symmetrise into": lambda: treesql.symmetrise(LINKS, LINKS_A, out="missing/x.wpt"),
    "write": lambda: treesql.write(treesql.stats(GOLD), "stats.nonsense"),
    "write a format": lambda: treesql.write(treesql.stats(GOLD), "stats.csv", format="nonsense"),
    "formats": lambda: treesql.formats("nonsense"),
    "queries": lambda: treesql.queries("nonsense"),
    "compare_counts": lambda: treesql.compare_counts({"a": {"n": [1]}, "b": {"n": [1, 2]}}, {"s": "sum(n)"}),
    "compare_counts by SQL": lambda: treesql.compare_counts({"a": {"n": [1]}, "b": {"n": [2]}}, {"s": "sum(m)"}),
    "compare_counts of one": lambda: treesql.compare_counts({"a": {"n": [1]}}, {"s": "sum(n)"}),
    "oracle": lambda: lattices.oracle(PLF, phrases=True),
    "oracle by": lambda: lattices.oracle(PLF, measure="nonsense", **HOW),
    "lattice": lambda: lattices.show(PLF, "nonsense", phrases=True),
    "prune": lambda: lattices.prune(PLF, phrases=True),
    "prune to": lambda: lattices.prune(PLF, to="plf", **HOW),
    "prune below": lambda: lattices.prune(PLF, threshold=float("nan"), **HOW),
    "examples": lambda: lattices.examples(PLF, out="x.csv", **HOW),
    "fit": lambda: lattices.fit(GOLD),
    "fit a result": lambda: lattices.fit(treesql.stats(GOLD)),
    "fit features": lambda: lattices.fit(lattices.examples(PLF, **HOW), features="nonsense"),
    "apply": lambda: lattices.apply(GOLD, PLF, phrases=True),
    "apply by": lambda: lattices.apply(GOLD, PLF, seed=3, phrases=True),
    "curve": lambda: lattices.curve(PLF, **HOW).points,
    "curve table": lambda: lattices.curve(PLF, **HOW).table("nonsense"),
    "curve line": lambda: lattices.curve(PLF, PLF, **HOW).line,
    "curve thresholds": lambda: lattices.curve(PLF, raw_threshold=True, **HOW),
    "max_sentence": lambda: treesql.max_sentence("huge").__enter__(),
    "limit": lambda: treesql.process.limit(memory="huge"),
}  # fmt: skip


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CALLS)
def test_only_treesql_errors_are_raised(folder: Path, name: str) -> None:
    with pytest.raises(treesql.TreesqlError) as raised:
        CALLS[name]()
    assert str(raised.value)
    assert "Traceback" not in str(raised.value)
