"""Small files read together give what each gives alone."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import treesql
from treesql import readers
from treesql.errors import InvalidCorpora, InvalidInput
from treesql.readers import Options, State
from treesql.readers.dependencies import conllu
from treesql.readers.source import Source
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles

WORD = "{}\t{}\t_\t_\t_\t_\t{}\t_\t_\t_\n"
PLAIN = "# sent_id = a\n" + WORD.format(1, "a", 0) + "\n"
TWO = PLAIN + "# newpar\n" + WORD.format(1, "日本", 2) + WORD.format("2-3", "ᾳβ", "_") + WORD.format(2, "ᾳ", 0)
TWO += WORD.format(3, "β", 2) + "3.1\tx\t_\t_\t_\t_\t_\t_\t2:x\t_\n\n"
FILES = {
    "plain": PLAIN,
    "two": TWO,
    "same-id": PLAIN,
    "range": "# text = ab\n" + WORD.format("1-2", "ab", "_") + WORD.format(1, "a", 0) + WORD.format(2, "b", 1) + "\n",
    "repeated-id": PLAIN + PLAIN,
    "roots": WORD.format(1, "a", 0) + WORD.format(2, "b", 0) + "\n",
    "features": WORD.format(1, "a", 0).replace("\t_\t_\t_\t0", "\t_\t_\tA=1|A=2\t0") + "\n",
    "no-blank-line": PLAIN.removesuffix("\n"),
    "no-newline": PLAIN.removesuffix("\n\n"),
    "crlf": PLAIN.replace("\n", "\r\n"),
    "bom": "\ufeff" + PLAIN,
}
"""Files that are read, those from `repeated-id` on with a warning."""

WRONG = {
    "empty": "",
    "head": WORD.format(1, "a", 7) + "\n",
    "blank": "\n" + PLAIN,
    "comment": "# text = a\n\n",
    "cycle": WORD.format(1, "a", 2) + WORD.format(2, "b", 1) + "\n",
}


def written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.conllu").write_bytes(text.encode())
    return folder


def load_one_by_one(db: treesql.Database, folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        db.load(path)


def tables(db: treesql.Database) -> dict[str, list[str]]:
    names = ("corpora", "sentences", "words", "tokens", "empty_nodes", "enhanced_edges", "feature_lists")
    excluded = {"corpora": "EXCLUDE (loaded_at)"}
    return {name: sorted(map(str, db.sql(f"SELECT * {excluded.get(name, '')} FROM {name}").rows())) for name in names}


IN_ORDER = ["two", "range", "features", "two", "crlf", "plain", "range", "same-id", "roots", "range", "bom", "range"]
"""Files of one corpus, between which are some that are read alone: sent_ids are repeated in others."""


@pytest.mark.parametrize("wrong", [{}, {"c-head": WRONG["head"], "y-cycle": WRONG["cycle"]}], ids=["right", "wrong"])
def test_files_of_one_corpus_are_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, str]
) -> None:
    texts = {f"{at:02}-{name}": FILES[name].replace("= a", f"= {at // 3}") for at, name in enumerate(IN_ORDER)}
    folder = written(tmp_path / "files", texts | wrong)
    sizes: list[int] = []
    read_together = conllu.read_together

    def counted(texts: dict[str, bytes], options: Options, state: State | None = None) -> conllu.JoinedFiles | None:
        joined = read_together(texts, options, state)
        sizes.append(0 if joined is None else len(joined.names))
        return joined

    monkeypatch.setattr(conllu, "read_together", counted)
    results = []
    for n_files in (256, 1):
        monkeypatch.setattr(readers, "GROUP_FILES", n_files)
        with treesql.connect() as db, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                db.load(folder, corpus="all")
            except InvalidInput as error:
                results.append((str(error), {}))
            else:
                results.append(([str(warning.message) for warning in said], tables(db)))
    assert results[0] == results[1]
    assert sizes == [3, 2, 3, 2, *[0][: len(wrong)]]


def test_rows_and_warnings_are_those_of_each_file_alone(tmp_path: Path) -> None:
    folder = written(tmp_path / "files", FILES)
    with treesql.connect() as together, treesql.connect() as alone:
        with pytest.warns() as said:
            together.load(folder)
        with pytest.warns() as expected:
            load_one_by_one(alone, folder)
        assert tables(together) == tables(alone)
    assert sorted(str(one.message) for one in said) == sorted(str(one.message) for one in expected)
    assert len(expected) >= 7


def test_a_file_that_is_wrong_has_the_error_that_it_has_alone_and_the_others_are_loaded(tmp_path: Path) -> None:
    folder = written(tmp_path / "files", {**WRONG, "good": PLAIN, "two": TWO})
    with treesql.connect() as together, treesql.connect() as alone:
        with pytest.raises(InvalidCorpora) as caught:
            together.load(folder)
        assert together.corpora == ["good", "two"]
        for name in WRONG:
            with pytest.raises(treesql.TreesqlError) as expected:
                alone.load(folder / f"{name}.conllu")
            assert str(caught.value.refused[name]) == str(expected.value)


def test_a_corpus_that_is_left_out_has_no_rows(tmp_path: Path) -> None:
    folder = written(tmp_path / "files", {"a": PLAIN, "b": TWO, "c": PLAIN})
    files = [CorpusFiles((str(path),), "conllu", path.stem) for path in sorted(folder.iterdir())]
    with treesql.connect() as db:
        group = loading.read_small(tuple(files), Options(), lambda one: lambda n_bytes: None)
        loaded = loading.insert_small(db.engine, group, {"b"}, Options())
        assert [one.corpus for one in loaded] == db.corpora == ["a", "c"]
        for table in ("sentences", "words", "enhanced_edges", "empty_nodes"):
            assert not db.sql(f"SELECT t.corpus FROM {table} AS t WHERE t.corpus = 'b'").rows()


def test_what_has_a_warning_is_left_to_be_read_alone(tmp_path: Path) -> None:
    folder = written(tmp_path / "files", FILES)
    texts = {name: conllu.text_to_join(Source(str(folder / f"{name}.conllu")), Options()) for name in FILES}
    taken = {name: text for name, text in texts.items() if text is not None}
    joined = conllu.read_together(taken, Options())
    assert joined is not None
    assert joined.names == ("plain", "two", "same-id", "range")
    assert joined.n_words.tolist() == [1, 4, 1, 2]
    assert FILES.keys() - taken.keys() == {"no-blank-line", "no-newline", "crlf", "bom"}
    assert conllu.read_together({**taken, "wrong": WRONG["head"].encode()}, Options()) is None
