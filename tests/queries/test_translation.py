"""Error rates and BLEU of translations: by hand, against slow definitions, and with several references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import bare, heard
from tests.evaluation.lines import REFERENCES, lattices, row, written
from tests.kernels import lattices as slow
from treesql import catalog
from treesql.scoring import items, scores

LETTERS = "abcde"


def score(hypothesis: str, *references: str, **how: Any) -> dict[str, Any]:
    return row(treesql.score("translation", systems=[hypothesis], reference=references, **how))


def text(words: Sequence[int]) -> str:
    return " ".join(LETTERS[word] for word in words)


BY_HAND = [
    ("", "", None, None, 0),
    ("", "a b", 1, 1, 0),
    ("a b", "", None, None, 0),
    ("a b", "a b", 0, 0, 0),
    ("a b c d", "a b c d", 0, 0, 1),
    ("a b c d", "e f g h", 1, 1, 0),
    ("a a b c", "a b c a", 2 / 4, 0, (1 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25),
    ("a b c d", "d c b a", 1, 0, (1 * 1 / 6 * 1 / 8 * 1 / 8) ** 0.25),
    ("a b c", "a b c d e f", 1 / 2, 1 / 2, 0),
]
"""A hypothesis, its reference, and their WER, PER and BLEU."""


def test_translations_by_hand(tmp_path: Path) -> None:
    """Of each sentence, and of a text of one."""
    hypotheses, references, *_ = zip(*BY_HAND, strict=True)
    files = {"systems": written(tmp_path / "h", *hypotheses), "reference": written(tmp_path / "r", *references)}
    rows = treesql.score("translation", **files, by="sentence").rows()
    alone = score(written(tmp_path / "h1", hypotheses[-2]), written(tmp_path / "r1", references[-2]))
    for found, (hypothesis, reference, wer, per, bleu) in zip([*rows, alone], [*BY_HAND, BY_HAND[-2]], strict=True):
        assert (found["wer"], found["per"]) == (wer, per), (hypothesis, reference)
        assert found["bleu"] == pytest.approx(bleu), (hypothesis, reference)


def test_words_of_lines_are_not_needed_where_headers_declare_it(tmp_path: Path) -> None:
    """A line of a text has its words, so that the table of words need not have them."""
    queries = [query for query in catalog.all_queries().values() if query.family == "translation"]
    read = [query for query in queries if "words" in query.sources and query.kind != "audit"]
    without = [query for query in read if not catalog.needs_words_of_lines(query.statement.sql)]
    assert {"edit_totals", "n_gram_matches", "character_errors", "translation_differences"} <= {q.name for q in without}
    assert {"edit_operations", "n_gram_differences"} <= {q.name for q in read} - {q.name for q in without}
    files = {
        "hypothesis": ("a b\tc", "", "the cat , sat"),
        "reference": ("a  c c", "b", "the Cat sat !"),
        "other": ("", "b", "a cat sat"),
    }
    corpora = {f"{name}_corpus": name for name in files} | {"other_corpora": "other", "baseline_corpus": "other"}
    with treesql.connect() as db:
        for name, lines in files.items():
            db.load(written(tmp_path / f"{name}.txt", *lines), corpus=name)

        def rows() -> dict[str, list[str]]:
            return {
                query.name: sorted(
                    map(str, scores.run_query(db.engine, query, items.declared_values(query, corpora)).to_pylist())
                )
                for query in without
            }

        before = rows()
        bare(db).execute("DELETE FROM words")
        assert all(before.values())
        assert rows() == before


def test_words_of_lines_are_there_where_they_are_needed(tmp_path: Path) -> None:
    """What is counted of words is the same of files as of a database, which has all rows."""
    lines = {
        "a": ("the cat\tsat", "", "b b c"),
        "b": ("the dog sat", "x", "c b"),
        "reference": ("the cat sat", "", "b c"),
    }
    files = {name: written(tmp_path / name, *of_file) for name, of_file in lines.items()}
    with treesql.connect() as db:
        for name, path in files.items():
            db.load(path, corpus=name, format="text")
        asked: list[dict[str, Any]] = [
            {"metric": "edit_operations", "by": "frequency"},
            {"metric": "edit_operations", "by": ["operation", "hypothesis_frequency"]},
            {"table": "n_gram_differences"},
        ]
        for how in asked:
            stored = db.score("translation", systems=["a", "b"], reference="reference", **how)
            read = treesql.score("translation", systems=[files["a"], files["b"]], reference=files["reference"], **how)
            assert read.rows() == stored.rows(), how
            assert len(read) > 2


def test_references_keep_their_order_whatever_their_names(tmp_path: Path) -> None:
    hypothesis = written(tmp_path / "h.txt", "a b")
    references = [
        written(tmp_path / f"{name}.txt", line) for name, line in [("z", "x y"), ("y", "a c"), ("b", "a d e")]
    ]
    with treesql.connect() as db:
        db.load(hypothesis, corpus="h")
        for name, path in zip("zyb", references, strict=True):
            db.load(path, corpus=name)
        steps = db.query("edit_operations", hypothesis_corpus="h", reference_corpus="z", other_corpora="y,b").rows()
        assert {one["reference"] for one in steps} == {"y"}
    found = score(hypothesis, *references, metric="edit_operations")
    assert (found["wer"], found["reference_words"]) == (1 / 2, 2)


def test_bleu_of_a_short_sentence_counts_the_orders_that_it_has(tmp_path: Path) -> None:
    """sacrebleu 2.6.0: sentence_bleu("a b c", ["a b d e"]) with effective order, of given tokens."""
    found = score(written(tmp_path / "h", "a b c"), written(tmp_path / "r", "a b d e"), metric="n_gram_matches")
    assert found["bleu"] == 0
    assert found["bleu_effective"] == pytest.approx(math.exp(1 - 4 / 3) * (2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3))
    assert found["brevity_penalty"] == pytest.approx(math.exp(1 - 4 / 3))


def test_the_closest_reference_length_counts_and_of_two_the_shorter(tmp_path: Path) -> None:
    hypothesis = written(tmp_path / "h", "a b c")
    references = [written(tmp_path / name, line) for name, line in [("a", "x"), ("b", "a b"), ("c", "a b c d")]]
    assert score(hypothesis, *references, metric="brevity_penalty")["brevity_penalty"] == 1
    with treesql.connect() as db:
        db.load(hypothesis, corpus="h", format="text")
        for at, path in enumerate(references):
            db.load(path, corpus=f"r{at}", format="text")
        given = {"hypothesis_corpus": "h", "reference_corpus": "r0", "other_corpora": "r1,r2"}
        [item] = db.query("n_gram_matches", **given).rows()
    assert item["closest_words"] == 2


def test_words_with_blanks_are_not_taken_for_several(tmp_path: Path) -> None:
    """As Vietnamese treebanks have them: two words are the same if they are cut at the same place."""
    texts = {"h": ["a b", "c"], "r": ["a", "b c"]}
    for name, words in texts.items():
        rows = "".join(f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, word in enumerate(words, 1))
        (tmp_path / f"{name}.conllu").write_text(rows + "\n")
    lattice = written(tmp_path / "h.jsonl", '{"n_nodes": 2, "edges": [[0, 1, ["a b", "c"]], [0, 1, ["a", "b c"]]]}')
    reference = str(tmp_path / "r.conllu")
    assert score(str(tmp_path / "h.conllu"), reference)["n_gram_precision_2"] == 0
    scored = row(treesql.score("lattice", systems=[lattice], reference=reference, metric="edge_precision_2"))
    assert scored["edge_precision_2"] == 1 / 2
    with treesql.connect() as db:
        db.load(lattice, corpus="lattice")
        db.load(reference, corpus="reference")
        rows = db.query("edge_n_grams", lattice_corpus="lattice", reference_corpus="reference").rows()
    found = [(row["n_gram"], row["edge_matches_2"]) for row in rows if row["n_gram_order"] == 2]
    assert sorted(found) == [("a b c", 0), ("a b c", 1)]


def test_an_empty_translation_is_short_unless_nothing_was_to_be_said(tmp_path: Path) -> None:
    files = {"systems": written(tmp_path / "h", "", ""), "reference": written(tmp_path / "r", "a b", "")}
    rows = treesql.score("translation", **files, metric=["brevity_penalty", "bleu"], by="sentence").rows()
    # sacrebleu 2.6.0 gives the same
    assert [(found["brevity_penalty"], found["bleu"]) for found in rows] == [(0, 0), (1, 0)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*empty reference beside others")
@given(st.lists(st.tuples(slow.words, slow.words, slow.words), min_size=1, max_size=4))
@settings(deadline=None, max_examples=4)
def test_error_rates_against_slow_definitions(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[tuple[slow.Words, slow.Words, slow.Words]]
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    paths = [written(folder / str(at), *(text(one[at]) for one in sentences)) for at in range(3)]
    found = score(*paths, metric=["wer", "wer_hypothesis", "per", "per_hypothesis"])
    edits, words = 0, 0
    errors, bag_words = 0, 0
    for hypothesis, *references in sentences:
        nearest = min(references, key=lambda one: slow.distance(hypothesis, one)[0])
        edits, words = edits + slow.distance(hypothesis, nearest)[0], words + len(nearest)
        nearest = min(references, key=lambda one: slow.bag_distance(hypothesis, one))
        errors, bag_words = errors + slow.bag_distance(hypothesis, nearest), bag_words + len(nearest)
    n = sum(len(one[0]) for one in sentences)
    assert found["wer"] == (edits / words if words else None)
    assert found["wer_hypothesis"] == (edits / n if n else None)
    assert found["per"] == (errors / bag_words if bag_words else None)
    assert found["per_hypothesis"] == (errors / n if n else None)


def test_which_words_are_taken_for_which(examples: treesql.Database) -> None:
    sql = """
        SELECT o.sentence, o.hypothesis_form, o.reference_form FROM edit_operations('hypotheses', 'references') AS o
        WHERE o.operation = 'substitution' ORDER BY o.sentence, o.step
    """
    found = [tuple(one.values()) for one in examples.sql(sql).rows()]
    assert found == [(0, "sits", "sat"), (1, "is", "was"), (1, "great", "big"), (2, "don't", "do")]


def test_an_oracle_is_a_translation(examples: treesql.Database, tmp_path: Path) -> None:
    paths = examples.query("oracle_paths", lattice_corpus="lattices", reference_corpus="references", measure="pmed")
    lines = [" ".join(row["path_forms"]) for row in sorted(paths.rows(), key=lambda row: row["sentence"])]
    found = score(written(tmp_path / "oracle.txt", *lines), REFERENCES[0], metric="position_independent_errors")
    assert found["word_set_errors"] == row(lattices(metric="pmed"))["pmed"]


@pytest.mark.filterwarnings("ignore:.*an empty reference beside others")
def test_empty_references_that_are_missing(tmp_path: Path) -> None:
    """An empty line beside others is a reference of no words unless it is said to be missing; alone it stays.

    Sentence 1: against `` 2 edits, against `a b c d` 2 as well; the first given is nearest. Sentence 2 has one empty
    reference alone, sentence 3 equals both.
    """
    hypothesis = written(tmp_path / "h", "a b", "x", "c")
    references = [written(tmp_path / "r1", "", "", "c"), written(tmp_path / "r2", "a b c d", "", "c")]
    counted = score(hypothesis, *references, metric="wer,reference_words,ter,chrf")
    assert (counted["reference_words"], counted["wer"]) == (1, 3)
    missing = score(hypothesis, *references, metric="wer,reference_words,ter", empty_references="missing")
    assert (missing["reference_words"], missing["wer"]) == (5, 3 / 5)
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence has an empty reference beside others, the first is 1"):
        score(hypothesis, *references, metric="bleu")


@pytest.mark.parametrize(
    ("hypothesis", "first", "second", "rates"),
    [
        (["a", "b"], ["a (s1)", "(s2)"], ["a", "b x"], (1 / (1 + 1), 1 / (1 + 2))),
        (
            ["a (s1)", "b (s2)", "c (s3)"],
            ["(s2)", "a (s1)", "c (s3)"],
            ["(s3)", "a (s1)", "b x (s2)"],
            (1 / (1 + 1 + 1 / 2), 1 / (1 + 2 + 1)),
        ),
    ],
    ids=["by order", "by id"],
)
def test_empty_references_stand_beside_those_of_their_sentence(
    tmp_path: Path, hypothesis: list[str], first: list[str], second: list[str], rates: tuple[float, float]
) -> None:
    """Whether sentences correspond by order, as not all have ids, or by id. TER is edits, here one, by mean words."""
    paths = [
        written(tmp_path / f"{name}.{'trn' if '(' in lines[0] else 'txt'}", *lines)
        for name, lines in (("h", hypothesis), ("r", first), ("s", second))
    ]
    for empty, rate in zip(("count", "missing"), rates, strict=True):
        with heard() as told:
            assert score(*paths, metric="ter", empty_references=empty)["ter"] == rate
        assert ["the first is 2" in one for one in told] == [True] * (empty == "count")


def test_word_information_lost_where_a_side_is_empty(tmp_path: Path) -> None:
    files = {
        "systems": written(tmp_path / "h", "", "a", "", "a"),
        "reference": written(tmp_path / "r", "a", "", "", "a"),
    }
    rows = treesql.score("translation", **files, metric="wil", by="sentence").rows()
    assert [found["wil"] for found in rows] == [1, 1, None, 0]


def test_scores_by_speaker_and_recording() -> None:
    """Of ids of .trn, and of comments of .stm and .ctm."""
    hypothesis = b"the cat (ann-u1)\nit is (ben_u2)\nno (ann-u3)\n"
    reference = b"the dog (ann-u1)\nit is (ben_u2)\nyes (ann-u3)\n"
    of_ids = treesql.score(
        "translation", systems={"a": hypothesis}, reference=reference, format="trn", reference_format="trn",
        metric="wer", by="speaker",
    )  # fmt: skip
    assert {row["speaker"]: row["wer"] for row in of_ids.rows()} == {"ann": 2 / 3, "ben": 0}
    stm = b"radio 1 ann 0 1 <o> a b\nradio 1 ben 1 2 <o> c d e\nstreet 1 ann 0 1 <o> f\n"
    said = b"radio 1 ann 0 1 <o> a x\nradio 1 ben 1 2 <o> c d e\nstreet 1 ann 0 1 <o> g\n"
    for by, expected in (("speaker", {"ann": 2 / 3, "ben": 0}), ("recording", {"radio": 1 / 5, "street": 1})):
        rows = treesql.score(
            "translation", systems={"a": said}, reference=stm, format="stm", reference_format="stm", metric="wer",
            by=by,
        ).rows()  # fmt: skip
        assert {row[by]: row["wer"] for row in rows} == expected


def test_speakers_of_plain_texts_are_those_of_the_reference() -> None:
    """Sentences correspond by order, or by ids in any order; several references have the speakers of the first."""
    stm = b"radio 1 ann 0 1 <o> a b\nradio 1 ben 1 2 <o> c d e\nstreet 1 ann 0 1 <o> f\n"

    def by_speaker(hypothesis: bytes, reference: Any, **how: Any) -> dict[str | None, float]:
        rows = treesql.score(
            "translation", systems={"a": hypothesis}, reference=reference, metric="wer", by="speaker", **how
        ).rows()
        return {row["speaker"]: row["wer"] for row in rows}

    expected = {"ann": 2 / 3, "ben": 0.0}
    assert by_speaker(b"a x\nc d e\ng\n", stm, reference_format="stm") == expected
    assert by_speaker(b"a x\nc d e\ng\n", [stm, stm.replace(b"ann", b"zoe")], reference_format="stm") == expected
    trn = b"the dog (ann-u1)\nit is (ben_u2)\nyes (ann-u3)\n"
    hypothesis = b"ann-u3 no\nben_u2 it is\nann-u1 the cat\n"
    assert by_speaker(hypothesis, trn, reference_format="trn", ids="first") == expected
    assert by_speaker(b"a\n", b"a\n") == {None: 0.0}
    both = b"radio 1 eve 0 1 <o> a x\nradio 1 ben 1 2 <o> c d e\nstreet 1 ann 0 1 <o> g\n"
    own = by_speaker(both, stm, format="stm", reference_format="stm", ids="none")
    assert own == {"eve": 0.5, "ben": 0.0, "ann": 1.0}
