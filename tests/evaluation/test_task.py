"""Tasks: the columns that are read, the names of corpora, the metric that inputs are for, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import treesql
from tests.evaluation.aligned_trees import FILES
from tests.evaluation.systems import GOLD, A, rows
from tests.house.rules import in_turn
from treesql.catalog import kinds
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.files import OUTPUT, make_task
from treesql.evaluation.task import Task, columns_needed, corpus_names
from treesql.storage import corpus_plans


@pytest.fixture(autouse=True)
def files_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are taken for those of files, and not for sentences."""
    monkeypatch.setattr(corpus_plans, "_is_there", lambda path: True)


def task(kind: str, systems: Any, **given: Any) -> Task:
    chosen = {one: given.pop(one) for one in ("database", "by", "where", *OUTPUT) if one in given}
    return make_task(kinds.kind(kind), systems, given, **chosen)


def test_no_more_is_read_than_is_needed() -> None:
    def read(**how: Any) -> dict[str, frozenset[str]] | None:
        one = task("dependency", A, gold=GOLD, **how)
        return columns_needed(one, one.queries)

    usual = read()
    assert usual is not None
    assert not {"xpos", "deps", "misc", "feats"} & usual["words"]
    assert "feature_lists" not in usual
    by = read(by="Number")
    assert by is not None
    assert "feats" in by["words"]
    assert "feature_lists" in by
    assert read(where="word IN (SELECT 1)") is None
    assert not {"depth", "projective"} & usual["words"]
    for how in ({"by": "upos,system_direction"}, {"by": "gold_distance/5"}, {"where": "depth > 3"}):
        found = read(**how)
        assert found is not None
        assert found["words"] == usual["words"] | {"depth", "projective"}
        assert "feature_lists" not in found
    feature = read(where="Depth > 3")
    assert feature is not None
    assert "feats" in feature["words"], "it may be a feature"
    children = read(by="n_children")
    assert children == usual, "heads alone"
    both = read(by=["n_children", "Number"])
    assert both is not None
    assert both["words"] == by["words"]


def names(one: Task) -> list[str]:
    """The names of its corpora, in the order of its inputs."""
    return list(corpus_names(one).values())


def test_corpora_are_named_as_their_files_or_systems() -> None:
    assert names(task("dependency", {"one": "f/a"}, gold="f/g")) == ["g", "one"]
    assert names(task("dependency", ["f/g"], gold="f/g")) == ["gold g", "g"]
    assert names(task("dependency", ["f/g", "g/g"], gold="h/g")) == ["g", "f/g", "g/g"]
    assert names(task("paths", [("f/h", "f/l"), ("g/h", "g/l")], reference="f/h")) == [
        "reference h", "h", "l", "hypothesis h", "alignment l",
    ]  # fmt: skip
    assert names(task("dependency", ["f/a"], gold="f/g", database="t.duckdb")) == ["f/g", "f/a"]


def test_further_references_sort_in_their_order() -> None:
    """Without commas, which separate them in a parameter."""
    assert names(task("translation", "h", reference=["z", "a", "b"])) == ["z", "a", "b", "h"]
    assert names(task("translation", "h", reference=["z", "b", "a"])) == [
        "reference 1 z", "reference 2 b", "reference 3 a", "h",
    ]  # fmt: skip
    assert names(task("translation", "h", reference=["z,1", "z;1"])) == ["reference 1 z;1", "reference 2 z;1", "h"]
    many = names(task("translation", "h", reference=[f"r{at}" for at in range(12)]))
    assert many[0] == "reference 01 r0"
    assert many[1:12] == sorted(many[1:12])


def trees(**how: Any) -> list[str]:
    """The columns of tree edit distances."""
    reference, hypothesis, links = FILES
    systems = (hypothesis, links) if how.pop("linked", False) else hypothesis
    return treesql.score("trees", reference=reference, systems=[systems], **how).columns


@pytest.mark.parametrize("how", [{}, {"costs": "deprel"}, {"linked": True}, {"costs": "aligned", "linked": True}])
def test_costs_and_alignments_that_go_together(how: dict[str, Any]) -> None:
    assert trees(**how) == ["system", "tree_edit", "tree_edit_normalised"]


def test_costs_and_alignments_that_do_not() -> None:
    with pytest.raises(UsageError) as caught:
        trees(costs="aligned")
    assert str(caught.value) == (
        "with costs aligned, aligned_dependency_tree_edit needs alignment=FILE; "
        "in dependency_tree_edit, costs is structure or deprel"
    )
    with pytest.raises(UsageError) as caught:
        trees(costs="deprel", linked=True)
    assert str(caught.value) == (
        "with costs deprel, dependency_tree_edit does not read alignment=FILE; "
        "in aligned_dependency_tree_edit, costs is aligned or aligned_strict"
    )
    with pytest.raises(UsageError, match="with costs odd, in dependency_tree_edit, costs is structure or deprel; in"):
        trees(costs="odd")
    with pytest.raises(UsageError, match=r"^dependency_tree_edit does not read alignment=FILE; leave it out"):
        trees(metric="dependency_tree_edit", linked=True)
    with pytest.raises(UsageError, match=r"^name the alignment: alignment=FILE, which aligned_dependency_tree_edit r"):
        trees(metric="aligned_dependency_tree_edit")


def test_scores_that_both_metrics_have_are_those_of_the_inputs() -> None:
    reference, hypothesis, links = FILES
    for system, edits in ((hypothesis, 5), ((hypothesis, links), 10)):
        found = treesql.score("trees", reference=reference, systems=[system], metric="tree_edit")
        assert found.rows() == [{"system": "hypothesis.conllu", "tree_edit": edits}]
    assert trees(metric="aligned_dependency_tree_edit.tree_edit", linked=True) == ["system", "tree_edit"]


def test_one_system_of_several_without_its_file() -> None:
    reference, hypothesis, links = FILES
    with pytest.raises(UsageError, match=r"^name the alignment: alignment=FILE"):
        treesql.score("trees", reference=reference, systems={"a": (hypothesis, links), "b": hypothesis})


def test_the_reference_of_metrics_that_read_it() -> None:
    with pytest.raises(UsageError, match=r"^name at least one reference: reference=FILE, which graph_error reads$"):
        treesql.score("lattice", systems=["l"], metric="ger")
    with pytest.raises(UsageError, match=r"^name at least one reference: reference=FILE$"):
        treesql.score("lattice", systems=["l"])


@in_turn(
    ("options", "message"),
    [
        ({"table": "upos_accuracy", "by": "upos"}, "a table has its own rows"),
        ({"table": "upos_accuracy", "where": "word = 1"}, "a table has its own rows"),
        ({"table": "attachment"}, "unknown table of the kind dependency .attachment.; .*attachment_errors"),
        ({"table": "word_pairs"}, "unknown table of the kind dependency .word_pairs."),
        ({"table": "upos_acuracy"}, "dependency .upos_acuracy.; did you mean upos_accuracy"),
        ({"table": "evalb_table"}, "unknown table of the kind dependency .evalb_table."),
        ({"by": "words"}, "words is a count; group by another column"),
    ],
)
def test_usage(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=message):
        rows(A, **options)


def test_standard_input_is_read_once() -> None:
    for kind, given in (
        ("dependency", {"gold": "-", "systems": ["-"]}),
        ("paths", {"reference": "-", "systems": [("-", "l")]}),
        ("alignment", {"gold": "g", "systems": ["-"], "source": "-"}),
        ("translation", {"systems": ["-"], "reference": ["r", "-"]}),
    ):
        with pytest.raises(UsageError, match=r"^standard input can be read only once; name a file$"):
            treesql.score(kind, **given)
