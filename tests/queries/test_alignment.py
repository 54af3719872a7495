"""Words of the same text cut in two ways: which correspond, and what is right about them.

The cases by hand are those of the unit tests of conll18_ud_eval.py (Zeman et al. 2018); all else is compared with an
evaluator in plain Python that follows the definitions of the shared tasks of 2018 and of IWPT 2020.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treesql
from tests.house.rules import in_turn
from tests.queries.conll18_evaluator import Side, correspondences, evaluated, expected_rows, expected_scores
from tests.queries.tokens import Sentence, Token, Word, file_of
from treesql import catalog
from treesql.engines import Engine
from treesql.errors import Incomparable
from treesql.readers import Options
from treesql.scoring import scores as scoring_scores
from treesql.storage import corpus_plans, loading

PAIR = {"gold_corpus": "gold", "system_corpus": "system"}
METRICS = ("attachment", "tagging", "content_attachment", "segmentation", "enhanced_attachment")
SPACES = " \u00a0\u2003"


def tokens(*entries: str) -> Sentence:
    """A sentence from entries such as `a` and, with the words of a multiword token behind it, `abc a b c`."""
    made = []
    for entry in entries:
        form, *parts = entry.split(" ")
        words = [Word(part, 1, "dep") for part in parts or [form]]
        made.append(Token(form, words, bool(parts)))
    made[0].words[0].head = 0
    return made


@contextmanager
def opened(folder: Path, **texts: Sequence[str]) -> Iterator[Engine]:
    """An engine with corpora of one or several files."""
    wanted = []
    for corpus, files in texts.items():
        paths = []
        for number, text in enumerate(files):
            path = folder / f"{corpus}{number or ''}.conllu"
            path.write_text(text, "utf-8")
            paths.append(str(path))
        wanted += corpus_plans.plan_loads(paths, corpus, None)
    engine, _ = loading.load_into_memory(wanted, Options())
    with engine:
        yield engine


def run(engine: Engine, name: str, **given: object) -> list[dict[str, Any]]:
    return scoring_scores.run_query(engine, catalog.query(name), {**PAIR, **given}).to_pylist()  # type: ignore[no-any-return]


def scores(engine: Engine, *metrics: str, **given: object) -> dict[str, Any]:
    [row] = scoring_scores.score(engine, metrics, {**PAIR, **given}).rows()
    return {name: value for name, value in row.items() if name != "by_characters"}


def aligned(engine: Engine) -> set[tuple[int, int, int, int]]:
    """The pairs of words: sentence and position of either side."""
    rows = [tuple(row.values()) for row in run(engine, "aligned_words")]
    assert len(set(rows)) == len(rows)
    return {row for row in rows if None not in row}  # type: ignore[misc]


CASES = [
    (["abc a b c"], ["abc a b c"], 3),
    (["a", "b", "c"], ["a", "b", "c"], 3),
    (["a"], ["a"], 1),
    (["abc a b c"], ["a", "b", "c"], 3),
    (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
    (["abcd a b c d"], ["ab a b", "cd c d"], 4),
    (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
    (["abcd"], ["a", "b", "c", "d"], 0),
    (["abc", "d"], ["a", "b", "c", "d"], 1),
    (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
    (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
    (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
    (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
    (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
    (["ab x bcd", "cd"], ["a", "bcd"], 0),  # not theirs: a word that ends beyond the span is not inside
    (
        ["abcdef a b c d e f"],
        ["ab x e", "cd c d", "ef e y"],
        3,
    ),  # nor these: spans within one are one, neighbours are not
    (["ab a b", "cd c d"], ["ab x c", "cd y d"], 1),
]


@pytest.fixture(scope="module")
def pairs_of_cases(tmp_path_factory: pytest.TempPathFactory) -> list[list[dict[str, Any]]]:
    """The pairs of words of every case, then of every case with its sides exchanged: each is a sentence."""
    sides = [[*(case[side] for case in CASES), *(case[1 - side] for case in CASES)] for side in range(2)]
    gold, system = (file_of(*(tokens(*sentence) for sentence in side)) for side in sides)
    found: list[list[dict[str, Any]]] = [[] for _ in sides[0]]
    with opened(tmp_path_factory.mktemp("cases"), gold=[gold], system=[system]) as engine:
        for row in run(engine, "word_pairs"):
            found[row["sentence"]].append(row)
    return found


@in_turn("turned", [False, True])
@in_turn("at", range(len(CASES)))
def test_the_cases_of_the_scorer(pairs_of_cases: list[list[dict[str, Any]]], at: int, turned: bool) -> None:
    """All of them hold with the sides exchanged."""
    gold, system, expected = CASES[at]
    if turned:
        gold, system = system, gold
    pairs = pairs_of_cases[at + turned * len(CASES)]
    n_gold, n_system = (sum(len(token.words) for token in tokens(*side)) for side in (gold, system))
    counts = [sum(row[count] for row in pairs) for count in ("gold_words", "system_words", "aligned_pairs")]
    assert counts == [n_gold, n_system, expected]
    assert len(pairs) == n_gold + n_system - expected


def test_forms_are_compared_in_lower_case_inside_multiword_tokens_alone(tmp_path: Path) -> None:
    gold, system = tokens("AB a B", "ÉÑ É Ñ", "c"), tokens("A", "B", "ÉÑ é ñ", "c")
    with opened(tmp_path, gold=[file_of(gold)], system=[file_of(system)]) as engine:
        assert len(aligned(engine)) == 5


def test_final_sigmas_and_dotted_capitals_are_lowered_as_python_does(tmp_path: Path) -> None:
    """A sigma that ends a word is another, and the dot of a Turkish capital stays."""
    gold, system = tokens("ΣΕΤΟΣ ΣΕ ΤΟΣ", "İYİ İ Yİ"), tokens("ΣΕΤΟΣ σε τος", "İYİ i yi")
    assert "ΤΟΣ".lower() == "τος"
    assert "İ".lower() != "i"
    with opened(tmp_path, gold=[file_of(gold)], system=[file_of(system)]) as engine:
        assert aligned(engine) == {(0, 1, 0, 1), (0, 2, 0, 2)}


def test_ties_are_the_scorers(tmp_path: Path) -> None:
    """Of two longest common subsequences that which a walk from the front finds, the gold word stepping first."""
    gold, system = tokens("xyz a b c"), tokens("xyz b a c")
    with opened(tmp_path, gold=[file_of(gold)], system=[file_of(system)]) as engine:
        assert {(g, s) for _, g, _, s in aligned(engine)} == {(2, 1), (3, 3)}
    with opened(tmp_path, gold=[file_of(system)], system=[file_of(gold)]) as engine:
        assert {(g, s) for _, g, _, s in aligned(engine)} == {(2, 1), (3, 3)}


def test_sentences_may_end_elsewhere(tmp_path: Path) -> None:
    """Words correspond and are scored across sentence ends; a head in another sentence is wrong."""
    gold = file_of(tokens("a", "b"), tokens("c", "de d e"), tokens("f"))
    system = file_of(tokens("a", "b", "c"), tokens("d", "e", "f"))
    with opened(tmp_path, gold=[gold], system=[system]) as engine:
        assert aligned(engine) == {
            (0, 1, 0, 1), (0, 2, 0, 2), (1, 1, 0, 3), (1, 2, 1, 1), (1, 3, 1, 2), (2, 1, 1, 3),
        }  # fmt: skip
        row = scores(engine, "attachment", "segmentation")
        assert row["uas"] == 2 / 6  # a and b; the heads of c and of d are roots on one side, that of e is c or d
        assert (row["sentences_f1"], row["tokens_f1"]) == (0, 2 * 4 / (5 + 6))


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize("relations", [("punct", "dep"), ("dep", "punct")])
@pytest.mark.parametrize("tags", [("PUNCT", "X"), ("X", "PUNCT")])
def test_punctuation_of_one_side_alone_is_known_by_its_own_tree(
    tmp_path: Path, relations: tuple[str, str], tags: tuple[str, str]
) -> None:
    """Of the system's b and c, which the gold words lack, b has the relation and c the part of speech."""
    gold, system = tokens("a", "bc"), tokens("a", "b", "c")
    system[1].words[0].deprel, system[2].words[0].deprel = relations
    system[1].words[0].upos, system[2].words[0].upos = tags
    punctuation = {at for at, pair in enumerate(zip(relations, tags, strict=True)) if {"punct", "PUNCT"} & {*pair}}
    with opened(tmp_path, gold=[file_of(gold)], system=[file_of(system)]) as engine:
        [row] = scoring_scores.score(engine, ["attachment"], PAIR | {"punctuation": "relation"}).rows()
        assert (row["gold_words"], row["system_words"]) == (2, 3 - len(punctuation))


def test_the_same_word_at_a_sentence_end_belongs_to_the_sentence_in_which_it_begins(tmp_path: Path) -> None:
    """Words that only the system has are counted in the gold sentence of their first character."""
    gold, system = file_of(tokens("a", "bc"), tokens("d", "ef")), file_of(tokens("a", "b", "cd", "e", "f"))
    with opened(tmp_path, gold=[gold], system=[system]) as engine:
        rows = [row for row in run(engine, "word_pairs") if not row["gold_words"]]
        found = sorted((row["sentence"], row["system_word"], row["system_form"]) for row in rows)
        assert found == [(0, 2, "b"), (0, 3, "cd"), (1, 4, "e"), (1, 5, "f")]
        by = scoring_scores.score(engine, ["attachment"], PAIR, by=["sentence"]).rows()
        assert [(row["sentence"], row["uas_precision"], row["uas_recall"]) for row in by] == [
            (0, 1 / 3, 1 / 2),
            (1, 0, 0),
        ]


# ---------------------------------------------------------------- texts that differ


@pytest.mark.spread(8)
@pytest.mark.parametrize(
    ("gold", "system", "line", "message"),
    [
        (["ab", "c"], ["ab"], 2, "the system's text has ended where the gold text has `c` ("),
        (["ab"], ["ab", "c"], 2, "`c` where the gold text has ended"),
        (["abc"], ["ab"], 1, "`ab` where the gold text has `abc` ("),
        (["ab"], ["abc"], 1, "`abc` where the gold text has `ab` ("),
        (["ab", "c", "d"], ["ab", "x", "d"], 2, "`x` where the gold text has `c` ("),
        (["a", "b", "|", "c", "d"], ["ab", "|", "cx", "d"], 1, "`abcxd` where the gold text has `abcd` ("),
        (["a", "b", "|", "c", "d"], ["ab", "|", "c", "x"], 4, "`x` where the gold text has `d` ("),
        (["ab a b", "|", "cd c d"], ["a", "b", "|", "cx c d"], 1, "`abcx` where the gold text has `abcd` ("),
        (["ab a b", "|", "e", "cd c d"], ["a", "b", "|", "e", "cx c d"], 5, "`cx` where the gold text has `cd` ("),
        (["ab", "|", "c"], ["ab"], 3, "the system's text has ended where the gold text has `c` ("),
        (["ab"], ["ab", "|", "c"], 3, "`c` where the gold text has ended"),
        (["ab"], ["aB"], 1, "`aB` where the gold text has `ab` ("),
        (["é"], ["e"], 1, "`e` where the gold text has `é` ("),
    ],
)
def test_differing_texts_are_refused_with_one_place(
    tmp_path: Path, gold: list[str], system: list[str], line: int, message: str
) -> None:
    texts = {}
    for name, entries in (("gold", gold), ("system", system)):
        sentences = " ~ ".join(entries).split(" ~ | ~ ")
        texts[name] = [file_of(*(tokens(*sentence.split(" ~ ")) for sentence in sentences))]
    with opened(tmp_path, **texts) as engine:
        [fault] = run(engine, "text_correspondence")
        assert message in fault["problem"]
        path = tmp_path / ("gold.conllu" if "system's text has ended" in message else "system.conllu")
        assert (fault["file"], fault["line"]) == (str(path), line)


@pytest.fixture(scope="module")
def differing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("differing")
    with opened(folder, gold=[file_of(tokens("a", "b"))], system=[file_of(tokens("a", "c"))]) as engine:
        yield engine


@in_turn("name", [*METRICS, "relation_class_scores", "weighted_attachment", "conll18", "iwpt20"])
def test_all_that_align_refuse_differing_texts(differing: Engine, name: str) -> None:
    with pytest.raises(Incomparable, match=r"system.conllu:2: the texts part here: `c` where") as caught:
        scoring_scores.run_query(differing, catalog.query(name), PAIR)
    assert (len(caught.value.faults), caught.value.more) == (1, 0)


def test_the_place_is_found_in_corpora_of_several_files(tmp_path: Path) -> None:
    gold = [file_of(tokens("a", "b")), file_of(tokens("c"), tokens("de d e")), file_of(tokens("f", "g"))]
    system = [file_of(tokens("ab", "c")), file_of(tokens("d", "e"), tokens("f", "x"))]
    with opened(tmp_path, gold=gold, system=system) as engine:
        [fault] = run(engine, "text_correspondence")
        assert (fault["file"], fault["line"]) == (str(tmp_path / "system1.conllu"), 5)
        assert f"`x` where the gold text has `g` ({tmp_path / 'gold2.conllu'}:2)" in fault["problem"]
    system[1] = file_of(tokens("d", "e"), tokens("f", "g"))
    with opened(tmp_path, gold=gold, system=system) as engine:
        assert run(engine, "text_correspondence") == []
        assert len(aligned(engine)) == 5  # all but a, b and the system's ab


def test_white_space_inside_forms_counts_for_nothing(tmp_path: Path) -> None:
    gold = file_of(tokens("10", "000", "€")).replace("€", "€\u00a0x")
    system = file_of(tokens("10000", "€x")).replace("10000", "10 000")
    with opened(tmp_path, gold=[gold], system=[system]) as engine:
        assert run(engine, "text_correspondence") == []
        assert {(g, s) for _, g, _, s in aligned(engine)} == {(3, 2)}
        assert scores(engine, "segmentation")["tokens_f1"] == 2 * 1 / (3 + 2)


def test_white_space_in_a_multiword_token_and_beside_one(tmp_path: Path) -> None:
    """A token's form loses it before it is compared with a word of a multiword token, whose own forms keep theirs."""
    gold = file_of(tokens("ab~c ab c")).replace("ab~c", "ab c")
    system = file_of(tokens("a~b", "c")).replace("a~b", "a\u00a0b")
    with opened(tmp_path, gold=[gold], system=[system]) as engine:
        assert run(engine, "text_correspondence") == []
        assert {(g, s) for _, g, _, s in aligned(engine)} == {(1, 1), (2, 2)}
    gold = file_of(tokens("abc a~b c")).replace("a~b", "a b")
    with opened(tmp_path, gold=[gold], system=[system]) as engine:
        assert {(g, s) for _, g, _, s in aligned(engine)} == {(2, 2)}


def test_an_unparsed_gold_corpus_is_refused(tmp_path: Path) -> None:
    unparsed = file_of(tokens("a"), tokens("b", "c")).replace("\t0\tdep", "\t_\t_").replace("\t1\tdep", "\t_\t_")
    parsed = file_of(tokens("a"), tokens("bc b c"))
    with opened(tmp_path, gold=[unparsed], system=[parsed]) as engine:
        for name in ("attachment", "tagging", "content_attachment"):
            with pytest.raises(Incomparable, match=r"gold.conllu:1: this gold sentence is not parsed"):
                scores(engine, name)
        with pytest.raises(Incomparable, match="is not parsed"):
            scoring_scores.run_statistic(engine, "conll18", PAIR)
    with opened(tmp_path, gold=[parsed], system=[unparsed]) as engine:  # such a system has no head right
        assert scores(engine, "attachment")["uas"] == 0


RELATIONS = ("nsubj", "nsubj:pass", "det", "det:poss", "case", "punct", "root", "obj", "dep", "mwe")
PATHS = ("nsubj", "nsubj:pass", "conj:and>nsubj", "conj:or>nsubj:pass", "conj>nsubj", "obj>conj:or")
FEATS = ("_", "Number=Sing", "Number=Plur", "Foo=Bar|Number=Sing", "Foo=Baz", "Number=Plur|Typo=Yes", "Gender=Fem")


@st.composite
def cut_twice(draw: st.DrawFn) -> tuple[list[Sentence], list[Sentence]]:
    """Gold and system sentences over one text, whose cuts, forms and trees are often the same."""
    chance = draw(st.randoms(use_true_random=False))
    text = draw(st.text("aAbBé", min_size=1, max_size=40))
    ends = {at: chance.choice(["token", "token", "sentence", ""]) for at in range(1, len(text))}
    split = {at: chance.random() < 0.4 for at in range(len(text))}
    return one_side(chance, text, ends, split), one_side(chance, text, ends, split)


def one_side(chance: random.Random, text: str, ends: Mapping[int, str], split: Mapping[int, bool]) -> list[Sentence]:
    sentences: list[list[Token]] = [[]]
    begin = 0
    for end in range(1, len(text) + 1):
        kind = ends.get(end, "token")
        if chance.random() < 0.2:
            kind = chance.choice(["token", "sentence", ""])
        if not kind and end < len(text):
            continue
        sentences[-1].append(one_token(chance, text[begin:end], split[begin] != (chance.random() < 0.2)))
        begin = end
        if kind == "sentence" and end < len(text):
            sentences.append([])
    for sentence in sentences:
        attach(chance, [word for token in sentence for word in token.words])
    return sentences  # type: ignore[return-value]


def one_token(chance: random.Random, text: str, multiword: bool) -> Token:
    forms = [text]
    if multiword:
        forms = list(text) if chance.random() < 0.6 else [chance.choice("abBx") for _ in range(chance.randint(2, 4))]
    if len(text) > 1 and chance.random() < 0.2:
        text = text[0] + chance.choice(SPACES) + text[1:]
    if multiword and len(forms) > 1:
        return Token(text, [described(chance, form) for form in forms], True)
    return Token(text, [described(chance, text)])


def described(chance: random.Random, form: str) -> Word:
    def often_first(*values: str) -> str:
        return values[0] if chance.random() < 0.6 else chance.choice(values)

    return Word(
        form, 0, often_first(*RELATIONS), often_first("l", "m", "_"), often_first("X", "NOUN", "_"),
        often_first("x", "y", "_"), often_first(*FEATS),
    )  # fmt: skip


def attach(chance: random.Random, words: Sequence[Word]) -> None:
    """A tree or several, and edges, one of them often that of the tree."""
    order = list(range(len(words)))
    if chance.random() < 0.3:
        chance.shuffle(order)
    for rank, at in enumerate(order):
        if rank and chance.random() < 0.9:
            words[at].head = order[0 if chance.random() < 0.6 else chance.randrange(rank)] + 1
        heads = {chance.choice(["0", "1", "1", "1.1", str(words[at].head)]) for _ in range(chance.randint(0, 2))}
        edges = {(head, chance.choice(PATHS)) for head in heads for _ in range(2) if head != str(at + 1)}
        words[at].edges = sorted(edges, key=lambda edge: (float(edge[0]), edge[1]))


@pytest.mark.slow
@given(cut_twice())
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_against_an_evaluator_in_plain_python(
    tmp_path_factory: pytest.TempPathFactory, sides: tuple[list[Sentence], list[Sentence]]
) -> None:
    gold, system = map(Side, sides)
    pairs = {(g.sentence, g.position, s.sentence, s.position) for g, s in correspondences(gold, system)}
    found = evaluated(gold, system)
    texts = {"gold": [file_of(*gold.sentences)], "system": [file_of(*system.sentences)]}
    with opened(tmp_path_factory.getbasetemp(), **texts) as engine:
        assert aligned(engine) == pairs
        row = scores(engine, *METRICS)
        assert {name: row[name] for name in row if name in expected_scores(found)} == expected_scores(found)
        tables = [*run(engine, "conll18"), *run(engine, "iwpt20")]
    rows = {row.pop("metric"): tuple(row.values()) for row in tables}
    assert rows == expected_rows(found, *rows)
    assert len(rows) == 15


@pytest.mark.parametrize("relations", [("nsubj", "det"), ("det", "nsubj")], ids=["system", "gold"])
def test_function_words_that_one_side_alone_has_spoil_mlas(tmp_path: Path, relations: tuple[str, str]) -> None:
    """That of their own head: 3 of 4 and of 3 content words are right, of which the first has another function word."""
    sides = []
    for relation in relations:
        first, second = tokens("a", "b"), tokens("c", "d")
        first[1].words[0].deprel = relation
        sides.append([file_of(first, second)])
    with opened(tmp_path, gold=sides[0], system=sides[1]) as engine:
        assert scores(engine, "content_attachment") == {"clas": 2 * 3 / 7, "mlas": 2 * 2 / 7, "blex": 2 * 3 / 7}


def test_all_tags_are_right_where_each_of_the_three_is(tmp_path: Path) -> None:
    """Of four words each tag is wrong in another one, and the lemma in the last."""
    gold, system = ([Token(form, [Word(form, 0, "root", "l", "X", "x", "Case=Nom")]) for form in "abcd"] for _ in "gs")
    wrong = {"upos": "Y", "xpos": "y", "feats": "Case=Acc", "lemma": "m"}
    for token, (column, value) in zip(system, wrong.items(), strict=True):
        setattr(token.words[0], column, value)
    with opened(tmp_path, gold=[file_of(gold)], system=[file_of(system)]) as engine:
        found = scores(engine, "tagging")
    single = dict.fromkeys(("upos_f1", "xpos_f1", "features_f1", "lemmas_f1"), 3 / 4)
    assert found == {"words_f1": 1, **single, "tags_f1": 1 / 4}


def test_edges_from_and_to_empty_nodes_are_left_out(tmp_path: Path) -> None:
    sentence = tokens("a", "b")
    sentence[0].words[0].edges = [("0", "root")]
    sentence[1].words[0].edges = [("1", "conj:and"), ("1", "nsubj"), ("1.1", "nsubj")]
    other = tokens("a", "b")
    other[0].words[0].edges = [("0", "root")]
    other[1].words[0].edges = [("1", "conj:or"), ("1", "nsubj:pass")]
    with opened(tmp_path, gold=[file_of(sentence)], system=[file_of(other)]) as engine:
        row = scores(engine, "enhanced_attachment")
        assert row == {"elas": 2 * 1 / (3 + 3), "eulas": 1}


def test_enhanced_heads_are_words_of_one_sentence(tmp_path: Path) -> None:
    """d depends on the first word of its sentence, which is c in the gold sentences and a in the system's only one."""
    gold, system = [tokens("a", "b"), tokens("c", "d")], [tokens("a", "b", "c", "d")]
    for sentences in (gold, system):
        words = [token.words[0] for sentence in sentences for token in sentence]
        words[1].edges = words[3].edges = [("1", "nsubj")]
    with opened(tmp_path, gold=[file_of(*gold)], system=[file_of(*system)]) as engine:
        assert scores(engine, "enhanced_attachment") == {"elas": 2 * 1 / 4, "eulas": 2 * 1 / 4}


def test_the_evaluator_agrees_with_the_cases() -> None:
    """The oracle is tested as well."""
    for gold, system, expected in CASES:
        assert len(correspondences(Side([tokens(*gold)]), Side([tokens(*system)]))) == expected


@pytest.mark.slow
def test_a_database_gives_the_same(tmp_path: Path) -> None:
    """Loaded, where all spans are stored, as for files."""
    texts = {"gold": file_of(tokens("a", "bc b c"), tokens("d")), "system": file_of(tokens("a", "b", "cd"))}
    with treesql.connect() as db, opened(tmp_path, **{name: [text] for name, text in texts.items()}) as engine:
        for name in texts:
            db.load(tmp_path / f"{name}.conllu", corpus=name)
        assert aligned(db.engine) == aligned(engine) != set()
        assert scores(db.engine, *METRICS) == scores(engine, *METRICS)
