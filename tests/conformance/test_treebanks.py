"""Real treebanks: every file comes back byte for byte, and tables hold what the files hold."""

from __future__ import annotations

import gzip
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, DATA, needs
from tests.conftest import ROOT, bare
from treesql.writers import conllu

FILES = sorted(DATA.glob("ud/*/*/*.conllu.gz"))
DEFAULT, SLOW = FILES[:17:16], FILES[8::8]
EACH = [
    pytest.param(path, id=path.name, marks=[] if path in DEFAULT else mark)
    for path in FILES
    for mark in [pytest.mark.slow if path in SLOW else pytest.mark.thorough]
]
"""Files: by default one of each release, further ones slow, all others by hand."""

TEST = DATA / "ud/r2/English-EWT/en_ewt-ud-test.conllu.gz"
EXPECTED = CASES / "grew/en_ewt-ud-test.expected.json"


@cache
def sizes() -> dict[str, tuple[int, ...]]:
    """Sentences, words, ranges, empty nodes and subtyped relations of each file, as the README of the data has them."""
    row = r"^\| (r\S+\.gz) \|.*?\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| \d+ \|$"
    listed = re.findall(row, (DATA / "ud/README.md").read_text(), re.MULTILINE)
    return {path: tuple(map(int, numbers)) for path, *numbers in listed}


@needs(DATA / "ud/README.md")
@pytest.mark.parametrize("path", EACH)
def test_files_come_back_byte_by_byte_and_have_the_sizes_of_the_release(path: Path) -> None:
    counted = ("sentences", "words", "tokens", "empty_nodes", "words WHERE contains(deprel, ':')")
    counts = "SELECT " + ", ".join(f"(SELECT count(*) AS n FROM {rows}) AS n{at}" for at, rows in enumerate(counted))
    out = io.BytesIO()
    with treesql.connect() as db:
        [loaded] = db.load(path, corpus="c")
        conllu.write(db.engine, "c", range(loaded.n_sentences), out)
        assert tuple(db.sql(counts).rows()[0].values()) == sizes()[str(path.relative_to(DATA / "ud"))]
    assert out.getvalue() == gzip.decompress(path.read_bytes())


@needs(DATA / "ud/README.md")
def test_every_file_is_listed() -> None:
    assert len(sizes()) == len(FILES)


@pytest.fixture(scope="module")
def ewt() -> Any:
    with treesql.connect() as db:
        db.load(TEST, corpus="ewt")
        yield db


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return json.loads(EXPECTED.read_text())  # type: ignore[no-any-return]


def question(letter: str) -> str:
    """A statement of the page of questions."""
    page = (ROOT / "docs" / "questions.md").read_text("utf-8")
    found = re.search(rf"^## \({letter}\).*?```sql\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


@needs(EXPECTED)
def test_question_a(ewt: treesql.Database, expected: dict[str, Any]) -> None:
    rows = ewt.sql(question("a")).rows()
    assert {f"{row['upos']}|{row['deprel']}": row["words"] for row in rows} == expected["a_upos_deprel_counts"]


@needs(EXPECTED)
@pytest.mark.parametrize("letter", ["b", "c", "d", "f", "g"])
def test_questions_b_c_d_f_g(ewt: treesql.Database, expected: dict[str, Any], letter: str) -> None:
    assert len(ewt.sql(question(letter))) == expected[letter]


@needs(EXPECTED)
def test_question_e(ewt: treesql.Database, expected: dict[str, Any]) -> None:
    rows = {row["deprel"]: (row["edges"], round(row["mean_length"], 6)) for row in ewt.sql(question("e")).rows()}
    assert rows == {relation: tuple(values) for relation, values in expected["e_deprel_n_meanlen"].items()}


@needs(EXPECTED)
def test_structure(ewt: treesql.Database, expected: dict[str, Any]) -> None:
    structure = expected["structure"]

    def count(rows: str) -> int:
        return int(bare(ewt).execute(f"SELECT count(*) FROM {rows}").fetchall()[0][0])

    for table, name in (
        ("sentences", "sentences"),
        ("words", "words"),
        ("tokens", "multiword_ranges"),
        ("empty_nodes", "empty_nodes"),
        ("comments", "comments"),
        ("enhanced_edges", "enhanced_edges"),
    ):
        assert count(table) == structure[name]
    keys = ewt.sql("SELECT key, count(*) AS n FROM comments GROUP BY key").rows()
    assert {row["key"]: row["n"] for row in keys} == structure["comment_keys"]
    nodes = "(SELECT feats FROM words UNION ALL SELECT feats FROM empty_nodes)"
    assert count(f"{nodes} AS n JOIN features AS f ON f.feats = n.feats") == structure["feat_pairs"]
    assert bare(ewt).execute("SELECT max(depth) FROM trees").fetchall() == [(structure["max_depth"],)]
