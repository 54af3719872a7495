"""Compiled scanners against those of NumPy: large files have the same rows, warnings and faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import FIXTURES
from tests.readers.files import CONLLU
from treesql import readers
from treesql.errors import InvalidInput
from treesql.kernels import compiled_text, compiled_trees, text, trees
from treesql.readers.source import Source

FINDINGS = Path(__file__).parent.parent / "robustness" / "findings"


def read(path: Path, *, large: bool) -> object:
    """What a file gives: its rows, and its warnings or faults."""
    state = readers.State()
    rows: list[dict[str, object]] = []
    try:
        batches = readers.read(Source(str(path), large=large), readers.CONLLU, state, readers.Options())
        rows += [{name: one.to_pylist() for name, one in batch.items()} for batch in batches]
    except InvalidInput as error:
        return str(error)
    return rows, [str(warning) for warning in state.warnings], state.characters


@pytest.mark.parametrize(
    "path", [*FIXTURES.glob("*.conllu"), *sorted(FINDINGS.glob("conllu-*"))], ids=lambda path: path.name
)
def test_files_of_any_size_are_read_alike(path: Path) -> None:
    assert read(path, large=True) == read(path, large=False)


def test_all_kinds_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "full.conllu"
    path.write_text(CONLLU.replace("s1", "a long name of a sentence"), "utf-8")
    assert read(path, large=True) == read(path, large=False)


def test_repeated_features(tmp_path: Path) -> None:
    """Names that are prefixes of others are no repetition; many features are compared elsewhere."""
    path = tmp_path / "features.conllu"
    many = "|".join(f"F{n}=x" for n in range(70))
    feats = ["A=1|B=1", "A=1|A=2", "A=1|AB=1", "A|A=2", many, f"{many}|F3=y", "_"]
    path.write_text(
        "".join(f"# sent_id = {n}\n1\ta\ta\tX\t_\t{one}\t0\troot\t_\t_\n\n" for n, one in enumerate(feats)), "utf-8"
    )
    found = read(path, large=True)
    assert found == read(path, large=False)
    assert "3 sentences with a repeated feature in FEATS: 1, 3, 5" in found[1][0]  # type: ignore[index]


def test_scanners_agree() -> None:
    signs = np.array(list("\t\n _#=|:.-059a\u00a0\u1680\u2000\u202f\u3000\u200bé漢😀"))
    rng = np.random.default_rng(7)
    for _ in range(200):
        drawn = rng.choice(signs, 30)
        raw = np.frombuffer("".join(drawn).encode(), np.uint8)
        places = np.cumsum([0, *(len(sign.encode()) for sign in drawn)])
        ends = np.sort(rng.choice(len(places), 9))
        starts, lengths = places[ends[:-1]], np.diff(places[ends])
        windows = text.windows(raw)
        views = text.string_views(windows, starts, lengths)
        for name, given in (
            ("string_views", (windows, starts, lengths)),
            ("integers", (raw, starts, lengths)),
            ("find_byte", (raw, ord(":"), starts, lengths)),
            ("split", (raw, ord("|"), starts, lengths)),
            ("starts_with", (windows, b"=", starts, lengths)),
            ("trim", (raw, starts, lengths)),
            ("character_widths", (raw, starts, lengths, views)),
        ):
            expected, found = getattr(text, name)(*given), getattr(compiled_text, name)(*given)
            np.testing.assert_equal(found, expected, err_msg=f"{name}: {drawn.tolist()}")


def test_tree_indices_agree() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        parents: list[int] = []
        offsets = [0]
        for n in rng.integers(1, 10, 3).tolist():
            order = rng.permutation(n) + len(parents)
            heads = {word: -1 if rng.random() < 0.1 or not at else int(order[rng.integers(0, at)])
                     for at, word in enumerate(order.tolist())}  # fmt: skip
            parents += [heads[word] for word in sorted(heads)]
            offsets.append(len(parents))
        given = np.array(parents), np.array(offsets)
        rounds = trees.ancestor_jumps(given[0], 9).rounds
        for expected, found in zip(trees.index_trees(*given, rounds), compiled_trees.index_trees(*given), strict=True):
            np.testing.assert_array_equal(found, expected)
