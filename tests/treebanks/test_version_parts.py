"""treesql diff beyond words: multiword tokens, empty nodes, comments, further columns, values that look the same."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import treesql
from tests.house.rules import in_turn

OLD = """\
# newdoc id = d1
# sent_id = s1
# text = Ils vont au parc du coin
# reviewed = no
1	Ils	il	PRON	_	_	2	nsubj	2:nsubj	_
2	vont	aller	VERB	_	_	0	root	0:root	_
3-4	au	_	_	_	_	_	_	_	SpaceAfter=No
3	à	à	ADP	_	_	5	case	5:case	_
4	le	le	DET	_	_	5	det	5:det	_
5	parc	parc	NOUN	_	_	2	obl	2:obl	_
5.1	quel	quel	DET	_	_	_	_	5:det	_
5.2	grand	grand	ADJ	_	_	_	_	5:amod	_
6-7	du	_	_	_	_	_	_	_	_
6	de	de	ADP	_	_	8	case	8:case	_
7	le	le	DET	_	_	8	det	8:det|5.2:dep	_
8	coin	coin	NOUN	_	_	5	nmod	5:nmod	Gloss=corner

# sent_id = s2
# text = Non
1	Non	non	INTJ	_	_	0	root	0:root	Gloss=no

"""

HEADER = "# global.columns = ID FORM HEAD PARSEME:MWE\n"

PLUS = """\
# sent_id = p
1-2	don't	_	*
1	do	0	1:VID
2	not	1	1
2.1	go	_	*

"""


Change: TypeAlias = tuple[Any, ...]
"""Column, old and new value."""


def versions(folder: Path, *texts: str, ending: str = "conllu") -> list[Path]:
    paths = [folder / f"{name}.{ending}" for name in ("old", "new")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    return paths


def listed(folder: Path, old: str, new: str, **how: Any) -> list[Change]:
    """Every change."""
    rows = treesql.diff(*versions(folder, old, new), list=True, **how).rows()
    return [(row["column"], row["old"], row["new"]) for row in rows]


def joined_versions(folder: Path, *pairs: tuple[str, str], ending: str = "conllu", header: str = "") -> list[Path]:
    """Two files with the old and the new texts of all pairs, whose sent_ids begin with the number of the pair."""
    joined = (
        "".join(text.replace("# sent_id = ", f"# sent_id = {at}-") for at, text in enumerate(texts))
        for texts in zip(*pairs, strict=True)
    )
    return versions(folder, *(header + text for text in joined), ending=ending)


def listed_apart(
    folder: Path, *pairs: tuple[str, str], ending: str = "conllu", header: str = "", **how: Any
) -> list[list[Change]]:
    """What `listed` returns of each pair of texts, of one comparison of all."""
    found: list[list[Change]] = [[] for _ in pairs]
    joined = joined_versions(folder, *pairs, ending=ending, header=header)
    for row in treesql.diff(*joined, list=True, **how).rows():
        found[int(row["sent_id"].partition("-")[0])].append((row["column"], row["old"], row["new"]))
    return found


def without(text: str, *starts: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(starts))


CHANGES = {
    "a range goes": (without(OLD, "3-4"), [("range", "3-4 au", None)]),
    "MISC of a range": (OLD.replace("SpaceAfter=No", "_"), [("range_misc", "SpaceAfter=No", "_")]),
    "form of a range": (OLD.replace("\tdu\t", "\tDU\t"), [("range_form", "du", "DU")]),
    "FEATS of a range": (
        OLD.replace("6-7\tdu\t_\t_\t_\t_", "6-7\tdu\t_\t_\t_\tTypo=Yes"), [("range_feats", "_", "Typo=Yes")]
    ),
    "words of a range": (OLD.replace("6-7\t", "6-8\t"), [("range_words", "6-7", "6-8")]),
    "text": (OLD.replace("# text = Non", "# text = Non!"), [("text", "Non", "Non!")]),
    "no text": (without(OLD, "# text = Non"), [("text", "Non", "_")]),
    "a document goes": (without(OLD, "# newdoc"), [("newdoc", "# newdoc id = d1", "_")]),
    "a document's id": (OLD.replace(" id = d1", ""), [("newdoc", "# newdoc id = d1", "# newdoc")]),
    "a paragraph begins": (OLD.replace("# sent_id = s2", "# newpar\n# sent_id = s2"), [("newpar", "_", "# newpar")]),
    "MISC of a word": (OLD.replace("Gloss=corner", "_"), [("misc", "Gloss=corner", "_")]),
    "lemma of an empty node": (OLD.replace("quel\tquel\tDET", "quel\tquoi\tDET"), [("empty_lemma", "quel", "quoi")]),
    "DEPS of an empty node": (OLD.replace("5:amod", "8:amod"), [("empty_deps", "5:amod", "8:amod")]),
    "an empty node goes": (without(OLD, "5.1").replace("5.2", "5.1"), [("empty_node", "5.1 quel", None)]),
    "an empty node comes": (
        OLD.replace("1\tNon", "0.1\toh\toh\tINTJ\t_\t_\t_\t_\t1:dep\t_\n1\tNon"), [("empty_node", None, "0.1 oh")]
    ),
    "DEPS to another empty node": (OLD.replace("5.2:dep", "5.1:dep"), [("deps", "5.2:dep|8:det", "5.1:dep|8:det")]),
}  # fmt: skip


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[Change]]]:
    """What is listed of each of CHANGES: forwards, backwards, and of the old version with itself."""
    folder = tmp_path_factory.mktemp("changes")
    news = [new for new, _ in CHANGES.values()]
    forwards, backwards, nothing = (
        listed_apart(folder, *pairs)
        for pairs in ([(OLD, new) for new in news], [(new, OLD) for new in news], [(OLD, OLD) for _ in news])
    )
    return {what: list(lists) for what, *lists in zip(CHANGES, forwards, backwards, nothing, strict=True)}


@in_turn("what", CHANGES)
def test_a_change_is_listed_by_what_it_is(changes: dict[str, list[list[Change]]], what: str) -> None:
    found, back, nothing = changes[what]
    assert [(column, *(_sorted(value) for value in values)) for column, *values in found] == CHANGES[what][1]
    assert len(back) == 1
    assert nothing == []


def test_a_change_is_counted_by_what_it_is(tmp_path: Path) -> None:
    """Each alone, in sentences of which one has changed and one has not."""
    joined = joined_versions(tmp_path, *((OLD, new) for new, _ in CHANGES.values()))
    rows = {row["column"]: row for row in treesql.diff(*joined).rows()}
    assert (rows["sentence"]["changed"], rows["sentence"]["same"]) == (len(CHANGES), len(CHANGES))
    counted = {
        column: row["changed"] + (row["only_old"] or 0) + (row["only_new"] or 0)
        for column, row in rows.items()
        if column != "sentence"
    }
    expected = Counter(column for _, listed in CHANGES.values() for column, *_ in listed)
    units = Counter({"word": 2, "range": 5, "empty_node": 4})  # with those of which a column has changed
    assert {column: count for column, count in counted.items() if count} == expected | units


def _sorted(deps: str | None) -> str | None:
    return "|".join(sorted(deps.split("|"))) if deps and ":" in deps else deps


def test_what_both_versions_have_is_counted(tmp_path: Path) -> None:
    rows = {row["column"]: (row["same"], row["changed"]) for row in treesql.diff(*versions(tmp_path, OLD, OLD)).rows()}
    assert (rows["text"], rows["newdoc"], rows["newpar"]) == ((2, 0), (1, 0), (0, 0))
    assert rows["range"] == rows["range_words"] == rows["range_form"] == (2, 0)
    assert rows["range_misc"] == (1, 0)
    assert rows["empty_node"] == rows["empty_deps"] == (2, 0)
    assert rows.keys().isdisjoint({"range_lemma", "empty_feats", "comments"})


def test_shifted_ranges_and_nodes_are_no_change(tmp_path: Path) -> None:
    """A word more at the beginning moves all positions."""
    new = [
        "# newdoc id = d1", "# sent_id = s1", "# text = Ils vont au parc du coin", "1 Oui oui INTJ _ _ 3 dep 3:dep _",
        "2 Ils il PRON _ _ 3 nsubj 3:nsubj _", "3 vont aller VERB _ _ 0 root 0:root _",
        "4-5 au _ _ _ _ _ _ _ SpaceAfter=No",
        "4 à à ADP _ _ 6 case 6:case _", "5 le le DET _ _ 6 det 6:det _", "6 parc parc NOUN _ _ 3 obl 3:obl _",
        "6.1 quel quel DET _ _ _ _ 6:det _", "6.2 grand grand ADJ _ _ _ _ 6:amod _", "7-8 du _ _ _ _ _ _ _ _",
        "7 de de ADP _ _ 9 case 9:case _", "8 le le DET _ _ 9 det 9:det|6.2:dep _",
        "9 coin coin NOUN _ _ 6 nmod 6:nmod Gloss=corner", "",
    ]  # fmt: skip
    text = "".join(line if line.startswith("#") else line.replace(" ", "\t") for line in (f"{one}\n" for one in new))
    found = listed(tmp_path, OLD, text + OLD[OLD.index("# sent_id = s2") :])
    assert found == [("word", None, "Oui")]


def test_ranges_around_other_words_correspond(tmp_path: Path) -> None:
    """A range whose words were split in another way is the same token; one that became two is one and another."""
    span = "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n"
    words = ["1\tvamos\t_\t_\t_\t_\t0\troot\t_\t_\n", "2\tnos\t_\t_\t_\t_\t1\tobj\t_\t_\n", "\n"]
    old = "# sent_id = a\n" + span.format("1-2", "vámonos") + "".join(words)
    three = [f"{at}\tw{at}\t_\t_\t_\t_\t{at - 1}\tdep\t_\t_\n" for at in (1, 2, 3, 4)]
    one = "# sent_id = a\n" + span.format("1-4", "all") + "".join(three) + "\n"
    two = "# sent_id = a\n" + span.format("1-2", "all") + "".join(three[:2]) + span.format("3-4", "x") + "".join(three[2:]) + "\n"  # fmt: skip  # noqa: E501
    split, divided = listed_apart(tmp_path, (old, old.replace("vamos", "vámo")), (one, two))
    assert [column for column, *_ in split] == ["form"]
    assert divided == [("range_words", "1-4", "1-2"), ("range", None, "3-4 x")]


@pytest.mark.thorough
def test_other_comments_are_compared_by_option(tmp_path: Path, run: Any) -> None:
    new = OLD.replace("# reviewed = no", "# reviewed = yes\n# by = me")
    swapped = OLD.replace("# reviewed = no\n", "").replace("# sent_id = s1", "# reviewed = no\n# sent_id = s1")
    both = [(OLD, new), (OLD, swapped)]
    assert listed_apart(tmp_path, *both) == [[], []]
    assert listed_apart(tmp_path, *both, comments=True) == listed_apart(tmp_path, *both, column="comments") == [
        [("comments", "# reviewed = no", "# reviewed = yes | # by = me")],
        [("comments", "# sent_id = 1-s1 | # reviewed = no", "# reviewed = no | # sent_id = 1-s1")],
    ]  # fmt: skip
    renamed = OLD.replace("s1", "t1").replace("s2", "t2")
    assert listed(tmp_path, OLD, renamed, comments=True, match="text") == []
    files = [str(path) for path in versions(tmp_path, OLD, new)]
    assert run("diff", *files, "--list").out.splitlines()[-1] == (
        "Comments other than text, newdoc and newpar are not compared; --comments compares them."
    )
    counted = run("diff", *files, "--comments").out
    assert [line.split()[1:3] for line in counted.splitlines() if line.split()[:1] == ["comments"]] == [["1", "1"]]
    for out in (
        counted,
        *(run("diff", *files, *more).out for more in (["--format", "csv"], ["--column", "upos", "--list"])),
    ):
        assert "not compared" not in out


def test_columns_of_conllu_plus(tmp_path: Path) -> None:
    changes = {
        "1:VID": [("further_columns", "PARSEME:MWE=1:VID", "PARSEME:MWE=2:IAV")],
        "don't\t_\t*": [("range_further_columns", "PARSEME:MWE=*", "PARSEME:MWE=1")],
        "go\t_\t*": [("empty_further_columns", "PARSEME:MWE=*", "PARSEME:MWE=1")],
    }
    news = [PLUS.replace(old, "2:IAV" if old == "1:VID" else f"{old[:-1]}1") for old in changes]
    found = listed_apart(tmp_path, *((PLUS, new) for new in [*news, PLUS]), ending="conllup", header=HEADER)
    assert found == [*changes.values(), []]


INVISIBLE = [
    ("26\u00a0000", "26 000", (r"26\u00a0000", "26 000")),
    ("a", "a\u200b", ("a", r"a\u200b")),
    ("caf\u00e9", "cafe\u0301", (r"caf\u00e9", r"cafe\u0301")),  # composed and decomposed
    ("\u2764", "\u2764\ufe0f", ("\u2764", r"\u2764\ufe0f".replace(r"\u2764", "\u2764"))),  # a variation selector
    (r"26\u00a0000", "26\u00a0000", (r"26\u005cu00a0000", r"26\u00a0000")),  # what looks like a mark
    ("می\u200cرود", "می\u200cخورد", ("می\u200cرود", "می\u200cخورد")),  # both have it: other letters
    ("caf\u00e9", "cafe", ("caf\u00e9", "cafe")),
]

BLANKS = [
    ("a  b", "a b", (r"a \u0020b", "a b")),
    ("a   b", "a b", (r"a \u0020 b", "a b")),
    ("a\tb", "a b", (r"a\u0009b", "a b")),
    ("a b.", "a b .", ("a b.", "a b .")),
    ("a\u00a0b c", "a b d", (r"a\u00a0b c", "a b d")),  # beside another change
]

PAIRS = [
    *(tuple(f"# sent_id = s\n1\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for form in pair[:2]) for pair in INVISIBLE),
    *(
        tuple(f"# sent_id = s\n# text = {text}\n1\tx\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for text in pair[:2])
        for pair in BLANKS
    ),
]
"""Sentences with these forms and texts."""


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[Change]]:
    """What is listed, by old and new value."""
    found = listed_apart(tmp_path_factory.mktemp("alike"), *PAIRS)
    return {(old, new): changes for (old, new, _), changes in zip(INVISIBLE + BLANKS, found, strict=True)}


@in_turn(("old", "new", "shown"), INVISIBLE)
def test_a_difference_that_is_invisible_is_shown(
    alike: dict[tuple[str, str], list[Change]], old: str, new: str, shown: tuple[str, str]
) -> None:
    assert alike[old, new] == [("form", *shown)]


def test_it_is_shown_where_changes_are_counted(tmp_path: Path) -> None:
    rows = treesql.diff(*joined_versions(tmp_path, *PAIRS[: len(INVISIBLE)]), changes=True).rows()
    assert sorted((row["old"], row["new"]) for row in rows) == sorted(shown for _, _, shown in INVISIBLE)


@pytest.mark.parametrize(("old", "new", "shown"), BLANKS)
def test_blanks_of_a_text(
    alike: dict[tuple[str, str], list[Change]], old: str, new: str, shown: tuple[str, str]
) -> None:
    assert alike[old, new] == [("text", *shown)]


def test_blanks_at_the_edges() -> None:
    with treesql.connect(":memory:") as db:
        [row] = db.sql("SELECT marked_text(' a', 'a ') AS one, marked_text('a ', ' a') AS other").rows()
    assert row == {"one": r"\u0020a", "other": r"a\u0020"}


def test_grouped_counts_are_of_words(tmp_path: Path) -> None:
    rows = treesql.diff(*versions(tmp_path, OLD, without(OLD, "3-4")), by="upos").rows()
    assert {row["column"] for row in rows} == {
        "word", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"
    }  # fmt: skip
