"""Items -> scores. The numbers of fixtures/ are counted by hand: 30 words, 5 of them punctuation.

parser-a: wrong heads mat 6, hearing 7, tea 4, 5, 6; wrong universal relations mat 6, know 2, hearing 7, tea 6, and full
relations hearing 2 as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import treesql
from tests.conftest import bare, conllu
from treesql import catalog
from treesql.catalog import resources
from treesql.errors import Incomparable, QueryError, UnknownName, UsageError
from treesql.scoring import scores
from treesql.scoring.sql import MetricPart, _sums_of_part

PAIR = {"gold_corpus": "gold", "system_corpus": "parser-a"}


def one(db: treesql.Database, *metrics: str, **options: object) -> dict[str, object]:
    [row] = db.score(*metrics, **{**PAIR, **options}).rows()  # type: ignore[arg-type]
    return row


@pytest.mark.parametrize(
    ("options", "words", "uas", "las", "la"),
    [
        ({}, 30, 25 / 30, 24 / 30, 26 / 30),
        ({"relations": "full"}, 30, 25 / 30, 23 / 30, 25 / 30),
        ({"punctuation": "form"}, 25, 20 / 25, 19 / 25, 21 / 25),
        ({"punctuation": "relation"}, 25, 20 / 25, 19 / 25, 21 / 25),
        ({"match": "sent_id"}, 30, 25 / 30, 24 / 30, 26 / 30),
        ({"where": "upos = 'NOUN'"}, 7, 4 / 7, 4 / 7, 4 / 7),
        ({"where": "words = 0"}, 0, None, None, None),
    ],
)
def test_attachment(
    examples: treesql.Database, options: dict[str, object], words: int, uas: float, las: float, la: float
) -> None:
    assert one(examples, "attachment", **options) == pytest.approx({"words": words, "uas": uas, "las": las, "la": la})


def test_exact_match(examples: treesql.Database) -> None:
    assert one(examples, "exact_match") == {"exact_match": 1 / 5, "exact_match_unlabelled": 2 / 5}
    # parser-b errs in mat, hearing and in the full stop of know, which does not count without punctuation
    assert one(examples, "exact_match", system_corpus="parser-b")["exact_match"] == 2 / 5
    assert one(examples, "exact_match", system_corpus="parser-b", punctuation="form")["exact_match"] == 3 / 5


def test_a_system_equals_itself(examples: treesql.Database) -> None:
    row = one(examples, "attachment", "exact_match", system_corpus="gold")
    assert row == {"words": 30, "uas": 1, "las": 1, "la": 1, "exact_match": 1, "exact_match_unlabelled": 1}


def test_by_sentence_every_sentence_has_a_row(examples: treesql.Database) -> None:
    rows = examples.score(
        "attachment", "exact_match", by="sentence", where="upos <> 'INTJ' AND form <> '!'", **PAIR
    ).rows()
    assert [row["sent_id"] for row in rows] == ["mat", "know", "hearing", "tea", "hello"]
    assert [row["uas"] for row in rows] == [6 / 7, 1, 8 / 9, 4 / 7, None]
    assert [row["words"] for row in rows] == [7, 5, 9, 7, 0]
    assert list(rows[0])[:3] == ["sentence", "sent_id", "words"]


@pytest.mark.parametrize(
    ("by", "group", "words", "uas", "exact_match"),
    [
        ("upos", "CCONJ", 1, 0.0, None),  # a column of the items: exact match has no word
        ("system_deprel", "cc", 1, 0.0, None),
        ("deprel", "nsubj:pass", 1, 1.0, None),  # of the gold word
        ("depth", 1, 5, 1.0, None),
        ("n_words", 9, 9, 8 / 9, 0.0),  # of the gold sentence: exact match has it too
        ("sent_id", "hello", 2, 1.0, 1.0),
        ("treebank", None, 30, 25 / 30, 1 / 5),  # of the corpus
    ],
)
def test_by_any_column(
    examples: treesql.Database, by: str, group: object, words: int, uas: float, exact_match: float | None
) -> None:
    rows = examples.score("attachment", "exact_match", by=by, **PAIR).rows()
    assert list(rows[0])[:2] == [by, "words"]
    assert sum(row["words"] for row in rows) == 30
    [row] = [row for row in rows if row[by] == group]
    assert (row["words"], row["uas"], row.get("exact_match")) == (words, pytest.approx(uas), exact_match)


def test_a_condition_on_a_column_of_words_leaves_exact_match_out(examples: treesql.Database) -> None:
    row = one(examples, "attachment", "exact_match", where="UPOS = 'NOUN'")
    assert row["exact_match"] is None
    assert one(examples, "attachment", "exact_match", where="\"upos\" = 'NOUN'") == row
    assert one(examples, "attachment", "exact_match", where="sentence = 4")["exact_match"] == 1


def test_relations_left_open_on_both_sides_are_the_same(db: treesql.Database, tmp_path: Path) -> None:
    """As the CoNLL scripts have it, for which `_` is a relation like any other."""
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:_ b:1:_"))
    db.load(tmp_path / "a.conllu", corpus="gold")
    assert one(db, "attachment", system_corpus="gold") == {"words": 2, "uas": 1, "las": 1, "la": 1}


def test_what_is_summed_is_no_group(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match="words is what is summed"):
        examples.score("attachment", by="words", **PAIR)
    with pytest.raises(UsageError, match="at least one metric"):
        examples.score(**PAIR)


def test_unknown_names_and_broken_conditions(examples: treesql.Database) -> None:
    with pytest.raises(UnknownName, match="did you mean"):
        examples.score("attachment", by="sentnce", **PAIR)
    with pytest.raises(UnknownName, match="unknown corpus 'parser-c'; did you mean parser-"):
        examples.score("attachment", gold_corpus="gold", system_corpus="parser-c")
    with pytest.raises(UnknownName, match="unknown corpus 'parser-c'"):
        examples.query("word_pairs", gold_corpus="gold", system_corpus="parser-c")
    with pytest.raises(QueryError, match="there is no corpus parser-c"):
        examples.sql("FROM attachment('gold', 'parser-c')")
    with pytest.raises(UsageError, match="word_pairs is a relation and has no scores"):
        examples.score("word_pairs", **PAIR)
    with pytest.raises(UnknownName, match="column of the items of attachment 'n_words'; did you mean words"):
        examples.score("attachment", where="n_words > 5", **PAIR)
    with pytest.raises(QueryError, match=r"query attachment with .*nonsense") as caught:
        examples.score("attachment", where="nonsense(head) = 1", **PAIR)
    assert "WITH sentence_pairs AS" in str(caught.value), "the error carries the SQL"


@pytest.mark.parametrize(
    ("gold", "system", "match", "messages"),
    [
        (
            "a:0:root",
            "a:0:root|b:0:root",
            "order",
            ["sentence 2 of system has no counterpart among the gold sentences"],
        ),
        ("a:0:root|b:0:root", "a:0:root", "order", ["gold sentence 2 has no counterpart in system"]),
        (
            "a:0:root b:1:x",
            "a:0:root",
            "order",
            ["this sentence has 1 words, the gold sentence at .*gold.conllu:1 has 2"],
        ),
        ("a:0:root b:1:x", "a:0:root c:1:x", "order", ["word 2 is `c`, in the gold sentence `b`"]),
        ("a:_:_", "a:0:root", "order", ["this gold sentence is not parsed"]),
        (
            "a:0:root",
            "a:0:root",
            "sent_id",
            ["gold sentence 1 has no counterpart", "sentence 1 of system has no counterpart"],
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    db: treesql.Database, tmp_path: Path, gold: str, system: str, match: str, messages: list[str]
) -> None:
    for name, sentences in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.conllu").write_bytes(conllu(*sentences.split("|")))
        db.load(tmp_path / f"{name}.conllu", corpus=name)
    with pytest.raises(Incomparable, match=messages[0]):
        db.query("attachment", gold_corpus="gold", system_corpus="system", match=match)
    with pytest.raises(Incomparable, match=messages[0]) as caught:
        db.score("attachment", gold_corpus="gold", system_corpus="system", match=match)
    assert len(caught.value.faults) == len(messages)
    assert all(fault.line >= 1 and fault.path.startswith(str(tmp_path)) for fault in caught.value.faults)


def test_repeated_sent_ids_cannot_be_matched(db: treesql.Database, tmp_path: Path) -> None:
    sentence = b"# sent_id = x\n" + conllu("a:0:root")
    (tmp_path / "twice.conllu").write_bytes(sentence * 2)
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence with a repeated sent_id: x"):
        db.load(tmp_path / "twice.conllu", corpus="gold")
    with pytest.raises(Incomparable, match="2 sentences have the sent_id x"):
        db.score("attachment", gold_corpus="gold", system_corpus="gold", match="sent_id")
    assert one(db, "attachment", system_corpus="gold")["uas"] == 1


def test_sentences_correspond_by_sent_id(db: treesql.Database, tmp_path: Path, examples: treesql.Database) -> None:
    """A system's file in another order scores the same by sent_id."""
    text = (Path(__file__).parent.parent / "fixtures" / "parser-a.conllu").read_text()
    sentences = text.removesuffix("\n\n").split("\n\n")
    (tmp_path / "shuffled.conllu").write_text("\n\n".join(sentences[::-1]) + "\n\n")
    db.load(tmp_path / "shuffled.conllu", corpus="parser-a")
    db.load(Path(__file__).parent.parent / "fixtures" / "gold.conllu", corpus="gold")
    assert one(db, "attachment", match="sent_id") == one(examples, "attachment")


def test_an_unparsed_system_scores_zero(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_bytes(conllu("a:0:root b:1:x"))
    (tmp_path / "system.conllu").write_bytes(conllu("a:_:_ b:_:_"))
    for name in ("gold", "system"):
        db.load(tmp_path / f"{name}.conllu", corpus=name)
    assert one(db, "attachment", system_corpus="system") == {"words": 2, "uas": 0, "las": 0, "la": 0}


def test_classes_are_part_of_what_is_signed(db: treesql.Database) -> None:
    fixtures = Path(__file__).parent.parent / "fixtures"
    for name in ("gold", "parser-a"):
        db.load(fixtures / f"{name}.conllu", corpus=name)
    before = db.score("relation_class_scores", **PAIR)
    db.connection.execute("UPDATE relation_classes SET class = 'other' WHERE relation = 'nsubj'")
    after = db.score("relation_class_scores", **PAIR)
    assert before.rows() != after.rows()
    assert before.signature != after.signature
    assert "classes:" not in db.score("attachment", **PAIR).signature


@pytest.mark.filterwarnings("ignore:.*repeated feature:treesql.TreesqlWarning")
def test_a_word_with_a_feature_twice_counts_once(db: treesql.Database, tmp_path: Path) -> None:
    line = "1\ta\t_\t_\t_\tNumber=Plur|Number=Sing\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(line)
    db.load(tmp_path / "a.conllu", corpus="gold")
    [row] = db.score("attachment", gold_corpus="gold", system_corpus="gold", by="Number").rows()
    assert (row["Number"], row["words"]) == ("Plur", 1)


def test_a_score_is_no_metric(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match=r"las is a score; name its metric, .*attachment"):
        examples.score("las", **PAIR)


def test_a_condition_may_name_columns_in_strings(examples: treesql.Database) -> None:
    row = one(examples, "attachment", "exact_match", where="sentence >= 0 AND 'upos' <> ''")
    assert row["exact_match"] is not None


def test_signature(examples: treesql.Database) -> None:
    result = examples.score("attachment", where="word > 1", punctuation="form", **PAIR)
    parts = result.signatures["las"].split("|")
    assert parts[:5] == ["las", "match:order", "punctuation:form", "relations:universal", "where:word > 1"]
    assert [part.split("@")[0] for part in parts[5:7]] == ["gold:gold.conllu", "system:parser-a.conllu"]
    assert parts[7] == f"q:{catalog.query('attachment').sha256[:8]}"
    assert parts[8] == f"v:{treesql.__version__}"
    assert result.signature == result.signatures["las"].replace("las|", "words,uas,las,la|", 1)


@pytest.fixture
def toy_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file more in queries/: the mean length of words in capitals and others."""
    for family in resources.folder("queries").iterdir():
        (tmp_path / family.name).symlink_to(family)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "form_length.sql").write_text(
        dedent("""\
        -- form_length: how long words are; one row per word.
        -- kind: metric
        -- parameter text_corpus TEXT: the corpus
        -- column sentence INTEGER: its sentence
        -- column word INTEGER: its position
        -- count words BIGINT: 1 for every word
        -- column characters DOUBLE: its length
        -- score mean_length number neither = sum(characters) / nullif(sum(words), 0): mean length of a word
        -- source: none
        SELECT w.sentence, w.word, 1 AS words, CAST(length(w.form) AS DOUBLE) AS characters
        FROM words AS w
        WHERE w.corpus = $text_corpus
        """)
    )
    (tmp_path / "toy" / "long_forms.sql").write_text(
        dedent("""\
        -- long_forms: words that are longer than they may be; one row per word.
        -- kind: audit
        -- parameter text_corpus TEXT: the corpus
        -- parameter longest INTEGER = 6: so many characters are allowed
        -- column file VARCHAR: where it is
        -- column line BIGINT: its line
        -- column problem VARCHAR: what is wrong
        -- column hint VARCHAR: what to do
        -- source: none
        SELECT 'f' AS file, CAST(w.word AS BIGINT) AS line, w.form || ' is long' AS problem, 'shorten it' AS hint
        FROM words AS w
        WHERE w.corpus = $text_corpus AND length(w.form) > $longest
        """)
    )
    for name, parameter in (
        ("audited", ""),
        ("audited_as_given", "-- parameter longest INTEGER = 6: as in the audit\n"),
    ):
        (tmp_path / "toy" / f"{name}.sql").write_text(
            f"-- {name}: how many words there are; one row per word.\n-- kind: metric\n"
            f"-- parameter text_corpus TEXT: the corpus\n{parameter}-- audit long_forms\n"
            "-- column sentence INTEGER: its sentence\n-- column {name}_words BIGINT: 1 for every word\n"
            "-- score {name}_length number neither = sum({name}_words): words\n-- source: none\n"
            "SELECT w.sentence, 1 AS {name}_words\nFROM words AS w\nWHERE w.corpus = $text_corpus\n".replace(
                "{name}", name
            )
        )
    real = resources.folder
    monkeypatch.setattr(resources, "folder", lambda name: tmp_path if name == "queries" else real(name))
    catalog.clear_cache()
    yield
    catalog.clear_cache()


@pytest.mark.usefixtures("toy_metric")
def test_a_metric_is_one_file(examples: treesql.Database) -> None:
    """Corpus, group and sentence scores, conditions and a signature, with nothing but the file."""
    assert examples.score("form_length", text_corpus="gold", where="sentence = 4").rows() == [
        {"words": 2, "mean_length": 3.0}
    ]
    by_upos = {
        row["upos"]: row["mean_length"] for row in examples.score("form_length", text_corpus="gold", by="upos").rows()
    }
    assert by_upos["PUNCT"] == 1
    assert by_upos["INTJ"] == 5
    by_sentence = examples.score("form_length", text_corpus="gold", by="sentence").rows()
    assert by_sentence[4] == {"sentence": 4, "sent_id": "hello", "words": 2, "mean_length": 3.0}
    assert scores.metric("form_length").reference_corpus == "text_corpus"
    assert examples.score("form_length", text_corpus="gold").signature.startswith("words,mean_length|text:gold.conllu@")


@pytest.mark.usefixtures("toy_metric")
def test_an_audit_has_its_own_default_where_the_metric_does_not_declare_a_parameter(examples: treesql.Database) -> None:
    """The longest forms of gold have 7 and 9 characters, `hearing` and `scheduled`; the audit allows 6."""
    for ask in (
        lambda name, **given: examples.score(name, text_corpus="gold", **given),
        lambda name, **given: scores.sentence_sums(bare(examples), [name], {"text_corpus": "gold", **given}),
        lambda name, **given: scores.items(bare(examples), name, {"text_corpus": "gold", **given}, ["sentence"]),
        lambda name, **given: examples.query(name, text_corpus="gold", **given),
    ):
        with pytest.raises(Incomparable, match="hearing is long"):
            ask("audited")
        with pytest.raises(Incomparable, match="hearing is long"):
            ask("audited_as_given")
        ask("audited_as_given", longest=9)
    assert examples.score("audited", text_corpus="hypotheses").rows() == [{"audited_length": 12}]
    [counted] = scores.sentence_sums(bare(examples), ["audited"], {"text_corpus": "hypotheses"})
    assert counted.values[:, 0, 0].tolist() == [3, 6, 3]
    [row] = examples.score("audited_as_given", "audited", text_corpus="gold", longest=9).rows()
    assert row == {"audited_as_given_length": 30, "audited_length": 30}


def test_scores_of_one_name_are_not_asked_for_at_once(examples: treesql.Database) -> None:
    with pytest.raises(
        UsageError, match="attachment and aligned_attachment both have a score uas; ask for one at a time"
    ):
        examples.score("attachment", "aligned_attachment", gold_corpus="gold", system_corpus="parser-a")


WEIGHTED = [f"{form}:0:{relation}" for form, relation in zip("abc", ("root", "det", "case"), strict=True)]


@pytest.mark.parametrize("order", ["form", "form DESC"])
def test_counts_that_are_no_whole_numbers_are_summed_alike_in_any_order(
    db: treesql.Database, tmp_path: Path, order: str
) -> None:
    """As doubles 0.1 + 0.2 + 0.3 is 0.6000000000000001, and 0.3 + 0.2 + 0.1 is 0.6."""
    (tmp_path / "t.conllu").write_bytes(conllu(" ".join(WEIGHTED).replace("b:0", "b:1").replace("c:0", "c:1")))
    db.load(tmp_path / "t.conllu", corpus="t")
    connection = bare(db)
    connection.execute("INSERT INTO relation_weights VALUES ('w', 'root', 0.1), ('w', 'det', 0.2), ('w', 'case', 0.3)")
    connection.execute(f"CREATE TEMP TABLE ordered AS SELECT * FROM words ORDER BY {order}")
    connection.execute("DELETE FROM words; INSERT INTO words SELECT * FROM ordered")
    given = {"gold_corpus": "t", "system_corpus": "t", "weights": "w"}
    [summed] = scores.sentence_sums(connection, ["weighted_attachment"], given)
    expected = sum(round(weight * 2**40) for weight in (0.1, 0.2, 0.3)) / 2**40
    assert summed.values.tolist() == [[[expected] * 3]]
    sql = _sums_of_part(MetricPart(catalog.query("weighted_attachment"), "items", None, None))
    connection.execute(
        f"CREATE TEMP TABLE items AS SELECT weight AS gold_weight, weight AS system_weight, "
        f"weight AS correct_weight FROM relation_weights ORDER BY relation{order[4:]}"
    )
    assert connection.execute(sql).fetchall() == [(expected,) * 3]


@pytest.mark.parametrize("weight", ["1e30", "'inf'", "'nan'"])
def test_a_count_that_cannot_be_summed_is_named(db: treesql.Database, tmp_path: Path, weight: str) -> None:
    (tmp_path / "t.conllu").write_bytes(conllu("a:2:nsubj b:0:root", "a:2:det b:0:root"))
    db.load(tmp_path / "t.conllu", corpus="t")
    db.sql(f"INSERT INTO relation_weights VALUES ('w', 'det', {weight}), ('w', 'nsubj', 1), ('w', 'root', 1)")
    with pytest.raises(UsageError) as error:
        db.score("weighted_attachment", gold_corpus="t", system_corpus="t", weights="w")
    assert str(error.value) == (
        f"weighted_attachment: gold_weight of sentence 1 is {float(weight.strip(chr(39))):g}, "
        "and only numbers below 1e+25 are summed"
    )
