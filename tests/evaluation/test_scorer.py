"""Scores of batches are those of the whole, to the last digit, however sentences are dealt out and scorers merged."""

from __future__ import annotations

import copy
import io
import pickle
import random
import re
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import treesql
from tests.conftest import FIXTURES, conllu, heard, thorough_but
from tests.evaluation import kinds_by_file
from tests.evaluation.systems import GOLD, A
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import kinds, schemas
from treesql.catalog.queries import attributes_of
from treesql.evaluation import evaluate, sources

MAX_STATE = 30_000
"""Maximum number of bytes of a scorer that is pickled."""

Sentences = dict[str, Any]
"""By role, the sentences of its file."""


def sentences_of(path: str | Path) -> list[str]:
    between = "\n\n" if Path(path).suffix == ".conllu" else "\n"
    return Path(path).read_text("utf-8").rstrip("\n").split(between)


TREES: Sentences = {"gold": sentences_of(GOLD), "system": sentences_of(A)}


def update(scorer: treesql.Scorer, given: Sentences, begin: int, end: int) -> treesql.Scorer:
    scorer.update(**{role: sentences[begin:end] for role, sentences in given.items()})
    return scorer


def in_batches(kind: str, given: Sentences, size: int, **how: Any) -> treesql.Scorer:
    scorer = treesql.Scorer(kind, **how)
    for begin in range(0, min(map(len, given.values())), size):
        update(scorer, given, begin, begin + size)
    return scorer


def same(found: treesql.Result, expected: treesql.Result) -> bool:
    """All but the signatures."""
    tables = found.arrow(), expected.arrow()
    return tables[0].equals(tables[1]) and (found.percent, found.directions) == (expected.percent, expected.directions)


HOW: list[dict[str, Any]] = [
    {"metric": "attachment,tagging", "by": "upos"},
    {"metric": "las", "by": "sentence"},
    {"metric": "las,exact_match", "ci": True},
    {"metric": "las", "by": "n_words/3,feats.Number,meta.text", "where": "upos <> 'PUNCT'"},
    {"metric": "wlas,uas", "by": "distance/2", "weights": A, "punctuation": "form", "relations": "full"},
]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
@in_turn("how", HOW)
def test_scores_are_those_of_the_whole(how: dict[str, Any]) -> None:
    """Features and comments are those of some batches alone."""
    expected = treesql.score("dependency", **TREES, **how)
    assert same(in_batches("dependency", TREES, 2, **how).compute(), expected)


def rotated(kind: str, metric: str) -> tuple[Sentences, Sentences]:
    """Sentences of all roles; and those of systems in another order, so that they are not perfect."""
    roles = {role.name: role for role in kinds_by_file.roles_of(kinds.kind(kind), metric) if not role.checked}
    given = {name: sentences_of(kinds_by_file.file_of(kinds.kind(kind), role)) for name, role in roles.items()}
    n = min(map(len, given.values()))
    given = {name: sentences[:n] for name, sentences in given.items()}
    of_systems = {name: [*sentences[1:], sentences[0]] for name, sentences in given.items()}
    return {name: (of_systems if roles[name].side == kinds.SYSTEM else given)[name] for name in given}, given


def check_metric(kind: str, metric: str, how: dict[str, Any]) -> None:
    other, perfect = rotated(kind, metric)
    if kind == "dependency":
        other = TREES
    for given in (other, perfect):
        if metric == "dependency_tree_edit":
            given.pop("alignment", None)
        try:
            expected = treesql.score(kind, **given, metric=metric, **how)
        except (treesql.Incomparable, treesql.InvalidInput):
            continue
        assert same(in_batches(kind, given, 2, metric=metric, **how).compute(), expected), metric
        return
    raise AssertionError(f"{metric} cannot be compared")


OF_FILES = {
    "newdoc", "newpar", "line", "span_start", "span_end", "reading", "files", "layouts", "global_columns", "sha256",
    "n_sentences", "loaded_at", "system_sentence", "counterpart_sentence",
}  # fmt: skip
"""Columns that depend on where in a file a sentence stands, or on the whole file."""


@pytest.mark.slow
@pytest.mark.parametrize("every", thorough_but([5, 1], 5))
def test_groups_by_any_column(every: int) -> None:
    """Of items of attachment, their attributes, gold words, sentences and corpora; every n-th of those that can be."""
    metric = catalog.query("attachment")
    columns = {column.name for column in metric.columns} - {count.name for count in metric.counts}
    columns |= set(attributes_of(metric))
    columns.update(name for table in ("words", "sentences", "corpora") for name in schemas.table(table).names)
    refused = set()
    for column in columns:
        try:
            treesql.Scorer("dependency", metric="las", by=column)
        except treesql.UsageError:
            refused.add(column)
    assert refused == OF_FILES
    for column in sorted(columns - refused)[::every]:
        how: dict[str, Any] = {"metric": "las", "by": column}
        assert same(in_batches("dependency", TREES, 2, **how).compute(), treesql.score("dependency", **TREES, **how)), (
            column
        )


REFUSED = {
    "best_path_agreement": "all edges have as many scores as the one with most; give compared_weights",
    "weighted_attachment": "entropies count the words of the whole gold corpus; give weights",
    "decoder_search": "all edges have as many scores as the one with most; give edge_weights",
    "decoding_errors": "all edges have as many scores as the one with most; give edge_weights",
    "posterior_word_distance": "all edges have as many scores as the one with most; give edge_weights",
    "n_gram_information": "n_gram_totals counts over all sentences; score the whole with treesql.score",
}
"""Metrics that are not sums over sentences, and why."""


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
@in_turn("kind", kinds_by_file.KINDS)
def test_one_metric_of_every_kind(kind: str) -> None:
    check_metric(kind, kinds.kind(kind).all_metrics[0], {})


WAYS: list[dict[str, Any]] = [{}, {"by": "sentence"}, {"ci": True}]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
@pytest.mark.parametrize(("every", "n_ways"), thorough_but([(3, 1), (1, len(WAYS))], (3, 1)))
@pytest.mark.parametrize("kind", kinds_by_file.KINDS)
def test_metrics_of_every_kind(kind: str, every: int, n_ways: int) -> None:
    """every: of the metrics every n-th is scored. n_ways: number of ways in which each is, one after the other; all of
    them where metrics are few."""
    metrics = kinds.kind(kind).all_metrics[::every]
    for at, metric in enumerate(metrics):
        if metric in REFUSED:
            with pytest.raises(treesql.UsageError, match=f"^{metric} cannot be scored batch by batch"):
                treesql.Scorer(kind, metric=metric)
            continue
        first = at % len(WAYS)
        for how in (WAYS + WAYS)[first : first + (n_ways if len(metrics) >= len(WAYS) else len(WAYS))]:
            check_metric(kind, metric, how)


@in_turn(
    ("kind", "how", "told"),
    [
        *[
            (kind, {"metric": metric}, f"{metric} cannot be scored batch by batch: {REFUSED[metric]}")
            for kind in ("dependency", "lattice", "translation")
            for metric in REFUSED
            if metric in kinds.kind(kind).all_metrics
        ],
        ("dependency", {"metric": "wlas"}, "weighted_attachment cannot be scored batch by batch"),
        ("dependency", {"match": "sent_id"}, "sentences with one sent_id stand anywhere; give match='order'"),
        ("dependency", {"by": "newdoc"}, "newdoc depends on other sentences"),
        ("dependency", {"by": 'meta."newdoc id"'}, 'meta."newdoc id" depends on other sentences'),
        ("dependency", {"by": "line"}, "line depends on other sentences"),
        ("dependency", {"by": "system_sentence"}, "system_sentence depends on other sentences"),
        ("dependency", {"by": "n_sentences"}, "n_sentences depends on other sentences"),
        ("dependency", {"where": "sentence < 3"}, "sentence depends on other sentences"),
        ("dependency", {"where": "EXISTS (SELECT 1)"}, "where has a query in it"),
        ("dependency", {"by": "Number"}, "a feature is written feats.Number"),
        ("dependency", {"by": "sentence", "ci": True}, "ci resamples sentences"),
        ("dependency", {"errors": True}, "a scorer computes scores, not tables"),
        ("dependency", {"gold": GOLD}, "gold is an input; give it to update, with each batch"),
        ("dependency", {"punctuation": "none"}, "punctuation cannot be 'none'"),
        ("dependency", {"match_by": "order"}, "unknown option of the kind dependency 'match_by'"),
        ("dependency", {"metric": "nope"}, "unknown metric or score 'nope'"),
        ("translation", {"by": "frequency"}, "frequency depends on other sentences"),
        ("alignment", {"by": "source_frequency/10"}, "source_frequency depends on other sentences"),
        ("none", {}, "unknown kind of evaluation 'none'"),
    ],
)
def test_what_is_no_sum_is_refused(kind: str, how: dict[str, Any], told: str) -> None:
    with heard() as warnings, pytest.raises(treesql.TreesqlError) as error:
        treesql.Scorer(kind, **how)
    assert told in str(error.value)
    assert not warnings


def test_metrics_that_are_not_named_are_left_out_with_a_warning() -> None:
    with heard() as warnings:
        scorer = in_batches("dependency", TREES, 2)
    hint = "entropies count the words of the whole gold corpus; give weights"
    assert warnings == [f"dependency: weighted_attachment is left out: {hint}"]
    whole = treesql.score("dependency", **TREES)
    expected = whole.arrow().drop_columns(["wlas", "wlas_precision"])
    assert scorer.compute().arrow().equals(expected)


def test_attributes_beside_a_frequency_are_groups() -> None:
    """Of the query that has it, too."""
    links = sentences_of(FIXTURES / "links.pharaoh")[:1]
    texts: Sentences = {"source": [" ".join("abcdefgh")], "target": [" ".join("abcdefgh")]}
    scorer = treesql.Scorer("alignment", metric="aer", by="source_form")
    scorer.update(gold=links, system=links, **texts)
    expected = treesql.score("alignment", gold=links, system=links, **texts, metric="aer", by="source_form")
    assert same(scorer.compute(), expected)


def cut_at(characters: str, ends: set[int], chance: random.Random) -> str:
    """Words of a text that end at some of its characters, as a tree whose first word is the root."""
    words: list[str] = []
    begin = 0
    for end in sorted({*ends, len(characters)}):
        relation = chance.choice("xyz")
        words.append(f"{characters[begin:end]}:{1 if words else 0}:{relation if words else 'root'}:{relation.upper()}")
        begin = end
    return " ".join(words)


@pytest.mark.filterwarnings("ignore:.*aligned by their characters:treesql.TreesqlWarning")
@in_turn("seed", range(3))
def test_words_that_differ_in_some_batches(seed: int, tmp_path: Path) -> None:
    """All are aligned then, also where groups have only words that are the same; merged in any way."""
    chance = random.Random(seed)
    pairs = []
    for number in range(8):
        ends = {at for at in range(1, 6) if chance.random() < 0.5}
        others = ends if number % 4 else {at for at in range(1, 6) if chance.random() < 0.5}
        pairs.append([cut_at("abcdef", ends, chance), cut_at("abcdef", others, chance)])
    (tmp_path / "w.csv").write_text("relation,weight\nroot,1\nx,0.3\ny,0.7\nz,2\n")
    how: dict[str, Any] = {
        "metric": "las,uas,wlas",
        "weights": str(tmp_path / "w.csv"),
        "by": ["sentence", "upos", ()][seed % 3],
    }
    gold, system = (conllu(*sentences) for sentences in zip(*pairs, strict=True))
    expected = treesql.score("dependency", gold=gold, system=system, **how)
    scorers = []
    while pairs:
        n = chance.randint(1, 3)
        gold, system = (conllu(*sentences) for sentences in zip(*pairs[:n], strict=True))
        scorers.append(treesql.Scorer("dependency", **how))
        scorers[-1].update(gold=gold, system=system)
        del pairs[:n]
    while len(scorers) > 1:
        at = chance.randrange(len(scorers) - 1)
        scorers[at].merge(pickle.loads(pickle.dumps(scorers.pop(at + 1))))
    assert same(scorers[0].compute(), expected)


def test_other_ways_in_and_several_references(tmp_path: Path) -> None:
    hypotheses = ["the cat sat", "on a mat", "it rains"]
    references = [["the cat sat", "on the mat", "it rains now"], ["a cat sat", "on mats", "rain"]]
    how: dict[str, Any] = {"metric": "bleu,wer", "ci": True}
    with heard():
        expected = treesql.score("translation", hypothesis=hypotheses, reference=references, **how)
        scorer = treesql.Scorer("translation", **how)
        (tmp_path / "h.txt").write_text("the cat sat\n")
        scorer.update(hypothesis=tmp_path / "h.txt", reference=[one[:1] for one in references])
        files = [io.StringIO(f"{one[1]}\n") for one in references]
        scorer.update(hypothesis=f"{hypotheses[1]}\n".encode(), reference=files)
        scorer.update(hypothesis=hypotheses[2:], reference=[one[2:] for one in references])
        assert same(scorer.compute(), expected)
        signature = scorer.compute().signatures["hypothesis:wer"]
    assert "reference:list+2@" in signature
    assert "hypothesis:h.txt+2@" in signature


def test_batches_of_data_frames() -> None:
    """Sentences have any numbers, and rows any order; words of aligned frames are numbered from 1."""
    words = [(5, 2, 0, "root"), (5, 1, 2, "det"), (9, 1, 0, "root")]
    wrong = [(*row[:3], "x") if row == (5, 1, 2, "det") else row for row in reversed(words)]
    columns = ["sentence", "word", "head", "deprel"]
    gold, system = (pl.DataFrame(rows, schema=columns, orient="row") for rows in (words, wrong))
    scorer = treesql.Scorer("dependency", metric="las", by="sentence")
    for number in (5, 9, 5):
        scorer.update(**{role: frame.filter(sentence=number) for role, frame in (("gold", gold), ("system", system))})
    assert [(row["sentence"], row["las"]) for row in scorer.compute()] == [(0, 0.5), (1, 1), (2, 0.5)]
    scorer.reset()
    scorer.update(gold=gold, system=system)
    assert same(scorer.compute(), treesql.score("dependency", gold=gold, system=system, metric="las", by="sentence"))
    assert "gold:words@" in scorer.compute().signature
    with pytest.raises(treesql.TreesqlError, match="sentence 9"):
        scorer.update(gold=gold, system=system.filter(sentence=5))
    assert len(scorer.compute()) == 2


def test_batches_of_frames_of_links() -> None:
    """Sentences without links are in the frame of the other side; a role that is None is not given."""
    gold, system = (
        pl.DataFrame(rows, schema=["sentence", "source", "target"], orient="row")
        for rows in ([(1, 1, 1), (2, 1, 2)], [(2, 1, 2), (3, 1, 1)])
    )
    scorer = treesql.Scorer("alignment", metric="agreement")
    scorer.update(gold=gold, system=system, source=None)
    assert same(scorer.compute(), treesql.score("alignment", gold=gold, systems={"system": system}, metric="agreement"))


def test_signatures() -> None:
    """Of one batch those of `score`; of several their number, and a digest that is the same for any order of these."""
    whole = treesql.score("dependency", **TREES, metric="las").signature
    assert in_batches("dependency", TREES, 5, metric="las").compute().signature == whole
    halves = [update(treesql.Scorer("dependency", metric="las"), TREES, *ends) for ends in ((0, 2), (2, 5))]
    merged = [copy.deepcopy(first) for first in halves]
    merged[0].merge(halves[1])
    merged[1].merge(halves[0])
    found = {scorer.compute().signature for scorer in merged}
    assert len(found) == 1
    plain = [re.sub(r"@[0-9a-f]{6}", "@", text) for text in (*found, whole)]
    assert plain[0] == plain[1].replace("list@", "list+1@")


def test_merged_in_order_intervals_are_those_of_the_whole() -> None:
    how: dict[str, Any] = {"metric": "las", "by": "upos", "ci": True}
    with heard() as warnings:
        expected = treesql.score("dependency", **TREES, **how)
    first, second, empty = (treesql.Scorer("dependency", **how) for _ in range(3))
    empty.merge(update(first, TREES, 0, 2))
    empty.merge(treesql.Scorer("dependency", **how))
    empty.merge(update(second, TREES, 2, 5))
    with heard() as of_scorer:
        assert same(empty.compute(), expected)
    assert of_scorer == warnings
    assert repr(empty) == "<treesql.Scorer dependency: 5 sentences in 2 batches>"
    assert repr(second) == "<treesql.Scorer dependency: 3 sentences in 1 batch>"


def test_lists_have_sentences_whatever_files_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a hyphen is not standard input. What is scored as a path has references that are paths."""
    monkeypatch.chdir(tmp_path)
    Path("hello").write_text("four words of file\n", "utf-8")
    Path("other").write_text("some words of file\n", "utf-8")
    Path("folder").mkdir()
    scorer = treesql.Scorer("translation", metric="edit_operations")
    scorer.update(hypothesis=["-"], reference=["-"])
    scorer.update(hypothesis=["good bye"], reference=("hello",))
    scorer.update(hypothesis=["a.txt", "folder"], reference=["hello", "folder"])
    [row] = scorer.compute().rows()
    assert (row["hits"], row["substitutions"], row["insertions"], row["reference_words"]) == (2, 2, 1, 4)
    of_several = treesql.Scorer("translation", metric="edit_operations")
    of_several.update(hypothesis=["hello"], reference=[["folder"], ["hello"]])
    of_several.update(hypothesis="hello", reference=["other", "hello"])
    [row] = of_several.compute().rows()
    assert (row["hits"], row["reference_words"]) == (5, 5)


def test_threads_may_update_one_scorer() -> None:
    expected = in_batches("dependency", TREES, 1, metric="attachment")
    scorer = treesql.Scorer("dependency", metric="attachment")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda at: update(scorer, TREES, at, at + 1), range(len(TREES["gold"]))))
    assert same(scorer.compute(), expected.compute())
    assert repr(scorer) == repr(expected)


def test_an_update_that_fails_leaves_everything_as_it_was() -> None:
    scorer = treesql.Scorer("dependency", metric="las")
    update(scorer, TREES, 0, 5).reset()
    with pytest.raises(treesql.UsageError, match="nothing has been scored; call update with a batch first"):
        scorer.compute()
    before = update(scorer, TREES, 0, 2).compute()
    for batch, message in {
        "longer": ({"gold": TREES["gold"][:2], "system": TREES["system"][:3]}, "where the gold text has ended"),
        "no tree": ({"gold": TREES["gold"][:1], "system": ["1\tx"]}, "system:1: 2 fields where CoNLL-U has 10"),
        "no file": ({"gold": "none.conllu", "system": TREES["system"]}, "none.conllu: there is no such file"),
        "no system": ({"gold": TREES["gold"]}, "update also needs what is scored: system=..."),
        "empty": ({"gold": TREES["gold"], "system": []}, "system is an empty list"),
        "no role": ({**TREES, "sytem": []}, "unknown role of the kind dependency 'sytem'; did you mean system?"),
        "a folder": ({"gold": FIXTURES, "system": FIXTURES}, "a batch is a file for each role"),
        "a parameter": ({**TREES, "punctuation": "form"}, "unknown role of the kind dependency 'punctuation'"),
    }.values():
        with pytest.raises(treesql.TreesqlError, match=re.escape(message)):
            scorer.update(**batch)
        assert same(scorer.compute(), before)
    trees = treesql.Scorer("trees")
    trees.update(reference=TREES["gold"][:1], hypothesis=TREES["system"][:1])
    with pytest.raises(
        treesql.UsageError, match="every batch has the same roles, and these have reference, hypothesis"
    ):
        trees.update(reference=TREES["gold"][:1], hypothesis=TREES["system"][:1], alignment=["0-0"])


def test_only_scorers_of_the_same_arguments_are_merged() -> None:
    scorer = treesql.Scorer("dependency", metric="las")
    for other in (treesql.Scorer("dependency", metric="uas"), treesql.Scorer("dependency", metric="las", ci=True)):
        with pytest.raises(treesql.UsageError, match="made with the same arguments"):
            scorer.merge(other)
    with pytest.raises(treesql.UsageError, match="other takes a Scorer"):
        scorer.merge(None)  # type: ignore[arg-type]


def test_the_state_does_not_grow_with_the_sentences() -> None:
    """Sums of groups; the smallest units of what a scorer has seen are added up again and again."""
    how: dict[str, Any] = {"metric": "words,las", "by": "upos"}
    batch, grown = in_batches("dependency", TREES, 5, **how), treesql.Scorer("dependency", **how)
    for _ in range(200):
        grown.merge(batch)
    assert len(pickle.dumps(grown)) < min(MAX_STATE, len(pickle.dumps(batch)) + 100)
    words = batch.compute()["words"]
    assert grown.compute()["words"] == [200 * n for n in words]
    grown.merge(grown)
    assert grown.compute()["words"] == [400 * n for n in words]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_the_state_of_all_default_scores_is_small() -> None:
    for kind in kinds_by_file.KINDS:
        scorer = treesql.Scorer(kind)
        assert len(pickle.dumps(scorer)) < 2_000, kind
    trees = in_batches("dependency", TREES, 2, weights=A)
    assert len(pickle.dumps(trees)) < MAX_STATE
    assert same(pickle.loads(pickle.dumps(trees)).compute(), treesql.score("dependency", **TREES, weights=A))


def test_a_scorer_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pickled = pickle.dumps(treesql.Scorer("dependency", metric="las"))
    monkeypatch.setattr("treesql.evaluation.scorer.__version__", "99")
    with pytest.raises(treesql.UsageError, match="made this scorer, and this is 99"):
        pickle.loads(pickled)


def test_sentences_that_count_for_no_score_are_told_of_all_batches() -> None:
    gold = ["(S (NP (N a)) (V b))"] * 9
    system = ["(S (NP (N a)) (V b))", *["(S (NP (N a)) (V c) (V b))"] * 8]
    with heard() as expected:
        treesql.score("constituency", gold=gold, system=system, metric="evalb")
    with heard() as warnings:
        in_batches("constituency", {"gold": gold, "system": system}, 4, metric="evalb").compute()
    assert warnings == expected
    assert "8 sentences whose compared words differ: 1, 2, 3, 4, 5, ... (from 0)" in warnings[0]


def test_each_kind_of_finding_is_told_of_one_batch() -> None:
    tree, roots = "a:0:root b:1:dep", "a:0:root b:0:root"
    repeated = 2 * (b"# sent_id = s\n" + conllu(tree))
    scorer = treesql.Scorer("dependency", metric="las")

    def update(gold: bytes, system: bytes) -> list[str]:
        with heard() as warnings:
            scorer.update(gold=gold, system=system)
        return [warning.partition(":")[2].partition(":")[2].partition(":")[0].strip() for warning in warnings]

    several = "1 sentence with several roots"
    assert update(conllu(tree), conllu(tree)) == []
    assert update(conllu(tree), conllu(roots)) == [several]
    assert update(conllu(roots, roots), conllu(roots, roots)) == []
    assert update(repeated, conllu(tree, roots)) == ["1 sentence with a repeated sent_id"]
    scorer = pickle.loads(pickle.dumps(scorer))
    assert update(repeated, conllu(roots, tree)) == []
    scorer.reset()
    assert update(conllu(roots), conllu(roots)) == [several, several]


def test_large_files_are_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = treesql.score("dependency", **TREES, metric="las", by="sentence")
    monkeypatch.setattr(evaluate, "MIN_BYTES", 0)
    monkeypatch.setattr(sources, "MIN_BLOCK_WORDS", 4)
    scorer = treesql.Scorer("dependency", metric="las", by="sentence")
    scorer.update(gold=GOLD, system=A)
    assert same(scorer.compute(), expected)


def count(batch: Sentences) -> treesql.Scorer:
    """What a process returns."""
    return in_batches("dependency", batch, 2, metric="las", by="upos", ci=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_scorers_of_other_processes() -> None:
    parts = [{role: sentences[ends] for role, sentences in TREES.items()} for ends in (slice(3), slice(3, 5))]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        first, second = pool.map(count, parts)
    first.merge(second)
    expected = treesql.score("dependency", **TREES, metric="las", by="upos", ci=True)
    assert same(first.compute(), expected)
