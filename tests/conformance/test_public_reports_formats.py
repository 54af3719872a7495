"""Small inputs made after public reports on other tools: formats, fields, references. Values: README.md."""

from __future__ import annotations

from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, needs

FOLDER = CASES / "reports"

pytestmark = needs(FOLDER)


def score(kind: str, system: str, **options: Any) -> dict[str, Any]:
    """The only row of scores of one file."""
    files = {key: FOLDER / value if key in ("gold", "reference") else value for key, value in options.items()}
    [row] = treesql.score(kind, systems=[FOLDER / system], **files).rows()
    return row


def warnings_of(*names: str, **options: Any) -> list[str]:
    """The warnings about files."""
    return [str(one) for one in treesql.check(*(FOLDER / name for name in names), **options).warnings]


def test_scores_of_slf_to_another_base() -> None:
    with treesql.connect() as db:
        db.load(FOLDER / "base10.slf", corpus="a")
        rows = db.sql("FROM edge_posteriors('a') ORDER BY edge").rows()
    assert [row["posterior"] for row in rows] == pytest.approx([0.9, 0.1], abs=2e-5)


def test_escapes_of_slf() -> None:
    with treesql.connect() as db:
        db.load(FOLDER / "escapes.slf", corpus="a")
        words = [row["form"] for row in db.sql("SELECT form FROM lattice_words ORDER BY edge").rows()]
    assert words == ["'cause", "Ärger", "it's", "a\\b", "it is"]
    assert score("lattice", "escapes.slf", reference="escapes.ref.txt", metric="ger")["ger"] == 0


def test_missing_weights_are_one() -> None:
    with treesql.connect() as db:
        db.load(FOLDER / "no-weight.fst.txt", corpus="a")
        [row] = db.sql("SELECT path_forms, path_score FROM best_paths('a')").rows()
    assert (row["path_forms"], row["path_score"]) == (["a", "cat"], -0.2)
    given = score("lattice", "no-weight.fst.txt", reference="no-weight.ref.txt", metric="decoding_errors")
    assert given["best_errors"] == 0
    assert score("lattice", "no-weight.fst.txt", reference="no-weight.ref.txt", metric="ger")["ger"] == 0


def test_a_dead_arc_into_the_start_state() -> None:
    [warning] = warnings_of("dead-arc.fst.txt")
    assert "dead-arc.fst.txt:2: 1 edge leads to a first node" in warning


@pytest.mark.parametrize(
    ("system", "reference", "wer"),
    [("hyp.stm", "ref.stm", 1.0), ("hyp.ctm", "ref.ctm", 0.25), ("hyp.ctm", "ref.stm", 1.0)],
)
def test_segments_and_words_with_times(system: str, reference: str, wer: float) -> None:
    row = score("translation", f"segments.{system}", reference=f"segments.{reference}", metric="wer,reference_words")
    assert (row["wer"], row["reference_words"]) == (wer, 4)


def test_words_that_may_be_missing() -> None:
    """Refused by name: sclite takes them as optional."""
    with pytest.raises(treesql.InvalidInput, match=r"optional\.hyp\.trn:2: a word that may be missing"):
        score("translation", "optional.hyp.trn", reference="optional.ref.trn")


def test_blanks_at_the_edges_of_fields() -> None:
    found = warnings_of("blanks.conllu")
    assert [one.split(";")[0].partition("blanks.conllu:")[2] for one in found] == [
        "2:12: 1 value has a blank at the edge of UPOS, first `VERB `",
        "3:19: 1 value has a blank at the edge of DEPREL, first ` punct`",
    ]


def test_export_of_version_4_that_does_not_say_so() -> None:
    with treesql.connect() as db:
        with pytest.warns(treesql.TreesqlWarning, match="no line names the version"):
            db.load(FOLDER / "no-format.export", corpus="a")
        assert [row["lemma"] for row in db.sql("SELECT lemma FROM words ORDER BY word").rows()] == ["be", "John"]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_wrong_base_of_the_gold_links() -> None:
    """The hint names the base of gold alone, and no reversal, which a diagonal does not tell."""
    with pytest.warns(treesql.TreesqlWarning, match=r"; with gold_base=1 it would be"):
        score("alignment", "base.system.pharaoh", gold="base.gold.pharaoh", metric="aer")


def test_references_of_unequal_number() -> None:
    """An empty line counts as a reference, with a warning, unless it is said to be missing: sacrebleu's values."""

    def scores(**options: Any) -> list[float]:
        references = [FOLDER / f"two-references.r{at}.txt" for at in (1, 2)]
        systems = [FOLDER / "two-references.hyp.txt"]
        [row] = treesql.score("translation", systems=systems, reference=references, metric="bleu,ter", **options).rows()
        return [round(100 * row[name], 2) for name in ("bleu", "ter")]

    with pytest.warns(treesql.TreesqlWarning, match="empty_references='missing' leaves it out"):
        assert scores() == [100.0, 14.29]
    assert scores(empty_references="missing") == [60.65, 33.33]
