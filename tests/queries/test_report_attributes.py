"""Attributes that reports group by: links of a word, occurrences of a word, sizes of lattices; worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_links_by_distance_gold_link_and_fertility(tmp_path: Path) -> None:
    how = {
        "gold": write(tmp_path / "gold.pharaoh", "0-0 0-1 1p2 3-0\n"),
        "systems": {"a": write(tmp_path / "a.pharaoh", "0-0 1-2 2-2\n")},
    }
    by = treesql.score("alignment", by="gold_link", metric="agreement", **how).rows()
    assert {row["gold_link"]: (row["proposed"], row["sure"], row["possible"]) for row in by} == {
        "sure": (1, 3, 3), "possible": (1, 0, 1), "none": (1, 0, 0),
    }  # fmt: skip
    by = treesql.score("alignment", by="distance", metric="agreement", **how).rows()
    assert {row["distance"]: (row["proposed"], row["possible"]) for row in by} == {
        -3: (0, 1), 0: (2, 1), 1: (1, 2),
    }  # fmt: skip
    by = treesql.score("alignment", by="fertility", metric="agreement", **how).rows()
    assert {row["fertility"]: (row["proposed"], row["possible"]) for row in by} == {
        2: (1, 2), 1: (1, 2), None: (1, 0),
    }  # fmt: skip


def test_links_by_attributes_of_their_words(tmp_path: Path) -> None:
    tagged = [(1, "the", "DET"), (2, "cat", "NOUN"), (3, "sees", "VERB"), (4, "the", "DET"), (5, "dog", "NOUN")]
    rows = "".join(f"{n}\t{form}\t_\t{upos}\t_\t_\t{3 * (n != 3)}\tdep\t_\t_\n" for n, form, upos in tagged)
    source = write(tmp_path / "source.conllu", rows + "\n")
    target = write(tmp_path / "target.txt", "die Katze sieht den Hund\n")
    links = {
        "gold": write(tmp_path / "gold.pharaoh", "0-0 1-1 2-2 3p3 4-4\n"),
        "systems": {"a": write(tmp_path / "a.pharaoh", "0-0 1-2 2-2 4-4\n")},
        "metric": "agreement",
    }
    how = {**links, "source": source, "target": target}
    by_tag = treesql.score("alignment", by="source_upos", **how)
    assert {row["source_upos"]: (row["proposed"], row["sure"], row["aer"]) for row in by_tag.rows()} == {
        "DET": (1, 1, 0.0), "NOUN": (2, 2, 0.5), "VERB": (1, 1, 0.0),
    }  # fmt: skip
    assert "|source:source.conllu@" in by_tag.signature
    assert "|target:" not in by_tag.signature
    by = treesql.score("alignment", by="source_frequency,target_form", where="source_upos = 'DET'", **how).rows()
    assert [(row["source_frequency"], row["target_form"], row["possible"]) for row in by] == [
        (2, "den", 1),
        (2, "die", 1),
    ]
    with pytest.raises(treesql.UsageError, match=r"source_upos is of the source words, and no corpus .* source="):
        treesql.score("alignment", by="source_upos", **links)

    with pytest.warns(treesql.TreesqlWarning, match="only 1 sentence"):
        report = treesql.report("alignment", seed=1, sentences=1, **how)
    buckets = {(row["column"], row["value"]): row["score"] for row in report.tables["buckets"].rows()}
    assert buckets["source_upos", "NOUN"] == 0.5
    assert ("source_frequency/log", "2") in buckets
    assert "target_upos" not in {column for column, _ in buckets}  # the text has no tags

    with treesql.connect() as db:
        db.load(source, corpus="en")
        db.load(target, corpus="de")
        db.load(links["gold"], corpus="gold", source_corpus="en", target_corpus="de")
        db.load(links["systems"]["a"], corpus="a")
        loaded = db.score("alignment", gold="gold", systems=["a"], by="source_upos", metric="agreement")
        assert loaded.rows() == by_tag.rows()
        named = db.score("agreement", gold_corpus="gold", system_corpus="a", source_words_corpus="en", by="source_upos")
        assert named.rows() == [{name: row[name] for name in row if name != "system"} for row in by_tag.rows()]
        with pytest.raises(treesql.UnknownName, match="unknown corpus 'fr'"):
            db.score("agreement", gold_corpus="gold", system_corpus="a", source_words_corpus="fr", by="source_upos")


def test_words_by_their_occurrences(tmp_path: Path) -> None:
    how = {
        "reference": write(tmp_path / "r.txt", "a b a\na c\n"),
        "systems": {"h": write(tmp_path / "h.txt", "a b b\nc\n")},
    }
    by = treesql.score("translation", by="reference_frequency", metric="edit_operations", **how).rows()
    assert {row["reference_frequency"]: (row["reference_words"], row["wer"]) for row in by} == {
        1: (2, 0.0), 3: (3, 2 / 3),
    }  # fmt: skip
    by = treesql.score("translation", by="frequency", metric="edit_operations", **how).rows()
    assert {row["frequency"]: row["reference_words"] for row in by} == {1: 4, 2: 1}


def test_lattices_by_their_size(tmp_path: Path) -> None:
    lattice = "((('a',0,1),('b',0,1),),(('c',0,1),),)\n((('a',0,1),),)\n"
    how = {
        "reference": write(tmp_path / "r.txt", "a c\nb\n"),
        "systems": {"l": write(tmp_path / "l.plf", lattice)},
    }
    by = treesql.score("lattice", by="lattice_nodes,lattice_edges,lattice_density", metric="ger", **how).rows()
    assert [tuple(row.values())[1:] for row in by] == [(2, 1, 0.5, 1), (3, 3, 1.0, 0)]


def test_brackets_by_their_words(tmp_path: Path) -> None:
    tree = "(S (NP (D the) (N cat)) (VP (V sat)))\n"
    how = {
        "gold": write(tmp_path / "g.mrg", tree),
        "systems": {"s": write(tmp_path / "s.mrg", tree.replace("NP", "XP"))},
    }
    by = treesql.score("constituency", by="span_length", metric="evalb", **how).rows()
    found = {row["span_length"]: (row["gold"], row["test"], row["matched"]) for row in by}
    assert found == {3: (1, 1, 1), 2: (1, 1, 0), 1: (1, 1, 1), None: (0, 0, 0)}


def test_labels_of_brackets_with_the_same_words(tmp_path: Path) -> None:
    how = {
        "gold": write(tmp_path / "g.mrg", "(S (NP (NP (D the) (N cat))) (VP (V sat) (PP (P on) (N it))))\n"),
        "systems": {"a": write(tmp_path / "s.mrg", "(S (NP (VP (D the) (N cat))) (X (V sat) (P on)) (N it))\n")},
    }
    by = treesql.score("constituency", metric="bracket_labels", by="gold_label,system_label", **how).rows()
    pairs = {(row["gold_label"], row["system_label"]): (row["brackets"], row["found"], row["same_label"]) for row in by}
    assert pairs == {
        ("NP", "NP"): (1, 1, 1), ("NP", "VP"): (1, 1, 0), ("S", "S"): (1, 1, 1), ("VP", None): (1, 0, 0),
        ("PP", None): (1, 0, 0), (None, "X"): (1, 0, 0),
    }  # fmt: skip
    [row] = treesql.score("constituency", metric="bracket_recall,bracket_label_accuracy", **how).rows()
    assert (row["bracket_recall"], row["bracket_label_accuracy"]) == (3 / 5, 2 / 3)


def test_edits_of_the_nearest_path(tmp_path: Path) -> None:
    lattice = "((('a',0,1),('b',0,1),),(('c',0,1),),(('d',0,1),),)\n((('a',0,1),),)\n"
    how = {
        "reference": write(tmp_path / "r.txt", "b x\na a\n"),
        "systems": {"l": write(tmp_path / "l.plf", lattice)},
    }
    by = treesql.score("lattice", by="operation", metric="path_edits", **how).rows()
    assert {row["operation"]: row["ger"] for row in by} == {
        "match": 0,
        "substitution": 1,
        "insertion": 1,
        "deletion": 1,
    }
    by = treesql.score("lattice", by="reference_frequency", metric="path_edits", **how).rows()
    assert {row["reference_frequency"]: (row["ger"], row["path_error_rate"]) for row in by} == {
        2: (1, 1 / 2), 1: (1, 1 / 2), None: (1, None),
    }  # fmt: skip
    [whole] = treesql.score("lattice", metric="ger,ger_rate,path_error_rate", **how).rows()
    assert (whole["ger"], whole["ger_rate"], whole["path_error_rate"]) == (3, 3 / 4, 3 / 4)


def test_heads_by_their_tags(tmp_path: Path) -> None:
    words = [("I", "PRON"), ("see", "VERB"), ("it", "PRON")]

    def parsed(name: str, heads: list[int]) -> Path:
        lines = [f"{at}\t{w}\t_\t{tag}\t_\t_\t{head}\tdep\t_\t_" for at, ((w, tag), head) in
                 enumerate(zip(words, heads, strict=True), 1)]  # fmt: skip
        return write(tmp_path / name, "\n".join([*lines, "", ""]))

    how = {"gold": parsed("g.conllu", [2, 0, 2]), "systems": {"a": parsed("s.conllu", [2, 0, 1])}}
    by = treesql.score("dependency", metric="words", by="gold_head_upos,system_head_upos", **how).rows()
    assert {(row["gold_head_upos"], row["system_head_upos"]): row["words"] for row in by} == {
        ("VERB", "VERB"): 1, ("ROOT", "ROOT"): 1, ("VERB", "PRON"): 1,
    }  # fmt: skip
