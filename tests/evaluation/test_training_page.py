"""The code of docs/training.md runs: loops with small stand-ins, recipes where the library is installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import treesql
from tests.conftest import FIXTURES, ROOT

PAGE = (ROOT / "docs" / "training.md").read_text("utf-8")

WORDS = [
    (0, 1, 2, "det", "the"), (0, 2, 3, "nsubj", "cat"), (0, 3, 0, "root", "sat"), (1, 1, 0, "root", "go"),
    (1, 2, 1, "advmod", "home"),
]  # fmt: skip
"""What every recipe returns: sentence, word, head, relation, form."""

COLUMNS = ["sentence", "word", "head", "deprel", "form"]
LABELS = ["root", "det", "nsubj", "advmod"]


def blocks(title: str) -> list[str]:
    """The code of a section."""
    section = PAGE.split(f"# {title}\n")[1].split("\n#")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def run(code: str, **names: Any) -> dict[str, Any]:
    given = {"pl": pl, "treesql": treesql, **names}
    exec(compile(code, "docs/training.md", "exec"), given)
    return given


def installed(package: str) -> Any:
    """A module, also one that cannot be imported for want of others: then the test is skipped with its name."""
    return pytest.importorskip(package, exc_type=ImportError)


class Tensor(np.ndarray):
    """What the page calls of a tensor."""

    def nonzero(self, as_tuple: bool = True) -> Any:
        return super().nonzero()

    def where(self, condition: Any, other: int) -> Tensor:
        return np.where(condition, self, other).view(Tensor)


def tensor(values: Any) -> Any:
    return np.array(values).view(Tensor)


def batches(of: Callable[[Any], Any]) -> list[tuple[Any, ...]]:
    """Heads, relations and masks of the sentences of WORDS, a batch each; position 0 is the root."""
    dealt = []
    for number in (0, 1):
        rows = [row for row in WORDS if row[0] == number]
        padding = [0] * (5 - len(rows))
        heads = [0, *(row[2] for row in rows), *padding]
        relations = [0, *(LABELS.index(row[3]) for row in rows), *padding]
        mask = [False, *[True] * len(rows), *map(bool, padding)]
        dealt.append((of([heads]), of([relations]), of([mask])))
    return dealt


def check_loop(of: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    recipe, loop, merging = blocks("PyTorch")
    trees = run(recipe, labels=LABELS)["trees"]
    dealt = [(0, heads, relations, mask) for heads, relations, mask in batches(of)]
    assert [row for batch in dealt for row in trees(*batch[1:]).rows()] == [(0, *row[1:4]) for row in WORDS]
    heads = [batch[1] for batch in dealt]
    outputs = iter([(heads[0], dealt[0][2]), (of([[0, 2, 0, 0, 0, 0]]), dealt[1][2])])
    scored = run(
        loop, trees=trees, epochs=1, train=lambda parser: None, parser=lambda sentences: next(outputs), batches=dealt
    )
    assert capsys.readouterr().out == "0 [0.6]\n"  # three words of five
    scored["scorer"].update(gold=trees(*dealt[0][1:]), system=trees(*dealt[0][1:]))

    def gather(scorers: list[Any], scorer: Any) -> None:
        scorers[:] = [scorer, scorer]

    code = merging.replace("from torch import distributed\n", "")
    distributed = SimpleNamespace(get_world_size=lambda: 2, all_gather_object=gather)
    whole = run(code, scorer=scored["scorer"], distributed=distributed)["whole"]
    assert repr(whole) == "<treesql.Scorer dependency: 2 sentences in 2 batches>"


def test_the_loop_with_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    check_loop(tensor, capsys)


def test_the_loop_with_tensors(capsys: pytest.CaptureFixture[str]) -> None:
    check_loop(installed("torch").tensor, capsys)


def test_the_scorer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    [code] = re.findall(r"```python\n(.*?)```", PAGE.split("\n## ")[0], re.DOTALL)
    run(code)
    gold, parser = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"
    expected = treesql.score("dependency", gold=gold, systems={"system": parser}, metric="uas,las", by="upos")
    assert capsys.readouterr().out == f"{expected}\n"


def test_metrics_of_hugging_face() -> None:
    """Two batches; the second one has the scores of both."""
    vocabulary = ["", "the", "cat", "sat", "dog"]

    def decode(ids: Any, skip_special_tokens: bool) -> list[str]:
        return [" ".join(vocabulary[number] for number in row if number) for row in ids.tolist()]

    [code] = blocks("Hugging Face")
    tokenizer = SimpleNamespace(pad_token_id=0, batch_decode=decode)
    compute_metrics = run(code, tokenizer=tokenizer)["compute_metrics"]
    texts = [([[1, 2, 3]], [[1, 2, 3]]), ([[1, 4, -100]], [[1, 2, -100]])]
    for last, (predictions, labels) in enumerate(texts):
        batch = SimpleNamespace(predictions=tensor(predictions), label_ids=tensor(labels))
        found = compute_metrics(batch, bool(last))
    assert found["ter"] == 1 / 5  # one word of five is another one


def spacy_docs() -> dict[str, Any]:
    spacy, doc_class = installed("spacy"), installed("spacy.tokens").Doc
    vocabulary = spacy.blank("en").vocab
    first, second = ([row for row in WORDS if row[0] == number] for number in (0, 1))
    heads = [row[2] - 1 if row[2] else at for at, row in enumerate(first)]
    heads += [len(first) + (row[2] - 1 if row[2] else at) for at, row in enumerate(second)]
    deps = [row[3].replace("root", "ROOT") for row in WORDS]
    return {"docs": [doc_class(vocabulary, words=[row[4] for row in WORDS], heads=heads, deps=deps)]}


def stanza_document() -> dict[str, Any]:
    document = installed("stanza.models.common.doc").Document
    keys = ["id", "head", "deprel", "text"]
    rows = [[dict(zip(keys, row[1:], strict=True)) for row in WORDS if row[0] == number] for number in (0, 1)]
    return {"doc": document(rows)}


def networkx_graphs() -> dict[str, Any]:
    networkx = installed("networkx")
    graphs = [networkx.DiGraph(), networkx.DiGraph()]
    for number, word, head, relation, _ in WORDS:
        graphs[number].add_edge(head, word, deprel=relation)
    return {"graphs": graphs}


def dataset_of_lists() -> dict[str, Any]:
    """As the corpora of Universal Dependencies have them: heads are texts."""
    of_sentences = [[row for row in WORDS if row[0] == number] for number in (0, 1)]
    lists = {name: [[row[at] for row in rows] for rows in of_sentences] for at, name in ((3, "deprel"), (4, "tokens"))}
    heads = [[str(row[2]) for row in rows] for rows in of_sentences]
    return {"dataset": installed("datasets").Dataset.from_dict({**lists, "head": heads, "idx": ["a", "b"]})}


FRAMES: dict[str, Callable[[], dict[str, Any]]] = {
    "spaCy": spacy_docs,
    "Stanza": stanza_document,
    "networkx": networkx_graphs,
    "Datasets of Hugging Face": dataset_of_lists,
}


@pytest.mark.parametrize("title", FRAMES)
def test_frames(title: str) -> None:
    [code] = blocks(title)
    assert code.count("\n") <= 5
    frame = run(code, **FRAMES[title]())["frame"]
    columns = [name for name in COLUMNS if name in frame.columns]
    assert columns[:4] == COLUMNS[:4]
    assert sorted(frame.select(columns).rows()) == [row[: len(columns)] for row in WORDS]
    check_scores(frame)


def check_scores(gold: Any) -> None:
    """One of five words has a wrong relation."""
    rows = [(*row[:3], row[3].replace("advmod", "obj")) for row in WORDS]
    system = pl.DataFrame(rows, schema=COLUMNS[:4], orient="row")
    [row] = treesql.score("dependency", gold=gold, system=system, metric="las").rows()
    assert row["las"] == 4 / 5


def test_lists_of_conllu() -> None:
    conllu = installed("conllu")
    [code] = blocks("conllu")
    token_lists = conllu.parse((FIXTURES / "gold.conllu").read_text("utf-8"))
    sentences = run(code, token_lists=token_lists)["sentences"]
    system = FIXTURES / "parser-a.conllu"
    found = treesql.score("dependency", gold=sentences, system=system, metric="las")
    assert (
        found.rows() == treesql.score("dependency", gold=FIXTURES / "gold.conllu", system=system, metric="las").rows()
    )


def test_lists_of_nltk() -> None:
    trees_of = installed("nltk").Tree
    [code] = blocks("NLTK")
    lines = (FIXTURES / "gold.mrg").read_text("utf-8").splitlines()
    sentences = run(code, trees=[trees_of.fromstring(line) for line in lines if line.strip()])["sentences"]
    system = FIXTURES / "test.mrg"
    found = treesql.score("constituency", gold=sentences, system=system, metric="evalb")
    assert (
        found.rows() == treesql.score("constituency", gold=FIXTURES / "gold.mrg", system=system, metric="evalb").rows()
    )
