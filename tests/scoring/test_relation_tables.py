"""Classes and weights of the user's own: what replaces what, and what is wrong with a file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import treesql
from tests.conftest import bare
from tests.house.rules import in_turn
from treesql.engines.duckdb import DuckDB
from treesql.errors import InvalidInput
from treesql.scoring.relation_tables import install_classes, install_weights, read_weights


def written(folder: Path, text: str) -> str:
    (folder / "f.csv").write_text(text, "utf-8")
    return str(folder / "f.csv")


def classes_of(db: treesql.Database) -> dict[str, str]:
    return dict(bare(db).execute("SELECT relation, class FROM relation_classes").fetchall())


def weights_of(db: treesql.Database) -> set[tuple[str, str, float]]:
    return set(bare(db).execute("SELECT weight_set, relation, weight FROM relation_weights").fetchall())


@pytest.fixture
def file(gold_and_parser: Path, tmp_path: Path) -> Path:
    """A database file with the fixtures' gold trees."""
    with treesql.connect(shutil.copy(gold_and_parser, tmp_path)) as db:
        db.sql("INSERT INTO relation_weights VALUES ('old', 'det', 0.25)")
    return tmp_path / "t.duckdb"


def test_classes_replace_those_in_memory(db: treesql.Database, tmp_path: Path) -> None:
    install_classes(db.engine, written(tmp_path, "relation,class\nnsubj , function\n\nobj,other\n"))
    assert classes_of(db) == {"nsubj": "function", "obj": "other"}


def test_a_database_file_keeps_its_classes_and_weights(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    with treesql.connect(file, read_only=True, safe=True) as db:
        own = classes_of(db)
        install_classes(db.engine, written(tmp_path, "relation,class\npunct,content\n"))
        install_classes(db.engine, written(tmp_path, "relation,class\npunct,function\n"))
        assert classes_of(db) == {"punct": "function"}
        assert db.query("relation_shares").rows()[0]["function_share"] == 5 / 30
        install_weights(db.engine, "new", read_weights(str(written(tmp_path, "relation,weight\npunct,0.5\n"))))
        install_weights(db.engine, "newer", read_weights(str(written(tmp_path, "relation,weight\npunct,1\n"))))
        assert weights_of(db) == {("old", "det", 0.25), ("new", "punct", 0.5), ("newer", "punct", 1)}
        row = db.score("weighted_attachment", gold_corpus="gold", system_corpus="gold", weights="newer").rows()[0]
        assert row["wlas"] == 1
    assert file.read_bytes() == before
    with treesql.connect(file) as db:  # nor does one that is open for writing change
        install_classes(db.engine, written(tmp_path, "relation,class\npunct,function\n"))
        assert classes_of(db) == {"punct": "function"}
    with treesql.connect(file, read_only=True) as db:
        assert classes_of(db) == own
        assert weights_of(db) == {("old", "det", 0.25)}


@in_turn(
    "text",
    [
        "relation,weight\naux,0.1\npunct,0\n",
        "# of the\n# shared task, 2017\naux 0.1\n\npunct\t0\n",
        "\ufeffaux   1e-1\npunct 0",
    ],
)
def test_weights_in_both_forms(db: treesql.Database, tmp_path: Path, text: str) -> None:
    install_weights(db.engine, "w", read_weights(str(written(tmp_path, "det 3"))))
    install_weights(db.engine, "w", read_weights(str(written(tmp_path, text))))
    assert weights_of(db) == {("w", "aux", 0.1), ("w", "punct", 0)}


@in_turn(
    ("text", "message"),
    [
        ("", "f.csv: this file has no classes"),
        ("relation,class\n", "f.csv: this file has no classes"),
        ("nsubj,content\n", "f.csv:1: the first line is `nsubj,content`; begin with the header `relation,class`"),
        ("relation,class\nx\n", "f.csv:2: this line is `x`; write `relation,class`"),
        ("relation,class\n\nx,noun\n", "f.csv:3: the class `noun`; write one of function, content, other"),
        ("relation,class\n,other\n", "f.csv:2: a line without a relation"),
        ("relation,class\nx,other\nx,content\n", "f.csv:3: the relation x is given twice"),
        ("relation,class\nx:y,other\n", "f.csv:2: the relation `x:y` has a subtype; write the universal relation, x"),
    ],
)
def test_faults_of_classes(db: treesql.Database, tmp_path: Path, text: str, message: str) -> None:
    before = classes_of(db)
    with pytest.raises(InvalidInput) as error:
        install_classes(db.engine, written(tmp_path, text))
    assert message in str(error.value)
    assert classes_of(db) == before


@in_turn(
    ("text", "message"),
    [
        ("", "f.csv: this file has no weights"),
        ("# nothing\n", "f.csv: this file has no weights"),
        ("aux 0.1\ndet x\n", "f.csv:2: the weight `x` is not a number"),
        ("aux nan\n", "f.csv:1: the weight `nan` is not a number"),
        ("aux inf\n", "f.csv:1: the weight `inf` is not a number"),
        ("aux -1\n", "f.csv:1: the weight -1 is negative; write 0 or more"),
        ("aux 1\naux 2\n", "f.csv:2: the relation aux is given twice"),
        ("aux\n", "f.csv:1: this line is `aux`; write `relation weight`"),
        ("relation,weight\naux 1\n", "f.csv:2: this line is `aux 1`; write `relation,weight`"),
        ("aux,1\n", "f.csv:1: the first line is `aux,1`; begin with the header `relation,weight`"),
        ("aux:pass 1\n", "f.csv:1: the relation `aux:pass` has a subtype"),
        ("aux 1e-9\ndet 0\n", "f.csv: the largest weight is 1e-09; multiply all weights by one number"),
        ("aux 1e-9\ndet 1e10\n", "f.csv: the largest weight is 1e+10; multiply all weights by one number"),
    ],
)
def test_faults_of_weights(db: treesql.Database, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        install_weights(db.engine, "w", read_weights(str(written(tmp_path, text))))
    assert message in str(error.value)
    assert weights_of(db) == set()


def test_files_that_cannot_be_read(db: treesql.Database, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none.csv: there is no such file; name a file"):
        install_classes(db.engine, str(tmp_path / "none.csv"))
    (tmp_path / "latin").write_bytes(b"relation,class\n\xe9,other\n")
    with pytest.raises(InvalidInput, match="is not UTF-8"):
        install_classes(db.engine, str(tmp_path / "latin"))


def test_many_treebanks_take_no_more_statements_and_warnings_than_some(monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []
    run = DuckDB.rows
    monkeypatch.setattr(
        DuckDB, "rows", lambda engine, sql, *values: statements.append(sql) or run(engine, sql, *values)
    )
    sentences = ["1\tgo\t_\tVERB\t_\t_\t0\todd\t_\t_", "1\tit\t_\t_\t_\t_\t_\t_\t_\t_"]
    counts = []
    with treesql.connect() as db:
        for number in range(8):
            db.load(sentences, corpus=f"c{number}")
            if number in (1, 7):
                statements.clear()
                with pytest.warns(treesql.TreesqlWarning) as told:
                    db.stats()
                counts.append((len(statements), len(told)))
    assert counts == [(counts[0][0], 2 * 3), (counts[0][0], 6 * 3)]
    further = [str(warning.message) for warning in told if "further" in str(warning.message)]
    assert further == [
        "3 further treebanks: fewer words than the 1000 of a chunk; its standardised type/token ratio is NULL",
        "3 further treebanks: words without a head; shares of relations are those in the other words",
        "3 further treebanks: relations that belong to no class; they count as other; classes=FILE classifies them",
    ]
