"""Discontinuous trees that are written and read again, in every format, and what a format cannot hold."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.errors import InvalidInput, TreesqlWarning

FORMS = ("discbracket", "export", "tigerxml")
COLUMNS = {
    "words": "sentence, word, form, xpos, misc, phrase",
    "constituents": "sentence, node, parent, label, functions, first, last, depth, continuous",
    "secondary_edges": "sentence, word, node, parent, label",
}


def rows(db: treesql.Database, corpus: str, *tables: str) -> list[Any]:
    return [
        db.sql(f"SELECT {COLUMNS[name]} FROM {name} WHERE corpus = '{corpus}' ORDER BY ALL").rows()
        for name in tables or COLUMNS
    ]


def random_file(rng: random.Random) -> str:
    """A file of export with functions, gaps, several roots, secondary edges and awkward words."""
    lines = ["#FORMAT 4"]
    for number in range(1, 6):
        n = rng.randint(0, 5)
        above = {500 + at: rng.choice([0, *range(500, 500 + at)]) for at in range(n)}
        parents = [rng.choice([0, *above]) for _ in range(rng.randint(0, 6))] + list(above)
        rng.shuffle(parents)

        def tail(parents: dict[int, int] = above) -> str:
            edges = [f"\tE{at}\t{rng.choice(list(parents))}" for at in range(rng.choice([0, 0, 0, 2])) if parents]
            return "".join(dict.fromkeys(edges))

        lines.append(f"#BOS {number} 1 2 3 %% sentence {number}")
        for parent in parents:
            word = rng.choice(["a", "#5", "=", "0=a", "(", ")", "&amp;", '"<', "é漢", "-", "'"])
            function = rng.choice(["--", "HD", "X-Y", "SB"])
            lines.append(f"{word}\t--\tT\t--\t{function}\t{parent}{tail()}")
        for name, parent in above.items():
            label, function = rng.choice(["S", "NP", "ROOT", "VROOT"]), rng.choice(["--", "OA"])
            lines.append(f"#{name}\t--\t{label}\t--\t{function}\t{parent}{tail()}")
        lines.append(f"#EOS {number}")
    return "\n".join(lines) + "\n"


@pytest.mark.spread(8)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_the_same_rows_come_back(tmp_path: Path, seed: int, form: str) -> None:
    path, out, again = (tmp_path / name for name in ("in.export", f"out.{form}", f"again.{form}"))
    path.write_text(random_file(random.Random(seed)), "utf-8")
    with treesql.connect() as db:
        db.load(path, corpus="a")
        db.export(out, corpus="a", to=form)
        db.load(out, corpus="b", format=form)
        tables = ("words", "constituents") if form == "discbracket" else tuple(COLUMNS)
        assert rows(db, "a", *tables) == rows(db, "b", *tables)
        db.export(again, corpus="b", to=form)
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        "(S (VP (V 0=is) (A 2=it)) (N 1=that))\n(A 0=a)\n",
        "(ROOT (S 0=a 1=b))\t%% comment\n(())\n",
        "(ROOT (A 0=a) (B 1=b))\n",
        "(())\n(())\n",
    ],
)
def test_discbracket_comes_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.discbracket").write_text(text)
    with treesql.connect() as db:
        db.load(tmp_path / "a.discbracket", corpus="a")
        db.export(tmp_path / "b.discbracket")
    assert (tmp_path / "b.discbracket").read_text() == text


def test_version_3_of_export_comes_back_byte_for_byte(tmp_path: Path) -> None:
    text = "#FORMAT 3\n%% comment\n#BOT ORIGIN\n0\ta.txt\n#EOT ORIGIN\n#BOS 7 1 9 0\n"
    text += "water\tNN\tSg\tSB\t500\tOA\t500\n#500\tS\t--\t--\t0\n#EOS 7\n%% between\n#BOS 8 1 9 0\n#EOS 8\n"
    (tmp_path / "a.export").write_text(text)
    with treesql.connect() as db:
        db.load(tmp_path / "a.export", corpus="a")
        db.export(tmp_path / "b.export")
    assert (tmp_path / "b.export").read_text() == text


def test_secondary_edges_and_attributes_come_back(tmp_path: Path) -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "coordination.tigerxml", corpus="a")
        for form in ("tigerxml", "export"):
            db.export(tmp_path / f"b.{form}", corpus="a")
            db.load(tmp_path / f"b.{form}", corpus=form)
            assert rows(db, "a", "secondary_edges") == rows(db, form, "secondary_edges")
        assert rows(db, "a") == rows(db, "tigerxml")
        with pytest.warns(TreesqlWarning, match="no place for 1 secondary edge of the corpus"):
            db.export(tmp_path / "b.discbracket", corpus="a")


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("sql", "form", "what"),
    [
        ("UPDATE words SET form = 'a b' WHERE sentence = 0 AND word = 1", "discbracket", "has a blank in it"),
        (
            "UPDATE words SET form = '#LRB#' WHERE sentence = 0 AND word = 1",
            "discbracket",
            "bracket written in letters",
        ),
        ("UPDATE words SET xpos = 'A-B' WHERE sentence = 0 AND word = 1", "discbracket", "the part of speech `A-B`"),
        ("UPDATE constituents SET label = 'A-B' WHERE sentence = 0 AND node = 1", "discbracket", "has the label `A-B`"),
        ("UPDATE words SET form = 'a b' WHERE sentence = 0 AND word = 1", "export", "word 1 has a blank"),
        ("UPDATE words SET lemma = '--' WHERE sentence = 0 AND word = 1", "export", "the mark of open values"),
        ("UPDATE words SET form = '#500' WHERE sentence = 0 AND word = 1", "export", "word 1 has a blank"),
        ("UPDATE words SET form = chr(1) WHERE sentence = 0 AND word = 1", "tigerxml", "XML or TIGER-XML cannot hold"),
        ("UPDATE words SET misc = 'a=1|a=2' WHERE sentence = 0 AND word = 1", "tigerxml", "TIGER-XML cannot hold"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, sql: str, form: str, what: str) -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "discontinuous.export", corpus="a")
        db.sql(sql)
        with pytest.raises(InvalidInput, match=what):
            db.export(tmp_path / f"out.{form}")
    assert not list(tmp_path.iterdir())


def test_more_phrases_than_export_has_numbers_for(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("(S " * 501 + "(A a)" + ")" * 501 + "\n")
    with treesql.connect() as db:
        db.load(tmp_path / "a.mrg", corpus="a")
        with pytest.raises(InvalidInput, match="501 phrases, where 500 can have numbers"):
            db.export(tmp_path / "b.export")
