"""Signatures and options: an option that changes a number changes its signature, and every option is tried."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click
import pytest

from tests.conftest import Run
from treesql.cli import scores
from treesql.readers import CHANGES_NOTHING, CHANGES_ROWS, Notation, Options

OUTPUT = {
    "db", "named", "form", "out", "quiet", "signature", "max_sentence", "memory", "timeout", "engine", "master",
    "limit", "sort", "wide", "baseline",
}  # fmt: skip
"""Options that say where corpora are and how systems are called, how numbers are printed, how many, what is refused as
too large, and what runs the queries, which the signature names by itself."""

UNSIGNED = {
    ("constituency", "evalb"), ("paths", "explain"),
    ("translation", "errors"), ("lattice", "errors"),
}  # fmt: skip
"""Options of something else than scores, which refuse --signature."""


@dataclass(frozen=True)
class Case:
    """A command of `treesql score` with files, and values of its options, given one at a time.

    changing: options with which numbers must change, lest the comparison be of equal ones alone.
    """

    kind: str
    files: Sequence[str]
    options: Mapping[str, Sequence[Sequence[str]]]
    changing: Sequence[str] = ()


REFERENCES = ["-r", "lattices.txt"]
LINKED = ["reference.conllu", "hypothesis.conllu", "reference-hypothesis.align"]
PARALLEL = ["gold.conllu", "parser-a.conllu", "gold.conllu", "parser-b.conllu", "links.pharaoh", "links-a.pharaoh"]
CONFUSED = ["gold.conllu", "parser-a.conllu", "--table"]
FLAG: Sequence[Sequence[str]] = [[]]
TREES: dict[str, Sequence[Sequence[str]]] = {
    "strict": FLAG, "ci": FLAG, "by": [["sentence"]], "where": [["sentence > 0"], ["sentence > 1"]]
}  # fmt: skip
ROOTING = [["rooted"], ["unrooted"]]
LINES: dict[str, Sequence[Sequence[str]]] = {"ci": FLAG, "by": [["sentence"]], "where": [["sentence > 0"]]}

CASES = [
    Case(
        "dependency", ["gold.conllu", "parser-a.conllu"],
        {
            **TREES, "permissive": FLAG,
            "by": [["upos"], ["depth"], ["depth/2"], ["upos,depth"], ["system_distance"]],
            "match": [["sent_id"]], "punctuation": [["form"], ["relation"]],
            "relations": [["full"]], "weights": [["w.csv"], ["v.csv"], ["parser-b.conllu"]], "classes": [["c.csv"]],
            "metric": [["attachment"], ["content_attachment"]], "conll18": FLAG, "enhanced": FLAG,
            "table": [["upos_accuracy"], ["head_distances"]], "errors": FLAG, "with_": [["enhanced"]],
            "format": [["conllu"], ["conllx"]],
        },
        ["where", "punctuation", "weights", "classes", "ci", "by"],
    ),
    Case("dependency", [*CONFUSED, "relation_confusions"], {"matrix": FLAG}, ["matrix"]),
    Case(
        "dependency", [*CONFUSED, "relation_confusions", "--matrix"],
        {"share": [["row"], ["column"], ["all"]], "limit": [["1"], ["6"]]}, ["share", "limit"],
    ),
    Case("dependency", ["tree.conllu", "cyclic.conllu"], {"permissive": FLAG}),
    Case("dependency", ["cyclic.conllu", "tree.conllu"], {"permissive": FLAG}),
    Case(
        "constituency", ["gold.mrg", "test.mrg"],
        {
            **TREES, "rooting": ROOTING, "rules": [["new"], ["labels.prm"]], "punctuation": [["drop"]],
            "with_": [["ted"], ["sentences"]], "metric": [["evalb"], ["quartets"]], "format": [["penn"]],
            "leaves": [["common"]], "table": [["evalb_table"]],
        },
        ["where", "rules", "punctuation"],
    ),
    Case("newick", ["one.nwk", "two.nwk"], {"common": FLAG}, ["common"]),
    Case(
        "newick", ["brackets", "brackets-a"],
        {**TREES, "rooting": ROOTING, "common": FLAG, "metric": [["quartets"]], "format": [["newick"]],
         "leaves": [["name"], ["order"]], "punctuation": [["drop"]], "rules": [["new"]]},
        ["rooting"],
    ),
    Case(
        "alignment", ["links.pharaoh", "links-a.pharaoh"],
        {
            **LINES, "reverse": FLAG, "gold_reverse": FLAG, "null_links": FLAG, "source": [["gold.conllu"]],
            "target": [["gold.conllu"]], "gold_format": [["pharaoh"]], "format": [["pharaoh"]], "metric": [["aer"]],
            "with_": [["effort"]],
        },
        ["reverse", "gold_reverse", "where"],
    ),
    Case(
        "alignment", ["plain", "plain-a"],
        {"base": [["0"], ["1"]], "gold_base": [["1"]], "gold_format": [["talp"]], "format": [["talp"]]},
        ["gold_base", "gold_format", "format"],
    ),
    Case(
        "alignment", ["links.pharaoh", "links-a.pharaoh", "--table", "threshold_curve"],
        {"threshold_step": [["0.1"], ["0.5"]], "table": [["threshold_curve"]]},
    ),
    Case("alignment", ["plain", "plain-b.talp"], {"base": [["0"], ["1"]]}),
    Case("alignment", ["null.wpt", "null-a.wpt"], {"null_links": FLAG}, ["null_links"]),
    Case(
        "lattice", ["lattices.plf", *REFERENCES],
        {
            **LINES, "reference": [["lattices-2.txt"]], "metric": [["ger"], ["swcd"]], "phrases": FLAG,
            "min_redundancy": [["0"], ["2"]], "substitution_cost": [["0.5"], ["1.5"]],
            "insertion_cost": [["0"], ["0.99"]], "deletion_cost": [["0"], ["2"]], "reordering": [["none"], ["swap"]],
            "format": [["plf"]], "reference_format": [["text"]],
            "symbols": [["one.syms"]],
        },
        ["phrases", "min_redundancy", "reference"],
    ),
    Case(
        "lattice", ["lattices.plf", "--table", "edge_posteriors"],
        {"edge_weights": [["2"], ["-1"]], "scale": [["0"], ["0.5"]], "phrases": FLAG},
        ["edge_weights", "scale"],
    ),
    Case(
        "lattice", ["lattices.plf", *REFERENCES, "--metric", "edge_precision,best_error_rate"],
        {"edge_weights": [["-1"]], "precision_weights": [["1"], ["0.5,0.5"]]},
        ["edge_weights", "precision_weights"],
    ),
    Case(
        "lattice", ["lattices.plf", "--metric", "agreement"],
        {"compared_weights": [["-1"], ["0"]]}, ["compared_weights"],
    ),
    Case(
        "lattice", ["lattices.plf", "--hypothesis", "hypotheses.txt", "--metric", "decoder_search"],
        {"hypothesis": [["lattices.txt"]], "edge_weights": [["-1"]], "hypothesis_format": [["text"]]}, ["edge_weights"],
    ),
    Case("translation", ["ids.txt", "-r", "ids-r.txt"], {"ids": [["first"], ["none"]]}, ["ids"]),
    Case("lattice", ["lattices.plf", *REFERENCES], {"ids": [["none"]]}),
    Case(
        "lattice", ["one.fst.txt", "-r", "empty.txt", "-r", "one.txt"],
        {"empty_references": [["missing"]]}, ["empty_references"],
    ),
    Case(
        "lattice", ["one.fst.txt", "-r", "one.txt"], {"symbols": [["one.syms"], ["other.syms"]]}, ["symbols"],
    ),
    Case(
        "translation", ["hypotheses.txt", *REFERENCES],
        {**LINES, "reference": [["lattices-2.txt"]], "metric": [["bleu"], ["wer"]], "format": [["text"]],
         "reference_format": [["text"]]},
        ["reference"],
    ),
    Case("translation", ["hypotheses.txt", *REFERENCES], {"table": [["translation_errors"]]}),
    Case(
        "translation", ["hypotheses.txt", "lattices-2.txt", *REFERENCES, "--table", "n_gram_differences"],
        {"longest_n_gram": [["2"]], "n_gram_smoothing": [["0.5"]]}, ["n_gram_smoothing"],
    ),
    Case(
        "translation", ["hypotheses.txt", *REFERENCES],
        {"lowercase": [["yes"]], "punctuation": [["remove"]], "unicode_form": [["nfc"]], "edit_weights": [["sclite"]],
         "empty_references": [["missing"]], "tokenize": [["13a"], ["char"]], "smooth": [["floor"], ["add-k"]]},
        ["tokenize"],
    ),
    Case(
        "translation", ["hypotheses.txt", *REFERENCES, "--metric", "bleu", "--smooth", "add-k"],
        {"smooth_value": [["0.5"], ["2"]]}, ["smooth_value"],
    ),
    Case(
        "translation", ["hypotheses.txt", *REFERENCES, "--metric", "chrf"],
        {"char_order": [["3"]], "word_order": [["1"], ["2"]], "beta": [["1"]], "whitespace": [["yes"]],
         "eps_smoothing": [["yes"]]},
        ["char_order", "word_order", "beta", "whitespace"],
    ),
    Case(
        "translation", ["hypotheses.txt", *REFERENCES, "--metric", "ter"],
        {"case_sensitive": [["yes"]], "normalized": [["yes"]], "no_punct": [["yes"]], "asian_support": [["yes"]]},
    ),
    Case("translation", ["hypotheses.txt", *REFERENCES, "--metric", "melamed"], {"exponent": [["2"]]}),
    Case(
        "parallel", PARALLEL,
        {
            **TREES, "permissive": FLAG, "weight_a": [["2"]], "weight_b": [["2"]], "weight_links": [["3"]],
            "punctuation": [["all"], ["relation"]], "gold_reverse": FLAG, "reverse": FLAG, "null_links": FLAG,
            "gold_base": [["0"]], "base": [["0"]], "gold_links_format": [["pharaoh"]], "links_format": [["pharaoh"]],
            "format": [["conllu"]], "metric": [["pts"]],
        },
        ["weight_a", "punctuation", "reverse"],
    ),
    Case(
        "paths", LINKED,
        {**LINES, "strict": FLAG, "base": [["0"], ["1"]], "reverse": FLAG, "alignment_format": [["pharaoh"]],
         "format": [["conllu"]], "metric": [["distance"]], "errors": FLAG, "table": [["path_errors"]]},
        ["where"],
    ),
    Case(
        "trees", ["reference.conllu", "hypothesis.conllu"],
        {**LINES, "costs": [["structure"]], "strict": FLAG, "format": [["conllu"]], "metric": [["tree_edit"]]},
        ["by"],
    ),
    Case(
        "trees",
        ["reference.conllu", "hypothesis.conllu", "--costs", "aligned", "--alignment", "reference-hypothesis.align"],
        {
            "base": [["0"], ["1"]], "reverse": FLAG, "alignment_format": [["pharaoh"]], "costs": [["aligned_strict"]],
            "alignment": [["plain"]],
        },
    ),
]  # fmt: skip


def scored(run: Callable[..., Run], case: Case, given: Sequence[str], folder: Path) -> tuple[Any, list[str]] | None:
    """What a command prints, and the signatures; None where it is refused."""
    files = [str(folder / one) if (folder / one).is_file() else one for one in [*case.files, *given]]
    done = run("score", case.kind, *files, "--format", "json", "--signature")
    if done.code:
        assert done.code == 2
        assert "treesql failed" not in done.err
        return None
    numbers = [{name: value for name, value in row.items() if name != "system"} for row in json.loads(done.out)]
    return numbers, [line for line in done.err.splitlines() if "|duckdb:" in line]


def option(kind: str, name: str) -> str:
    command = scores.score_command.get_command(click.Context(scores.score_command), kind)
    assert command
    return next(one.opts[0] for one in command.params if one.name == name)


@pytest.mark.spread(28)
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind} {case.files[0]}")
def test_what_changes_a_number_changes_its_signature(run: Callable[..., Run], case: Case, folder: Path) -> None:
    for name, values in case.options.items():
        own = option(case.kind, name)
        given = [[], *(value if value and value[0].startswith("--") else [own, *value] for value in values)]
        found = [(one, result) for one in given if (result := scored(run, case, one, folder))]
        assert all(told for _, (_, told) in found)
        differing = 0
        for (_, one), (arguments, other) in itertools.combinations(found, 2):
            if one[0] != other[0]:
                differing += 1
                assert set(one[1]).isdisjoint(other[1]), arguments
        assert differing or name not in case.changing, name


def test_every_option_of_every_kind_is_tried() -> None:
    for kind in scores.score_command.list_commands(click.Context(scores.score_command)):
        command = scores.score_command.get_command(click.Context(scores.score_command), kind)
        assert command
        options = {str(one.name) for one in command.params if isinstance(one, click.Option) and not one.hidden}
        tried = OUTPUT.union(*(case.options for case in CASES if case.kind == kind))
        unsigned = {name for of, name in UNSIGNED if of == kind}
        given = {"reference"} | {word[2:] for case in CASES if case.kind == kind for word in case.files}
        untried = sorted(options - tried - unsigned - given)
        assert not untried, f"give these options of the kind {kind} values in CASES above: {', '.join(untried)}"


def test_every_option_of_reading_is_said_to_change_rows_or_not() -> None:
    known = {one.name for kind in (Options, Notation) for one in fields(kind)}
    assert known == set(CHANGES_ROWS) | CHANGES_NOTHING
    assert not CHANGES_ROWS.keys() & CHANGES_NOTHING
