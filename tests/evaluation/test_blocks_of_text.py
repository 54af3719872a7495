"""Counting in blocks gives what counting at once does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import conllu, thorough_but
from tests.evaluation.kinds_by_file import told
from treesql.errors import Incomparable
from treesql.evaluation import evaluate, sources
from treesql.readers import source


def table(gold: Path, system: Path) -> list[dict[str, object]]:
    return treesql.score("dependency", gold=gold, systems=[system], conll18=True).rows()


def sentences(words: str, cuts: list[int]) -> bytes:
    """One-letter words, cut into sentences behind these positions."""
    ends = [*sorted({cut for cut in cuts if 0 < cut < len(words)}), len(words)]
    parts = [words[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
    return b"".join(conllu(" ".join(f"{w}:{0 if at == 0 else 1}:{w}" for at, w in enumerate(part))) for part in parts)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of four words, read from chunks of a sentence or two."""
    monkeypatch.setattr(evaluate, "MIN_BYTES", 0)
    monkeypatch.setattr(sources, "MIN_BLOCK_WORDS", 4)
    monkeypatch.setattr(source.Source.chunks, "__defaults__", (64, None, None))


CUTS = st.lists(st.integers(1, 30), max_size=12)


@pytest.mark.slow
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.text("abcd", min_size=1, max_size=30), left=CUTS, right=CUTS)
def test_blocks_of_any_cut(small: None, tmp_path: Path, words: str, left: list[int], right: list[int]) -> None:
    (tmp_path / "g.conllu").write_bytes(sentences(words, left))
    (tmp_path / "s.conllu").write_bytes(sentences(words, right))
    with treesql.connect() as db:
        db.load(tmp_path / "g.conllu", corpus="g")
        db.load(tmp_path / "s.conllu", corpus="s")
        expected = db.query("conll18", gold_corpus="g", system_corpus="s").rows()
    found = table(tmp_path / "g.conllu", tmp_path / "s.conllu")
    assert [{name: value for name, value in row.items() if name != "system"} for row in found] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    thorough_but([{}, {"by": "gold_deprel"}, {"by": "sentence"}, {"ci": True}], {"by": "sentence"}, {"ci": True}),
)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.text("abcd", min_size=1, max_size=30), left=CUTS, right=CUTS)
def test_metrics_of_any_cut(
    small: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: dict[str, Any],
    words: str,
    left: list[int],
    right: list[int],
) -> None:
    """A second system has the gold sentences, so that its blocks end elsewhere; the first differs from a place on."""
    files = {name: tmp_path / f"{name}.conllu" for name in ("g", "s", "t")}
    for name, cuts in (("g", left), ("s", [cut for cut in left if cut < 9] + right), ("t", left)):
        files[name].write_bytes(sentences(words, cuts))
    given: dict[str, Any] = {"gold": files["g"], "systems": [files["s"], files["t"]], **how}
    given["metric"] = "attachment,weighted_attachment,tagging"
    found = told("dependency", **given)
    with monkeypatch.context() as whole:
        whole.setattr(evaluate, "MIN_BYTES", 1 << 60)
        assert found == told("dependency", **given)


@pytest.mark.spread(2)
@pytest.mark.parametrize("longer", ["gold", "system"])
@pytest.mark.parametrize("more", ["x", "x" * 40])
def test_one_text_goes_on(small: None, tmp_path: Path, longer: str, more: str) -> None:
    """The shorter one ends where a block does."""
    words = "ab" * 6
    for name in ("gold", "system"):
        text = words + (more if name == longer else "")
        (tmp_path / f"{name}.conllu").write_bytes(sentences(text, list(range(2, len(text), 2))))
    with pytest.raises(Incomparable, match=r"the texts part here: .*has ended"):
        table(tmp_path / "gold.conllu", tmp_path / "system.conllu")


@pytest.mark.parametrize("swapped", [False, True])
def test_files_of_two_formats(small: None, tmp_path: Path, swapped: bool) -> None:
    """One format has multiword tokens, the other has not."""
    (tmp_path / "a.conllu").write_bytes(b"1-2\tab\t" + b"\t".join([b"_"] * 8) + b"\n" + conllu("a:0:root b:1:x"))
    (tmp_path / "b.conllx").write_bytes(conllu("a:0:root b:1:x"))
    pair = [tmp_path / "a.conllu", tmp_path / "b.conllx"]
    found = {row["metric"]: (row["correct"], row["gold_total"]) for row in table(*(pair[::-1] if swapped else pair))}
    assert found["Tokens"] == (0, 2 if swapped else 1)
    assert found["LAS"] == (2, 2)


LATE = {
    "gold": ["ab:0:root c:1:nsubj d:1:obj e:2:det"] * 2 + ["ab:0:root c:1:nsubj"],
    "system": ["ab:0:root c:1:obj d:1:obj e:3:det"] * 2 + ["a:0:root b:1:det c:1:nsubj"],
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("how", [{"by": "sentence"}, {"by": "n_words", "ci": True}, {"where": "sentence < 2"}])
def test_words_that_differ_late_are_aligned_from_the_first_block(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
) -> None:
    """wlas is F1 for every sentence of a system that has other words in one, .3529 in the first ones."""
    for name, written in LATE.items():
        (tmp_path / f"{name}.conllu").write_bytes(b"".join(map(conllu, written)))
    (tmp_path / "weights.csv").write_text("relation,weight\nroot,1\nnsubj,3\nobj,0.5\ndet,1\n")
    given: dict[str, Any] = {"gold": tmp_path / "gold.conllu", "systems": [tmp_path / "system.conllu"], **how}
    given |= {"weights": tmp_path / "weights.csv", "metric": "attachment,weighted_attachment"}
    found = told("dependency", **given)
    monkeypatch.setattr(evaluate, "MIN_BYTES", 1 << 60)
    assert found == told("dependency", **given)
    if how == {"by": "sentence"}:
        assert [round(row["wlas"], 4) for row in found[1]][:2] == [0.3529] * 2  # type: ignore[attr-defined]


def test_what_systems_share_waits_for_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second system has twice as many words a sentence, so that its blocks have half as many sentences."""
    monkeypatch.setattr(evaluate, "MIN_BYTES", 0)
    monkeypatch.setattr(sources, "MIN_BLOCK_WORDS", 50)
    monkeypatch.setattr(source.Source.chunks, "__defaults__", (64, None, None))
    for name, line in (("r", "a b c d e"), ("one", "a b c d e"), ("two", "a b c d e a b c d e")):
        (tmp_path / f"{name}.txt").write_text(f"{line}\n" * 60)
    most: Counter[str] = Counter()
    usual = sources._Side.add

    def counting(side: sources._Side, batch: Any) -> None:
        usual(side, batch)
        most[side.corpus.files.corpus] = max(most[side.corpus.files.corpus], side.n_waiting)

    monkeypatch.setattr(sources._Side, "add", counting)
    systems = [tmp_path / "one.txt", tmp_path / "two.txt"]
    found = treesql.score("translation", reference=tmp_path / "r.txt", systems=systems, metric="wer").rows()
    assert [row["wer"] for row in found] == [0, 1]
    assert most["r.txt"] < 80
