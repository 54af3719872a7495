"""Newick trees: every column on a small file, odd but valid trees, random trees and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import columns, read_rows
from treesql.readers import Options
from treesql.readers.source import CHUNK_BYTES

Tree = tuple[str, Any]
"""A label with the trees below it, or a name with None."""


def test_every_column() -> None:
    path = FIXTURES / "trees.nwk"
    tables = read_rows(path, "newick")
    assert columns(tables["sentences"]) == {
        "sentence": [0, 1, 2],
        "comments": [[]] * 3,
        "file": [str(path)] * 3,
        "line": [1, 2, 3],
        "n_words": [6, 4, 6],
    }
    words = columns(tables["words"])
    assert words["form"][:6] == ["raccoon", "bear", "sea_lion", "seal", "maple tree", "cat's cradle"]
    assert words["form"][-3:] == ["plover", "snipe", "sand piper"]
    assert words["phrase"] == [2, 2, 4, 4, 5, 5, 1, 1, 1, 1, 3, 3, 2, 4, 5, 5]
    assert words["span_end"][:6] == [7, 11, 19, 23, 32, 43]
    assert words["line"] == [1] * 6 + [2] * 4 + [3] * 6
    assert "xpos" not in words
    assert columns(tables["constituents"]) == {
        "sentence": [0] * 5 + [1] + [2] * 5,
        "node": [1, 2, 3, 4, 5, 1, 1, 2, 3, 4, 5],
        "parent": [None, 1, 1, 3, 3, None, None, 1, 2, 1, 4],
        "label": [None, "caniforms", None, None, None, None, "shorebirds", "80", "95", "65", "70"],
        "first": [1, 1, 3, 3, 5, 1, 1, 1, 1, 4, 5],
        "last": [6, 2, 6, 4, 6, 4, 6, 3, 2, 6, 6],
        "depth": [1, 2, 2, 3, 3, 1, 1, 2, 3, 2, 3],
        "continuous": [True] * 11,
    }


@in_turn(
    ("text", "lines"),
    [
        ("(a,b);", ["(a,b);"]),
        ("a;", ["a;"]),
        (";", [";"]),
        ("(a,b);(c,d);\n\n(e,f)\n;", ["(a,b);", "(c,d);", "(e,f);"]),
        ("((a));", ["((a));"]),
        ("( a ,\n b ) x : 1e-3 ;", ["(a,b)x;"]),
        ("(a:1,b:-2.5E+3):0;", ["(a,b);"]),
        ("[&R] (a[one [in] another],b[;])[x]y[z]:[w]3;", ["(a,b)y;"]),
        ("('a b','it''s','''',';',':[(,',a_b);", ["('a b','it''s','''',';',':[(,',a_b);"]),
        ("('a',b)'';", ["(a,b);"]),
        ("(Übung,漢😀)'é è';", ["(Übung,漢😀)'é è';"]),
        ('("a",{b},c-d.e/f);', ['("a",{b},c-d.e/f);']),
    ],
)
@in_turn("size", [CHUNK_BYTES, 3])
def test_odd_but_valid(scratch: Path, text: str, lines: list[str], size: int) -> None:
    scratch.write_text(text, "utf-8")
    assert _lines(read_rows(scratch, "newick", size=size)) == lines


def _lines(tables: dict[str, list[dict[str, Any]]]) -> list[str]:
    def below(sentence: int, node: int | None) -> list[str]:
        nodes = [
            (row["first"], f"({','.join(below(sentence, row['node']))}){_name(row['label'] or '')}")
            for row in tables.get("constituents", [])
            if (row["sentence"], row["parent"]) == (sentence, node)
        ]
        words = [
            (row["word"], _name(row["form"]))
            for row in tables["words"]
            if (row["sentence"], row["phrase"]) == (sentence, node)
        ]
        return [text for _, text in sorted(nodes + words)]

    return ["".join(below(row["sentence"], None)) + ";" for row in tables["sentences"]]


def _name(name: str) -> str:
    quoted = "'" + name.replace("'", "''") + "'"
    return quoted if any(sign in name for sign in " \t()[]:;,'") else name


names = st.text("ab '(),:;[]_é漢", min_size=1, max_size=5)
lengths = st.sampled_from(["", ":1", ":0.25", " : -1e-3 ", "[c]:[d;]2"])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """A tree with lengths, blanks and comments, and the same as the writer has it."""
    used: set[str] = set()

    def tree(depth: int) -> tuple[str, str]:
        if depth == 5 or (depth and draw(st.booleans())):
            name = _name(draw(names.filter(lambda name: name not in used)))
            used.add(name if name[0] != "'" else name[1:-1].replace("''", "'"))
            return name + draw(lengths), name
        below = [tree(depth + 1) for _ in range(draw(st.integers(1, 3)))]
        label = _name(draw(names)) if draw(st.booleans()) else ""
        parts, plain = zip(*below, strict=True)
        gap = draw(st.sampled_from(["", " ", "\n", "[x]"]))
        return f"({gap}{(gap + ',').join(parts)}{gap}){label}{draw(lengths)}", f"({','.join(plain)}){label}"

    written, plain = tree(0)
    return written + ";", plain + ";"


@given(st.lists(texts(), min_size=1, max_size=4), st.sampled_from([CHUNK_BYTES, 20, 5]))
def test_random_trees(scratch: Path, trees: list[tuple[str, str]], size: int) -> None:
    scratch.write_text("\n".join(text for text, _ in trees), "utf-8")
    assert _lines(read_rows(scratch, "newick", size=size)) == [plain for _, plain in trees]


def test_only_what_is_wanted() -> None:
    options = Options(columns={"constituents": frozenset({"label"})})
    tables = read_rows(FIXTURES / "trees.nwk", "newick", options=options)
    assert list(tables["constituents"][0]) == ["sentence", "node", "label"]
