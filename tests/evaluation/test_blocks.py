"""Files scored in blocks of a sentence or two give what whole files give, to the last digit."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu, heard, thorough_but
from tests.evaluation import kinds_by_file
from tests.evaluation.systems import GOLD, A, B
from treesql.catalog import kinds, schemas
from treesql.errors import InvalidInput, TreesqlError
from treesql.evaluation import evaluate, sources
from treesql.readers import source
from treesql.scoring import sums

NEVER = 1 << 60


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Small blocks, read from chunks of a sentence or two; the names of the kinds that were scored in blocks."""
    monkeypatch.setattr(sources, "MIN_BLOCK_WORDS", 4)
    monkeypatch.setattr(sums, "MAX_ROWS", 10)
    monkeypatch.setattr(source.Source.chunks, "__defaults__", (64, None, None))
    seen: list[str] = []
    open_in_blocks = sources.open_in_blocks

    def noting(task: Any) -> Any:
        seen.append(task.kind.name)
        return open_in_blocks(task)

    monkeypatch.setattr(sources, "open_in_blocks", noting)
    return seen


def told(monkeypatch: pytest.MonkeyPatch, least: int, kind: str = "dependency", **given: Any) -> tuple[object, ...]:
    """The rows, signatures and warnings, or the error. least: number of bytes from which files are read in blocks."""
    monkeypatch.setattr(evaluate, "MIN_BYTES", least)
    return kinds_by_file.told(kind, **given)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"metric": "las"},
    {"metric": [name for name in kinds.kind("dependency").all_metrics if not name.startswith("aligned")]},
    {"by": "upos"},
    {"by": "sentence"},
    {"by": "n_words/3,gold_deprel"},
    {"by": "distance/2", "where": "upos <> 'PUNCT'"},
    {"where": "upos = 'none'"},
    {"ci": True, "metric": "las,wlas"},
    {"ci": True, "by": "upos", "metric": "uas"},
    {"punctuation": "form", "relations": "full"},
    {"weights": str(FIXTURES / "parser-a.conllu")},
    {"with_": "enhanced"},
]


@pytest.mark.parametrize(
    "options", thorough_but(OPTIONS, *OPTIONS[::6]), ids=lambda options: "-".join(map(str, options)) or "default"
)
@pytest.mark.slow
def test_blocks_of_any_option(opened: list[str], monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    given = {"gold": GOLD, "systems": {"a": A, "b": B}, **options}
    assert told(monkeypatch, 0, **given) == told(monkeypatch, NEVER, **given)
    assert opened == ["dependency"]


@pytest.mark.parametrize(
    "options",
    [
        {"by": "newdoc", "metric": "las"},
        {"by": "Number", "metric": "las"},
        {"by": "n_sentences", "metric": "las"},
        {"where": "n_sentences > 2 AND sha256 <> ''", "metric": "las"},
        {"match": "sent_id", "metric": "las"},
        {"where": "EXISTS (SELECT 1)", "metric": "las"},
        {"errors": True},
    ],
    ids=lambda options: "-".join(options),
)
def test_what_reaches_beyond_a_sentence_is_read_whole(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """So that it cannot differ from what whole files give."""
    assert len(told(monkeypatch, 0, gold=GOLD, systems=[A], **options)) == 4, "it is no error"
    assert not opened


@pytest.mark.slow
@pytest.mark.parametrize("every", thorough_but([12, 1], 12))
def test_groups_by_any_column(monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    """Of gold words, sentences and corpora, those that are known after the last block too, every n-th of them."""
    columns = {name for table in ("words", "sentences", "corpora") for name in schemas.table(table).names}
    for column in sorted(columns - {"loaded_at"})[::every]:
        given = {"gold": GOLD, "systems": [A], "metric": "las", "by": column}
        assert told(monkeypatch, 0, **given) == told(monkeypatch, NEVER, **given), column


@pytest.mark.slow
def test_other_words_are_aligned(opened: list[str], monkeypatch: pytest.MonkeyPatch, cut: str) -> None:
    given = {"gold": GOLD, "systems": [A, cut]}
    found = told(monkeypatch, 0, **given)
    assert found == told(monkeypatch, NEVER, **given)
    assert opened
    assert "aligned by their characters" in str(found[3])


SENTENCE = "a:0:root b:1:x c:1:x"
CASES = {
    "fewer sentences": ([SENTENCE] * 6, [SENTENCE] * 5),
    "more sentences": ([SENTENCE] * 5, [SENTENCE] * 6),
    "a longer sentence": ([SENTENCE] * 5, [SENTENCE] * 4 + ["a:0:root b:1:x c:1:x d:1:x"]),
    "no heads": ([SENTENCE] * 5 + ["a:_:_"], [SENTENCE] * 5 + ["a:0:root"]),
    "two roots": ([SENTENCE] * 5 + ["a:0:root b:0:root"], [SENTENCE] * 5 + ["a:0:root b:0:root"]),
    "an unknown relation": ([*[SENTENCE] * 5, "a:0:y"], [*[SENTENCE] * 5, "a:0:z"]),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_what_differs(opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: str) -> None:
    paths = [tmp_path / name for name in ("gold.conllu", "system.conllu")]
    for path, sentences in zip(paths, CASES[case], strict=True):
        path.write_bytes(b"".join(map(conllu, sentences)))
    given = {"gold": paths[0], "systems": [paths[1]], "metric": "attachment,weighted_attachment"}
    assert told(monkeypatch, 0, **given) == told(monkeypatch, NEVER, **given)
    assert opened


def test_faults_are_those_of_the_first_file_that_has_some(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The system's first line is wrong, and gold's last."""
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_bytes(conllu(SENTENCE) * 20 + conllu("a:0:root b:7:x"))
    system.write_bytes(conllu("a:0:root b:9:x") + conllu(SENTENCE) * 20)
    found = told(monkeypatch, 0, gold=gold, systems=[system])
    assert found == told(monkeypatch, NEVER, gold=gold, systems=[system])
    assert found[0] is InvalidInput
    assert "gold.conllu" in str(found[1])
    assert opened


WHOLE = {"alignment", "parallel"}
"""Kinds whose files are never read in blocks."""


def unlike(path: str, folder: Path) -> str:
    """A file of the same number of sentences, in another order, so that scores are not perfect."""
    source = Path(path)
    sentences = source.read_text().rstrip("\n").split("\n\n" if source.suffix == ".conllu" else "\n")
    target = folder / source.name
    between = "\n\n" if source.suffix == ".conllu" else "\n"
    target.write_text(between.join([*sentences[1:], sentences[0]]) + between)
    return str(target)


def check_kind(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, folder: Path, kind: str, metric: str | None, how: dict[str, Any]
) -> None:
    """Score a perfect system, and one with other sentences where they can be compared."""
    files = kinds_by_file.given(kind, metric=metric)
    [own] = files["systems"].values()
    files["systems"]["b"] = {name: unlike(path, folder) for name, path in own.items()}
    in_blocks = kind not in WHOLE and not (metric and (metric == "quartets" or kinds_by_file.is_whole(metric)))
    for given in (files, {**files, "systems": {"a": own}}):
        opened.clear()
        whole = told(monkeypatch, NEVER, kind, **given, metric=metric, **how)
        assert told(monkeypatch, 0, kind, **given, metric=metric, **how) == whole, metric
        if not isinstance(whole[0], type):
            assert bool(opened) == in_blocks, metric
            break


@pytest.mark.spread(3)
@pytest.mark.slow
@pytest.mark.parametrize("kind", [name for name in kinds_by_file.KINDS if name != "dependency"])
def test_blocks_of_any_kind(opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str) -> None:
    """The first metric that is scored in blocks where one is."""
    metric = next(
        name for name in kinds.kind(kind).all_metrics if name != "quartets" and not kinds_by_file.is_whole(name)
    )
    check_kind(opened, monkeypatch, tmp_path, kind, metric, {"ci": True})


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({}, id="default"),
        pytest.param({"by": "sentence"}, id="by"),
        pytest.param({"ci": True}, id="ci"),
    ],
)
@pytest.mark.parametrize("kind", [name for name in kinds_by_file.KINDS if name != "dependency"])
@pytest.mark.thorough
def test_blocks_of_any_metric(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, how: dict[str, Any]
) -> None:
    for metric in kinds.kind(kind).all_metrics:
        check_kind(opened, monkeypatch, tmp_path, kind, metric, how)


NUMBERED = ["in tree", "out branch leaf", "up root"]


@pytest.mark.parametrize(
    "systems",
    thorough_but([NUMBERED[:2], [*NUMBERED, "a b"], [f"{at} {one}" for at, one in enumerate(NUMBERED)]], NUMBERED[:2]),
)
@pytest.mark.slow
def test_texts_that_differ(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, systems: list[str]
) -> None:
    """Fewer and more hypotheses than references, where a block ends with the shorter file, and lines with ids."""
    reference, system = tmp_path / "reference.txt", tmp_path / "system.txt"
    reference.write_text("\n".join(NUMBERED) + "\n")
    system.write_text("\n".join(systems) + "\n")
    given: dict[str, Any] = {"reference": reference, "systems": [system], "metric": "edit_operations"}
    for ids in (None, "first"):
        whole = told(monkeypatch, NEVER, "translation", **given, ids=ids)
        assert told(monkeypatch, 0, "translation", **given, ids=ids) == whole
    assert opened


def test_unscored_trees_are_named(opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sentences of several blocks in one warning."""
    gold, system = tmp_path / "gold.mrg", tmp_path / "system.mrg"
    gold.write_text("(S (A a) (B b) (C c))\n" * 8)
    system.write_text("(S (A a) (B b) (C c))\n(S (A a) (B b) (D d) (C c))\n" * 4)
    given: dict[str, Any] = {"gold": gold, "systems": [system], "metric": "evalb"}
    whole = told(monkeypatch, NEVER, "constituency", **given)
    assert told(monkeypatch, 0, "constituency", **given) == whole
    assert "4 sentences" in str(whole[3])
    assert opened


def test_warnings_of_rules_come_once_and_not_beside_an_error(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where a block cannot be compared, the whole files are, and their rules are installed again."""
    tree = "(S (A a) (B b) (C c))\n"
    (tmp_path / "x.prm").write_text("DISC_ONLY 1\n")
    for name, text in (("gold", tree * 8), ("shorter", tree * 6), ("damaged", tree * 7 + "(S (A a)\n")):
        (tmp_path / f"{name}.mrg").write_text(text)
    for name, times in (("gold", 1), ("shorter", 1), ("damaged", 0)):
        given: dict[str, Any] = {"gold": tmp_path / "gold.mrg", "systems": [tmp_path / f"{name}.mrg"]}
        given |= {"metric": "evalb", "rules": tmp_path / "x.prm"}
        for least in (0, NEVER):
            monkeypatch.setattr(evaluate, "MIN_BYTES", least)
            with heard() as said, suppress(TreesqlError):
                treesql.score("constituency", **given)
            assert sum("DISC_ONLY" in one for one in said) == times, (name, least)
    assert opened


def test_words_are_counted_in_all_sentences(opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The frequency of a word is that in the whole text, which is read once more before."""
    reference, system = tmp_path / "reference.txt", tmp_path / "system.txt"
    reference.write_text("a b c a\na b\na\nb c\n" * 4)
    system.write_text("a b c\na c\nb\nb c\n" * 4)
    given: dict[str, Any] = {"reference": reference, "systems": [system], "metric": "edit_operations"}
    found = told(monkeypatch, 0, "translation", **given, by="frequency")
    assert opened
    assert [(row["frequency"], row["reference_words"]) for row in found[1]] == [(8, 16), (12, 20)]  # type: ignore[attr-defined]
