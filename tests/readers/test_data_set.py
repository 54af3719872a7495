"""Parquet data sets with rows that no file of another format could have, and with damaged bytes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES, thorough_but
from tests.storage.parts import restamp
from treesql.catalog import schemas
from treesql.errors import DatabaseError, InvalidInput, TreesqlError
from treesql.kernels import keys
from treesql.readers import Options
from treesql.readers.dependencies.columns import text_keys
from treesql.storage import corpus_plans, loading

Row = dict[str, Any]
CORPORA = ("gold", "parses", "gaps", "links", "lattices", "text", "unparsed")

UNPARSED = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tc\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of corpora of every kind."""
    folder = tmp_path_factory.mktemp("data set")
    (folder / "unparsed.conllu").write_text(UNPARSED)
    with treesql.connect() as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        db.load(FIXTURES / "gold.mrg", corpus="parses")
        db.load(FIXTURES / "discontinuous.export", corpus="gaps")
        db.load(FIXTURES / "links.pharaoh", corpus="links", source_corpus="gold", target_corpus="gold")
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(FIXTURES / "lattices.txt", corpus="text")
        db.load(folder / "unparsed.conllu", corpus="unparsed")
        db.export(folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def none() -> Iterator[treesql.Database]:
    """A database in which nothing is ever loaded."""
    with treesql.connect() as db:
        yield db
        assert db.corpora == []
        for table in schemas.corpus_tables():
            assert db.sql(f"SELECT count(*) AS n FROM {table.name}").rows() == [{"n": 0}]


def changed(exported: Path, out: Path, corpus: str, table: str, change: Callable[[list[Row]], object]) -> Path:
    """The data set of one corpus, and of what it is linked to, with other rows in one table."""
    for name in ("gold", "links") if corpus == "links" else (corpus,):
        for folder in exported.glob(f"*/{name}"):
            shutil.copytree(folder, out / folder.relative_to(exported))
    path = out / table / corpus / "part-00000.parquet"
    found = pq.ParquetFile(path).read()
    rows = found.to_pylist()
    change(rows)
    schema = pa.schema([field.with_nullable(True) for field in found.schema], found.schema.metadata)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path


def put(at: int, **values: object) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        rows[at].update(values)

    return change


def twice(at: int) -> Callable[[list[Row]], None]:
    return lambda rows: rows.insert(at, rows[at])


def without(at: int) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        del rows[at]

    return change


def swap(at: int) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        rows[at], rows[at + 1] = rows[at + 1], rows[at]

    return change


def cycle(rows: list[Row]) -> None:
    """The first sentence of gold, its root below one of its words."""
    root = next(at for at, row in enumerate(rows) if row["head"] == 0)
    below = next(row["word"] for row in rows if row["head"] == rows[root]["word"])
    rows[root]["head"] = below


FAULTS = [
    ("gold", "corpora", put(0, kind="forest"), 1, "kind is 'forest'"),
    ("gold", "corpora", put(0, format="csv"), 1, "format is 'csv'"),
    ("gold", "corpora", put(0, format="batches"), 1, "format is 'batches'"),
    ("gold", "corpora", put(0, n_sentences=4), 0, "5 sentences and 30 words are not what its record says"),
    ("gold", "corpora", twice(0), 1, "a corpus has one row"),
    ("gold", "corpora", put(0, score_sense="price"), 1, "score_sense is price, but score_sense IN"),
    ("gold", "sentences", put(1, sentence=7), 3, "sentence 2: it belongs before the row above"),
    ("gold", "sentences", twice(1), 3, "it is there twice"),
    ("gold", "sentences", without(1), 2, "sentence 2 is not the next one after 0"),
    ("gold", "sentences", put(2, n_words=99), 3, "n_words is 99, and by words 9"),
    ("gold", "sentences", put(0, file=None), 1, "file is missing"),
    ("gold", "sentences", put(0, line=0), 1, "line is 0, but line >= 1 must hold"),
    ("gold", "sentences", put(0, comments=["# a", None]), 1, "an item of comments is missing"),
    ("gold", "words", put(3, head=99), 4, "head 99 is not a word of the sentence"),
    ("gold", "words", put(3, head=-1), 4, "head is -1, but head >= 0 must hold"),
    ("gold", "words", put(3, head=None), 4, "head is NULL, although other words"),
    ("gold", "words", put(3, depth=17), 4, "depth is 17, and by heads 3"),
    ("gold", "words", cycle, 1, "heads form a cycle"),
    ("gold", "words", put(3, form=None), 4, "form is missing"),
    ("gold", "words", put(3, form=""), 4, "form is empty"),
    ("gold", "words", put(3, lemma="a\tb"), 4, "lemma has a tab or a line break"),
    ("gold", "words", put(3, leave=0), 4, "leave is 0, but leave >= enter must hold"),
    ("gold", "words", twice(3), 5, "it is there twice; keep one"),
    ("gold", "words", without(3), 4, "word 5 is not the next one after 3"),
    ("gold", "words", swap(3), 5, "it belongs before the row above"),
    ("gold", "words", put(3, sentence=4), 5, "sentence 0: it belongs before the row above"),
    ("gold", "words", lambda rows: rows.pop(), 0, "sentences/gold/part-00000.parquet:5: n_words is 2, and by words 1"),
    ("gold", "words", lambda rows: rows.append({**rows[-1], "word": 99}), 31, "word 99 is not the next one after 2"),
    ("gold", "words", lambda rows: rows.clear(), 0,
     "sentences/gold/part-00000.parquet:1: n_words is 7, and by words 0"),
    ("gold", "tokens", put(0, last=77), 1, "last 77 is after the end of the sentence, which has [0-9] words"),
    ("gold", "tokens", put(0, sentence=5), 1, "it has rows and is not in sentences"),
    ("gold", "tokens", twice(0), 2, "it is there twice"),
    ("gold", "tokens", lambda rows: rows.append({**rows[0], "first": rows[0]["first"] + 1}), 2, "overlaps the one"),
    ("gold", "empty_nodes", put(0, word=66), 1, "word 66 is after the end of the sentence, which has 7 words"),
    ("gold", "empty_nodes", put(0, index=2), 1, "index 2 is not the next one"),
    ("gold", "enhanced_edges", put(4, head=88), 5, "in deps of 5, `88:det` has a head that does not exist"),
    ("gold", "enhanced_edges", put(4, head_index=3), 5, "in deps of 5, `6.3:det` has a head that"),
    ("gold", "enhanced_edges", twice(4), 6, "it is there twice"),
    ("gold", "enhanced_edges", swap(2), 4, "it belongs before the row above"),
    ("parses", "constituents", put(2, last=99), 3, "last is 99, and by parents and words 3"),
    ("parses", "constituents", put(2, parent=9), 3, "parent 9 does not precede it; number nodes in preorder"),
    ("parses", "constituents", put(1, parent=2), 2, "parent 2 does not precede it"),
    ("parses", "constituents", put(2, depth=9), 3, "depth is 9, and by parents and words 3"),
    ("parses", "constituents", put(2, first=0), 3, "first is 0, but first >= 1"),
    ("parses", "constituents", put(2, node=9), 4, "it belongs before the row above"),
    ("parses", "constituents", put(2, label="XX"), 3, "label `XX` is not in constituent_labels"),
    ("parses", "constituents", lambda rows: rows[1].update(label=rows[2]["label"]), 0,
     "lists/parses/part-00000.parquet:1: label_list is "),
    ("parses", "constituents", lambda rows: rows.pop(), 0,
     "words/parses/part-00000.parquet:37: phrase 7 is not in constituents"),
    ("parses", "constituent_labels", put(2, number=9), 4, "it belongs before the row above"),
    ("parses", "constituent_labels", lambda rows: rows[2].update(label=rows[1]["label"]), 3,
     "the label `S` is there twice"),
    ("parses", "constituent_lists", lambda rows: rows[1]["tag_list"].pop(), 2,
     "tag_list is .12, 8, 13, 14, 15, 17., and by constituents, words"),
    ("parses", "constituent_lists", lambda rows: rows[1]["parent_list"].__setitem__(1, 2), 2,
     "parent_list is .0, 2, 2, 2.*, and by constituents, words"),
    ("parses", "constituent_lists", lambda rows: rows[1]["phrase_list"].__setitem__(1, 99), 2,
     "phrase_list is .3, 99, "),
    ("parses", "constituent_lists", lambda rows: rows[1]["tag_list"].__setitem__(1, 99), 2, "tag_list is .12, 99, "),
    ("parses", "constituent_lists", lambda rows: rows[1]["form_list"].__setitem__(1, 99), 2,
     "form_list is .[0-9]+, 99, "),
    ("parses", "constituent_lists", lambda rows: rows[1]["label_list"].reverse(), 2,
     "label_list is .16, 7, .*, and by constituents"),
    ("parses", "constituent_lists", without(1), 0, "sentence 1 is derived from constituents, .* and missing"),
    ("parses", "words", put(3, phrase=99), 4, "phrase 99 is not in constituents"),
    ("parses", "words", put(3, phrase=1), 0, "phrase_list is "),
    ("parses", "words", put(3, xpos="XX"), 4, "xpos `XX` is not in constituent_labels"),
    ("gold", "words", put(3, phrase=1), 4, "phrase is 1, where there are no phrases"),
    ("links", "alignments", put(3, sentence=9), 5, "sentence 0: it belongs before the row above"),
    ("links", "alignments", put(3, source=-2), 4, "source is -2, but source >= 0"),
    ("links", "alignments", lambda rows: rows[-1].update(target=99), 3, "a link of target word 99"),
    ("links", "alignments", twice(3), 5, "it is there twice"),
    ("links", "alignments", put(3, confidence=float("nan")), 4, "the confidence of 4-4 is not a finite number"),
    ("lattices", "lattices", put(1, n_nodes=2**31 - 1), 2, "n_nodes 2147483647 is far more than its 13 edges have"),
    ("lattices", "lattices", put(1, n_nodes=0), 2, "n_nodes is 0, but n_nodes >= 1"),
    ("lattices", "lattices", put(1, dead_edges=1), 2, "dead_edges is 1, and by lattice_edges 0"),
    ("lattices", "lattices", lambda rows: rows.pop(), 0, "it has no row in lattices|it has rows"),
    ("lattices", "lattice_edges", put(3, to_node=1_000_000_000), 4,
     "to_node 1000000000 is not in the lattice, which has 4 nodes"),
    ("lattices", "lattice_edges", lambda rows: rows[3].update(to_node=rows[3]["from_node"]), 4, "to_node > from_node"),
    ("lattices", "lattice_edges", put(3, from_node=-7), 4, "from_node is -7, but from_node >= 0"),
    ("lattices", "lattice_edges", put(3, edge=77), 5, "it belongs before the row above"),
    ("lattices", "lattice_edges", put(3, sentence=77), 5, "sentence 0: it belongs before the row above"),
    ("lattices", "lattice_edges", put(0, edge_words=["x", "y", "z"]), 0,
     "lattice_words/lattices/part-00000.parquet:1: form is `the`, and by edge_words"),
    ("lattices", "lattice_edges", put(3, scores=[float("nan")]), 4, "the score nan is not a finite number"),
    ("lattices", "lattice_words", put(3, position=9), 4, "it is not derived from edge_words"),
    ("lattices", "lattice_words", put(3, form="other"), 4, "form is `other`, and by edge_words of lattice_edges `hat`"),
    ("unparsed", "words", put(0, head=0, depth=1), 2, "head is NULL, although other words"),
    ("unparsed", "words", put(0, depth=1), 1, "depth is 1, and by heads NULL"),
]  # fmt: skip


@pytest.mark.spread(16)
@pytest.mark.parametrize(("corpus", "table", "change", "row", "what"), FAULTS, ids=range(len(FAULTS)))
def test_rows_that_cannot_be(
    exported: Path,
    none: treesql.Database,
    tmp_path: Path,
    corpus: str,
    table: str,
    change: Callable[[list[Row]], object],
    row: int,
    what: str,
) -> None:
    """One clear line, with the row where one can be named; nothing is loaded."""
    path = changed(exported, tmp_path / "out", corpus, table, change)
    with pytest.raises(InvalidInput, match=what) as raised:
        none.load(tmp_path / "out")
    if "link of target" not in what:  # which is reported by the sentence's file and line
        place = f"{path}:{row}: " if row else f"{tmp_path / 'out'}"
        assert any(line.startswith(place) for line in str(raised.value).splitlines())


@pytest.mark.parametrize(("corpus", "table", "change", "row", "what"), FAULTS[::20])
def test_rows_that_cannot_be_in_memory(
    exported: Path, tmp_path: Path, corpus: str, table: str, change: Callable[[list[Row]], object], row: int, what: str
) -> None:
    """Where no table enforces anything."""
    changed(exported, tmp_path / "out", corpus, table, change)
    with pytest.raises(InvalidInput, match=what):
        loading.load_into_memory(corpus_plans.plan_loads([tmp_path / "out"], None, "parquet"), Options())


def test_cycles_of_permissive_corpora(tmp_path: Path) -> None:
    """What was loaded with permissive is loaded again with it alone."""
    text = tmp_path / "cycle.conllu"
    text.write_text("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n")
    with treesql.connect() as db:
        with pytest.warns():
            db.load(text, corpus="cycle", permissive=True)
        db.export(tmp_path / "out")
    with treesql.connect() as db:
        with pytest.raises(InvalidInput, match=r"part-00000.parquet:1: heads form a cycle, .* with permissive=True"):
            db.load(tmp_path / "out")
        with pytest.warns(match="1 sentence whose heads form a cycle: row 1"):
            db.load(tmp_path / "out", permissive=True)
        assert db.sql("SELECT depth FROM words").rows() == [{"depth": None}] * 2


def test_several_roots_are_refused_if_strict(tmp_path: Path) -> None:
    text = tmp_path / "roots.conllu"
    text.write_text("1\ta\t_\t_\t_\t_\t0\tx\t_\t_\n2\tb\t_\t_\t_\t_\t0\tx\t_\t_\n\n")
    with treesql.connect() as db:
        with pytest.warns():
            db.load(text, corpus="roots")
        db.export(tmp_path / "out")
    with treesql.connect() as db:
        with pytest.warns(match="1 sentence with several roots: row 1"):
            db.load(tmp_path / "out")
        with pytest.raises(InvalidInput, match=r"part-00000.parquet:1: 2 roots"):
            db.load(tmp_path / "out", replace=True, strict=True)
        assert db.corpora == ["roots"]


@pytest.mark.parametrize(("table", "column"), [("words", "head"), ("sentences", "n_words"), ("corpora", "files")])
def test_columns_that_are_missing_or_of_another_type(
    exported: Path, none: treesql.Database, tmp_path: Path, table: str, column: str
) -> None:
    for how in ("drop", "text"):
        out = tmp_path / how
        shutil.copytree(exported, out)
        path = out / table / "gold" / "part-00000.parquet"
        rows = pq.ParquetFile(path).read()
        at = rows.schema.get_field_index(column)
        text = pa.array([str(value) for value in rows[column].to_pylist()])
        found = rows.drop_columns([column]) if how == "drop" else rows.set_column(at, column, text)
        pq.write_table(found.replace_schema_metadata(rows.schema.metadata), path)
        restamp(out)
        what = f"there is no column {column}" if how == "drop" else f"column {column} is string, not "
        with pytest.raises(InvalidInput, match=what):
            none.load(out)


def test_a_file_that_is_missing(exported: Path, none: treesql.Database, tmp_path: Path) -> None:
    listed = tmp_path / "listed"
    shutil.copytree(exported, listed)
    shutil.rmtree(listed / "words" / "gold")
    with pytest.raises(DatabaseError, match="it is missing, where the manifest names a part"):
        none.load(listed)
    for corpus, table in (
        ("parses", "constituents"), ("parses", "constituent_lists"), ("lattices", "lattices"),
        ("lattices", "lattice_edges"), ("lattices", "lattice_words"), ("gold", "words"), ("gold", "sentences"),
    ):  # fmt: skip
        out = tmp_path / f"{corpus} {table}"
        for folder in exported.glob(f"*/{corpus}"):
            if folder.parent.name != table:
                shutil.copytree(folder, out / folder.relative_to(exported))
        with pytest.raises(
            TreesqlError,
            match=f"by words 0|has no {table}|not in constituents|no row in lattices|missing|by lattice_edges 0",
        ):
            none.load(out)


@pytest.mark.slow
def test_rows_in_many_batches(
    exported: Path, none: treesql.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sentences and lattices may be cut anywhere."""
    from treesql.readers import parquet

    with treesql.connect() as db:
        db.load(exported)
        whole = {
            name: db.sql(f"FROM {name} ORDER BY ALL").rows() for name in schemas.all_tables() if name != "features"
        }
    monkeypatch.setattr(parquet, "ROWS", 1)
    with treesql.connect() as db:
        db.load(exported)
        for name, rows in whole.items():
            assert db.sql(f"FROM {name} ORDER BY ALL").rows() == rows
    for corpus, table, change, row, what in FAULTS[1::8]:
        out = tmp_path / f"{table} {row} {len(what)}"
        changed(exported, out, corpus, table, change)
        with pytest.raises(InvalidInput, match=what):
            none.load(out)


@given(st.lists(st.text(max_size=12), max_size=12))
def test_keys_without_the_compiler(texts: list[str]) -> None:
    data = [text.encode("utf-8", "surrogatepass").decode("utf-8", "ignore").encode() for text in texts]
    raw = b"".join(data)
    lengths = [len(text) for text in data]
    starts = [sum(lengths[:at]) for at in range(len(lengths))]
    import numpy as np

    expected = keys.hash_pieces(np.frombuffer(raw, np.uint8), np.array(starts, np.int64), np.array(lengths, np.int64))
    assert text_keys(pa.array([text.decode() for text in data], pa.string())).tolist() == expected.tolist()


def damage(data: bytes, chance: Random) -> bytes:
    """Some bytes changed, cut out or put in, mostly near the end, where a Parquet file has its metadata."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        low = 0 if chance.random() < 0.5 else max(len(found) - 900, 0)
        at = chance.randrange(low, len(found))
        match chance.randrange(5):
            case 0:
                found[at] ^= 1 << chance.randrange(8)
            case 1:
                found[at] = chance.choice((0, 255, 127, 128))
            case 2:
                del found[at : at + chance.choice((1, 8, 500))]
            case 3:
                found[at:at] = chance.randbytes(chance.choice((1, 4)))
            case _:
                found[at : at + 4] = chance.randbytes(4)
        if not found:
            break
    return bytes(found)


def load_damaged(db: treesql.Database, exported: Path, out: Path, chance: Random) -> str:
    """What comes of a load of the data set with one damaged file: `loaded` or `refused`."""
    files = sorted(exported.rglob("*.parquet"))
    file = files[chance.randrange(len(files))]
    path = out / file.relative_to(exported)
    path.write_bytes(damage(file.read_bytes(), chance))
    corpus = path.parent.name
    try:
        db.load(*sorted(out.glob(f"*/{corpus}/*.parquet")), format="parquet")
    except TreesqlError:
        return "refused"
    finally:
        shutil.copy(file, path)
    db.drop(corpus)
    return "loaded"


@pytest.mark.slow
@pytest.mark.parametrize("n", thorough_but([50, 150], 50))
def test_damaged_bytes(exported: Path, none: treesql.Database, tmp_path: Path, n: int) -> None:
    """As many by hand as one likes: `python -m tests.readers.test_data_set`."""
    out = tmp_path / "out"
    shutil.copytree(exported, out)
    chance = Random(5)
    found = [load_damaged(none, exported, out, chance) for _ in range(n)]
    assert found.count("refused") > n / 2


if __name__ == "__main__":  # python -m tests.readers.test_data_set FOLDER 5000 [SEED]: FOLDER is a data set
    import sys
    import tempfile
    from collections import Counter

    data_set = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, treesql.connect() as empty:
        shutil.copytree(data_set, Path(folder) / "out")
        chance = Random(sys.argv[3] if len(sys.argv) > 3 else 0)
        outcomes = Counter(load_damaged(empty, data_set, Path(folder) / "out", chance) for _ in range(int(sys.argv[2])))
    print(dict(outcomes))
