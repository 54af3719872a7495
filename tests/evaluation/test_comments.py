"""Comments of sentences as groups, in conditions and as strata, with keys that are written as in requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.evaluation.kinds_by_file import given
from treesql.errors import UnknownName, UsageError
from treesql.evaluation import evaluate, sources
from treesql.readers import source
from treesql.scoring import sums
from treesql.significance.strata import number_strata

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

SENTENCE = "{}1\ta\t_\tX\t_\tCase=Nom\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t{}\tdep\t_\t_\n\n"
COMMENTS = (
    "# newdoc id = d1\n# speaker = Ann\n# text[phon] = x y\n# speaker = Bob\n", "# speaker\n# speaker = Bob\n", "",
    "# newdoc id = d2\n# text = a b\n# reviewed\n# a,b/c = late\n",
)  # fmt: skip

GROUPS = {
    "meta.speaker": [("Ann", 2, 0.5), ("Bob", 2, 1), (None, 4, 1)],
    'meta."text[phon]"': [("x y", 2, 0.5), (None, 6, 1)],
    'meta."newdoc id"': [("d1", 6, 5 / 6), ("d2", 2, 1)],
    'meta."speaker"': [("Ann", 2, 0.5), ("Bob", 2, 1), (None, 4, 1)],
    "meta.text": [("a b", 2, 1), (None, 6, 5 / 6)],
    "meta.reviewed": [(None, 8, 7 / 8)],
    'meta."a,b/c"': [("late", 2, 1), (None, 6, 5 / 6)],
}


CONDITIONS = {
    "meta.speaker = 'Ann'": (2, 0.5),
    "META . speaker IN ('Ann', 'Bob') -- of meta.nonsense": (4, 3 / 4),
    """meta."text[phon]" = 'x y' OR meta.text = 'a b'""": (4, 3 / 4),
    """meta."newdoc id" = 'd1' AND deprel = 'dep'""": (3, 2 / 3),
    "newdoc = 'd2'": (2, 1),
    "\"meta.\"\"a,b/c\"\"\" = 'late' AND 'meta.speaker' <> form": (2, 1),
    "meta.speaker IS NULL AND feats.Case = 'Nom'": (2, 1),
    """NOT "Case" = 'Nom' OR line > 20""": (1, 1),
    "word IN (SELECT w.word FROM words AS w WHERE w.form = 'b' AND w.corpus LIKE 'gold%') AND length(meta.speaker) = 3":
        (2, 0.5),
    "sentence IN (SELECT meta.sentence FROM comments AS meta WHERE meta.value = 'Ann' AND corpus LIKE 'gold%')":
        (2, 0.5),
}  # fmt: skip
"""Conditions, with the number of words that meet them and UAS. Of speaker, a sentence's first value counts."""

STRATA = {
    "meta.speaker": [0, 1, 2, 3],
    "meta.reviewed": None,
    'meta."text[phon]"': [0, 1, 2, 3],
    'meta."newdoc id"': [0, 0, 0, 1],
    "newdoc": [0, 0, 0, 1],
    "meta.group": [0, 1, 0, 1],
    "n_words/5": [0, 0, 0, 0],
}


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("comments")
    found = [folder / "gold.conllu", folder / "system.conllu"]
    found[0].write_text("".join(SENTENCE.format(comments, 1) for comments in COMMENTS))
    found[1].write_text("".join(SENTENCE.format("# speaker = Eve\n", 1 + (at == 0) * -1) for at in range(4)))
    return found


def rows(result: Any, *by: str) -> list[tuple[Any, ...]]:
    return [(*(row[name] for name in by), row["words"], row["uas"]) for row in result.rows()]


@contextmanager
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Divide files wherever their sentences may be scored apart."""
    with monkeypatch.context() as small:
        small.setattr(evaluate, "MIN_BYTES", 1)
        small.setattr(sources, "MIN_BLOCK_WORDS", 1)
        small.setattr(source.Source.chunks, "__defaults__", (64, None, None))
        yield


@contextmanager
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Divide corpora of a database, as those of many million words are."""
    with monkeypatch.context() as small:
        for name, value in {"MAX_SIZE_AT_ONCE": -1, "SIZE_OF_RANGE": 1, "SENTENCES_OF_STEP": 1}.items():
            small.setattr(sums, name, value)
        yield


@pytest.fixture(scope="module")
def loaded(paths: list[Path]) -> Iterator[treesql.Database]:
    """The same corpora, and one with other comments and features."""
    with treesql.connect() as db:
        for path in paths:
            db.load(path, corpus=path.stem)
        path = paths[0].parent / "other.conllu"
        path.write_text(SENTENCE.format("# genre = news\n", 1).replace("Case", "Gender"))
        db.load(path, corpus="other")
        yield db


@pytest.mark.spread(8)
@pytest.mark.parametrize("by", GROUPS)
def test_groups_of_files_and_of_a_database(
    paths: list[Path], loaded: treesql.Database, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"metric": ["words", "uas"], "by": [by]}
    assert rows(treesql.score("dependency", *paths, **asked), by) == GROUPS[by]
    with small_blocks(monkeypatch):
        assert rows(treesql.score("dependency", *paths, **asked), by) == GROUPS[by]
    assert rows(loaded.score("dependency", "gold", "system", **asked), by) == GROUPS[by]
    with small_ranges(monkeypatch):
        assert rows(loaded.score("dependency", "gold", "system", **asked), by) == GROUPS[by]


@pytest.mark.spread(10)
@pytest.mark.parametrize("where", CONDITIONS)
def test_conditions_on_files_and_on_a_database(
    paths: list[Path], loaded: treesql.Database, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"metric": ["words", "uas"], "where": where}
    assert rows(treesql.score("dependency", *paths, **asked)) == [CONDITIONS[where]]
    with small_blocks(monkeypatch):
        assert rows(treesql.score("dependency", *paths, **asked)) == [CONDITIONS[where]]
    assert rows(loaded.score("dependency", "gold", "system", **asked)) == [CONDITIONS[where]]
    with small_ranges(monkeypatch):
        assert rows(loaded.score("dependency", "gold", "system", **asked)) == [CONDITIONS[where]]


def test_metrics_of_other_items_are_scored_where_they_have_the_column(loaded: treesql.Database) -> None:
    def scored(where: str) -> tuple[Any, ...]:
        [row] = loaded.score("dependency", "gold", "system", metric=["uas", "exact_match"], where=where).rows()
        return row["uas"], row["exact_match"]

    assert scored("newdoc = 'd1'") == (5 / 6, 2 / 3)
    assert scored("meta.speaker = 'Bob' AND n_words > 1") == (1, 1)
    assert scored("feats.Case = 'Nom'") == (1, None)
    assert scored("sentence IN (SELECT sentence FROM sentences WHERE corpus = 'gold' AND file <> '')") == (7 / 8, 3 / 4)


@pytest.mark.spread(8)
@pytest.mark.parametrize("stratum", STRATA)
def test_strata_of_files_and_of_a_database(
    paths: list[Path], loaded: treesql.Database, stratum: str, tmp_path: Path
) -> None:
    """Sentences 0 and 2, and 1 and 3, are of one group."""
    gold = tmp_path / "gold.conllu"
    gold.write_text("".join(SENTENCE.format(f"# group = {at % 2}\n{one}", 1) for at, one in enumerate(COMMENTS)))
    asked: dict[str, Any] = {"metric": "las", "stratum": stratum, "runs": 2}
    systems = {"a": paths[1], "b": paths[0]}
    with treesql.connect() as db:
        for name, path in {"gold": gold, **systems}.items():
            db.load(path, corpus=name)
        numbers = STRATA[stratum]
        if numbers is None:
            message = f"stratum='{stratum}': no sentence of gold.* has a value there"
            with pytest.raises(UsageError, match=message):
                treesql.compare("dependency", gold, systems=systems, **asked)
            with pytest.raises(UsageError, match=message):
                db.compare("dependency", "gold", "a", "b", **asked)
            return
        assert number_strata(db.engine, "gold", stratum).tolist() == numbers
        for found in (
            treesql.compare("dependency", gold, systems=systems, **asked),
            db.compare("dependency", "gold", "a", "b", **asked),
        ):
            [row] = found.rows()
            assert (row["sentences"], row["strata"]) == (4, 1 + max(numbers))


@pytest.mark.spread(3)
@pytest.mark.parametrize("kind", ["dependency", "parallel", "paths", "trees"])
def test_conditions_and_strata_of_every_kind_with_comments(kind: str) -> None:
    """The fixtures have an id and a text for every sentence."""
    asked = given(kind)
    row = next(row for row in treesql.score(kind, **asked, by="meta.sent_id").rows() if row["meta.sent_id"] == "mat")
    [found] = treesql.score(kind, **asked, where="meta.sent_id = 'mat'").rows()
    assert found == {name: value for name, value in row.items() if name not in ("meta.sent_id", "sent_id")}
    [own] = asked["systems"].values()
    [compared] = treesql.compare(
        kind, **{**asked, "systems": {"a": own, "b": own}}, stratum="meta.sent_id", runs=1
    ).rows()[:1]
    assert compared["strata"] == compared["sentences"] == 5


def test_the_signature_names_the_group(paths: list[Path]) -> None:
    [signature] = treesql.score("dependency", *paths, metric="uas", by='meta."newdoc id"').signatures.values()
    assert '|by:meta."newdoc id"|' in signature


def test_an_error_lists_the_keys_and_says_how_they_are_written(paths: list[Path]) -> None:
    listed = r'most sentences have meta.speaker, meta."newdoc id", meta."a,b/c", meta.reviewed, meta.text$'
    unknown = f"^unknown comment 'speakr'; did you mean speaker.*{listed}"
    with pytest.raises(UnknownName, match=unknown):
        treesql.score("dependency", *paths, metric="uas", by="meta.speakr")
    with pytest.raises(UnknownName, match=unknown):
        treesql.score("dependency", *paths, metric="uas", where="meta.speakr = 'Ann'")
    with pytest.raises(UnknownName, match=unknown):
        treesql.compare("dependency", *paths, paths[0], metric="uas", stratum="meta.speakr")
    said = r"'speaker'; .*; a comment is written meta.KEY$"
    with pytest.raises(UnknownName, match=f"unknown column to group by {said}"):
        treesql.score("dependency", *paths, metric="uas", by="speaker")
    with pytest.raises(UnknownName, match=f"unknown column of the items of attachment {said}"):
        treesql.score("dependency", *paths, metric="uas", where="speaker = 'Ann'")
    with pytest.raises(UnknownName, match=f"unknown column of sentences {said}"):
        treesql.compare("dependency", *paths, paths[0], metric="uas", stratum="speaker")


@pytest.mark.parametrize("how", [{"by": "meta.genre"}, {"where": "meta.genre = 'news'"}])
def test_keys_are_those_of_the_corpora_that_are_asked(loaded: treesql.Database, how: dict[str, str]) -> None:
    with pytest.raises(UnknownName, match=r"unknown comment 'genre'; known: a,b/c, .*; most sentences have meta.speak"):
        loaded.score("dependency", "gold", "system", **how)
    [row] = loaded.score("dependency", "other", "other", metric="uas", **how).rows()
    assert row["uas"] == 1


@pytest.mark.parametrize("how", [{"by": "Gender"}, {"where": "Gender = 'Nom'"}, {"where": "feats.Gender = 'Nom'"}])
def test_features_are_those_of_the_corpora_that_are_asked(loaded: treesql.Database, how: dict[str, str]) -> None:
    with pytest.raises((UnknownName, UsageError), match="Gender"):
        loaded.score("dependency", "gold", "system", metric="words", **how)
    assert loaded.score("dependency", "other", "other", metric="words", **how).rows()[0]["words"] == 1


def test_names_that_sql_does_not_distinguish(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(SENTENCE.format("# key = a\n# Key = b\n", 1))
    with pytest.raises(UsageError, match=r"cannot select items by meta\.Key twice; name each column once"):
        treesql.score("dependency", path, path, where="meta.key = 'a' AND meta.Key = 'b'")
    [row] = treesql.score("dependency", path, path, metric="words", where="meta.Key = 'b'").rows()
    assert row["words"] == 2


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "how", [{"by": "meta.speaker"}, {"where": "meta.speaker = 'Ann'"}, {"stratum": "meta.speaker"}]
)
def test_the_treebank_that_lacks_a_key_is_named(paths: list[Path], tmp_path: Path, how: dict[str, str]) -> None:
    for name in ("gold", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "aa.conllu").write_text(paths[0].read_text())
        (tmp_path / name / "bb.conllu").write_text(SENTENCE.format("# genre = news\n", 1))
    gold, out = str(tmp_path / "gold"), str(tmp_path / "out")
    message = "^bb: unknown comment 'speaker'; known: genre; most sentences have meta.genre$"
    ask = treesql.compare if "stratum" in how else treesql.score
    with pytest.raises(UnknownName, match=message):
        ask("dependency", gold, systems={"a": out, "b": out}, **how)


def test_a_feature_with_the_name_of_a_column_is_told_from_it(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text("1\ta\t_\tNOUN\t_\tForm=Len\t0\troot\t_\t_\n2\tb\t_\tNOUN\t_\t_\t1\tdep\t_\t_\n\n")
    with pytest.raises(UsageError, match=r"Form is a feature and a column; write feats\.Form or form"):
        treesql.score("dependency", path, path, metric="las", where="Form = 'Len'")
    for where in ("feats.Form = 'Len'", "form = 'a'", "FORM = 'a'"):
        [row] = treesql.score("dependency", path, path, metric="attachment", where=where).rows()
        assert row["words"] == 1
