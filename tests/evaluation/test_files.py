"""Files scored, compared and explained by the public API: what it returns, warns of, and refuses."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, heard
from tests.evaluation.aligned_trees import FILES
from tests.evaluation.lines import REFERENCES, lattices
from tests.evaluation.systems import GOLD, A, B
from tests.house.rules import in_turn
from treesql.errors import InvalidInput, UnknownName, UsageError

DIGEST = "[0-9a-f]{6}"


def test_a_row_per_system() -> None:
    found = treesql.score("dependency", gold=Path(GOLD), systems=[Path(A), B], metric="uas,las")
    assert found.rows() == [
        {"system": "parser-a.conllu", "uas": 25 / 30, "las": 24 / 30},
        {"system": "parser-b.conllu", "uas": 27 / 30, "las": 27 / 30},
    ]
    assert found.percent >= {"uas", "las"}


def test_signatures_name_what_was_scored() -> None:
    found = lattices(REFERENCES, metric="swcd").signature
    pattern = rf"swcd\|min_redundancy:1\.0\|lattice:lattices\.plf@{DIGEST}\(phrases\)\|reference:lattices\.txt@{DIGEST}"
    assert re.match(rf"{pattern}\|other:lattices-2\.txt@{DIGEST}\|q:", found)
    several = treesql.score("dependency", gold=GOLD, systems={"a": A, "b": B}, metric="las", punctuation="form")
    assert list(several.signatures) == ["a:las", "b:las"]
    corpora = rf"gold:gold\.conllu@{DIGEST}\|system:parser-b\.conllu@{DIGEST}"
    assert re.match(
        rf"las\|match:order\|punctuation:form\|relations:universal\|{corpora}\|q:", several.signatures["b:las"]
    )


def test_warnings_point_at_the_caller(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_text(Path(GOLD).read_text().replace("\tcc\t", "\tstrange\t"))
    with pytest.warns(treesql.TreesqlWarning, match="belong to no class: strange") as told:
        treesql.score("dependency", gold=tmp_path / "gold.conllu", systems=[A], metric="content_recall")
    assert [one.filename for one in told] == [__file__]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        treesql.compare("dependency", gold=GOLD, systems=[A, B], metric="las", runs=10)
    assert [one.filename for one in told] == [__file__] * 2


def test_a_kind_that_does_not_exist() -> None:
    for function in (treesql.score, treesql.compare):
        with pytest.raises(UnknownName, match=r"^unknown kind of evaluation 'depndency'; did you mean dependency"):
            function("depndency", gold=GOLD, systems=[A])
    with pytest.raises(UnknownName, match=r"^unknown kind of evaluation 'path'; did you mean paths"):
        treesql.explain("path", "s1")


def test_the_size_of_sentences() -> None:
    given = {"gold": GOLD, "systems": [A], "metric": "las"}
    with pytest.raises(InvalidInput, match=r"gold.conllu:1: a sentence of more than 30 B"):
        treesql.score("dependency", **given, max_sentence=30)
    with pytest.raises(UsageError, match="the largest sentence cannot be 'x'"):
        treesql.score("dependency", **given, max_sentence="x")
    assert treesql.score("dependency", **given, max_sentence="1MB").rows()[0]["las"] == 24 / 30
    assert treesql.score("dependency", **given).rows()[0]["las"] == 24 / 30


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_comparisons() -> None:
    given = {"gold": GOLD, "systems": {"one": A, "two": B}, "metric": "las", "punctuation": "form"}
    how = {"test": "bootstrap", "runs": 100, "seed": 3, "correction": "none", "stratum": "newdoc"}
    [row] = treesql.compare("dependency", **given, **how).rows()
    assert (row["system_a"], row["system_b"], row["score_a"]) == ("one", "two", 19 / 25)
    assert (row["test"], row["seed"], row["runs"]) == ("paired bootstrap", 3, 100)
    assert (row["strata"], row["p"]) == (1, row["p_corrected"])
    [nouns] = treesql.compare("dependency", **given, runs=10, where="upos = 'NOUN'").rows()
    assert nouns["score_a"] != row["score_a"]


@in_turn(
    ("how", "message"),
    [
        ({"systems": [A]}, "a comparison takes two systems at least, and only parser-a.conllu is given"),
        ({"systems": []}, "two systems at least"),
        ({"test": "t"}, "there is no test 't'; choose one of shuffling, bootstrap, "),
        ({"stratum": "doc"}, "unknown column of sentences 'doc'"),
        ({"metric": "words"}, "words of attachment cannot be compared; its scores are uas, uas_precision"),
        ({"table": "conll18"}, "unknown option of the kind dependency 'table'"),
        ({"metric": "wlas", "test": "mcnemar"}, "right or wrong"),
    ],
)
def test_what_cannot_be_compared(how: dict[str, object], message: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=message):
        treesql.compare("dependency", **{"gold": GOLD, "systems": [A, B], **({"metric": "las"} | how)})


def test_what_can_be_explained() -> None:
    reference, hypothesis, links = FILES
    found = treesql.explain("paths", "rain", reference=reference, hypothesis=hypothesis, alignment=links)
    assert (found.paths.rows(), "rain" in found.drawing.split()) == ([], False)
    with pytest.raises(UsageError, match=r"^sentences of the kind dependency cannot be explained; those of paths can$"):
        treesql.explain("dependency", "mat", gold=GOLD, systems=[A])
    with pytest.raises(UsageError, match=r"^one system is explained at a time; name one$"):
        treesql.explain("paths", 0, reference=reference, systems={"a": (hypothesis, links), "b": (hypothesis, links)})
    with pytest.raises(UsageError, match=r"^name the alignment: ALIGNMENT"):
        treesql.explain("paths", 0, reference=reference, systems=[hypothesis])


def test_a_database_by_its_path(tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as db:
        for corpus, path in (("gold", GOLD), ("a", A)):
            db.load(path, corpus=corpus)
    for path in (tmp_path / "t.duckdb", str(tmp_path / "t.duckdb")):
        [row] = treesql.score("dependency", gold="gold", systems=["a"], metric="las", db=path).rows()
        assert row == {"system": "a", "las": 24 / 30}
    with pytest.raises(treesql.TreesqlError, match="there is no such database"):
        treesql.score("dependency", gold="gold", systems=["a"], db=tmp_path / "none.duckdb")


HINT = "name the format with format={!r}, or rename the file"


@pytest.mark.parametrize(
    ("kind", "gold", "system", "form"),
    [
        ("dependency", "gold.conllu", "parser-a.conllu", "conllu"),
        ("alignment", "links.pharaoh", "links-a.pharaoh", "pharaoh"),
        ("constituency", "gold.mrg", "test.mrg", "penn"),
    ],
)
def test_the_format_is_told_unless_it_is_named(tmp_path: Path, kind: str, gold: str, system: str, form: str) -> None:
    other = shutil.copy(FIXTURES / system, tmp_path / "system.txt")
    metric = {"dependency": "uas", "alignment": "aer", "constituency": "f1"}[kind]
    with heard() as found:
        treesql.score(kind, FIXTURES / gold, other, metric=metric)
    assert found == [f"{other}: read as {form}, where its ending is that of text; {HINT.format(form)}"]
    with heard() as found:
        treesql.score(kind, FIXTURES / gold, other, metric=metric, format=form)
    assert found == []


def test_one_warning_for_all_files_of_a_corpus(tmp_path: Path, db: treesql.Database) -> None:
    text = "# global.columns = ID FORM HEAD DEPREL\n1\ta\t0\troot\n\n"
    for name in "ab":
        (tmp_path / f"{name}.conllu").write_text(text)
    with heard() as found:
        db.load(tmp_path, corpus="x")
    what = "read as conllup, where its ending is that of conllu, and 1 more file"
    assert found == [f"{tmp_path / 'a.conllu'}: {what}; {HINT.format('conllup')}"]


def test_a_format_that_is_named_is_not_told_of_by_any_command(tmp_path: Path, db: treesql.Database) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(FIXTURES / "gold.mrg", tmp_path / folder / "trees.txt")
    with heard() as found:
        treesql.load(tmp_path / "t.duckdb", tmp_path / "a" / "trees.txt", format="penn")
        treesql.check(tmp_path / "a" / "trees.txt", format="penn")
    assert found == []


def test_names_of_another_kind_are_no_other_format() -> None:
    with heard() as found:
        lists = FIXTURES / "lists.nbest"
        treesql.score("lattice", lists, reference=FIXTURES / "lattices.txt", metric="ger", format="nbest_lattice")
        treesql.score("lattice", FIXTURES / "lattices.plf", reference=FIXTURES / "lattices.txt", metric="ger")
    assert [one for one in found if "read as" in one] == []
