"""Kinds of evaluation: what kind.toml declares, what of it is refused, and where it contradicts the queries."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import kinds
from treesql.catalog.kinds import Addition, Flag, HookOption, Kind, Role, SeveralValues
from treesql.errors import HeaderError, UnknownName, UsageError

DEPENDENCY = kinds.kind("dependency")
LATTICE = kinds.kind("lattice")

TOML = """
doc = "Score."
metrics = ["attachment"]

[[roles]]
name = "gold"
side = "gold"
reads = "dependency"
doc = "the gold trees"

[[roles]]
name = "system"
side = "system"
reads = "dependency"
doc = "the system's trees"
"""


@in_turn("name", kinds.names())
def test_no_kind_contradicts_its_queries(name: str) -> None:
    assert kinds.find_contradictions(kinds.kind(name)) == []


def test_every_folder_with_metrics_is_a_kind() -> None:
    families = {query.family for query in catalog.all_queries().values() if query.kind == "metric"}
    assert families <= set(kinds.names())
    assert set(kinds.names()) == {path.parent.name for path in ROOT.glob("queries/*/kind.toml")}
    assert list(kinds.all_kinds()) == sorted(kinds.names())


def test_a_kind_that_is_unknown() -> None:
    with pytest.raises(UnknownName, match=r"^unknown kind of evaluation 'dependencies'; did you mean dependency"):
        kinds.kind("dependencies")
    with pytest.raises(UnknownName, match=r"^unknown role of the kind dependency 'golden'; did you mean gold"):
        DEPENDENCY.role("golden")


def test_what_a_kind_declares() -> None:
    made = kinds._parse("toy", TOML)
    assert (made.name, made.metrics, [role.name for role in made.roles]) == ("toy", ("attachment",), ["gold", "system"])
    assert [role.name for role in made.shared] == ["gold"]
    assert [role.name for role in made.own] == ["system"]
    assert (made.role("gold").parameter, made.role("system").written) == ("gold_corpus", "SYSTEM")
    assert (made.with_, made.flags, made.options, made.parameters) == ({}, {}, {}, {})


@in_turn(
    ("text", "message"),
    [
        (TOML + 'metrisc = ["attachment"]', "metrisc is not known here; known: adds, "),
        ('metrisc = ["attachment"]' + TOML, "metrisc is not known here; known: acyclic, alternatives, "),
        (TOML.replace('reads = "dependency"\n', "", 1), "missing 1 required positional argument: 'reads'"),
        (TOML.replace("doc = ", "dok = ", 1), "dok is not known here"),
        (TOML + '[with.more]\nmetric = ["tagging"]', "metric is not known here; known: doc, metrics, tables"),
        (TOML + '[flags.more]\ntables = "conll18"', "tables is not known here; known: "),
        (TOML + '[options.more]\nmetavar = "X"', "missing 1 required positional argument: 'doc'"),
        (TOML.replace('"Score."', "Score."), "Invalid value"),
    ],
)
def test_files_that_are_refused(text: str, message: str) -> None:
    """In one line, which names the file."""
    with pytest.raises(HeaderError) as caught:
        kinds._parse("toy", text)
    told = str(caught.value)
    assert told.startswith("queries/toy/kind.toml: ")
    assert message in told
    assert "\n" not in told


def with_role(kind: Kind, name: str, **how: Any) -> Kind:
    return replace(kind, roles=tuple(replace(role, **how) if role.name == name else role for role in kind.roles))


FURTHER = Role("text", kinds.GOLD, "words", "the text")


@in_turn(
    ("wrong", "message"),
    [
        (with_role(DEPENDENCY, "gold", side="left"), "dependency/kind.toml: the side of gold is left"),
        (with_role(DEPENDENCY, "gold", reads="trees"), "dependency/kind.toml: gold reads trees, no kind of corpora"),
        (with_role(DEPENDENCY, "system", side="gold"), "dependency/kind.toml: no role is a system's"),
        (
            replace(DEPENDENCY, metrics=("attachment", "attachmend")),
            "dependency/kind.toml: attachmend is no metric in queries/",
        ),
        (
            replace(DEPENDENCY, of_other_words=("uas_recal",)),
            "dependency/kind.toml: uas_recal is no column of the kind",
        ),
        (
            replace(DEPENDENCY, with_={"more": Addition(("taging",))}),
            "dependency/kind.toml: taging is no metric in queries/",
        ),
        (
            replace(DEPENDENCY, roles=DEPENDENCY.roles[1:]),
            "dependency/kind.toml: no role is gold_corpus of queries/dependency/attachment.sql",
        ),
        (
            with_role(LATTICE, "reference", several=None),
            "lattice/kind.toml: no role is other_corpora of queries/lattice/graph_error.sql",
        ),
        (
            replace(DEPENDENCY, roles=(*DEPENDENCY.roles, FURTHER)),
            "dependency/kind.toml: no metric has the parameter text_corpus of the role text",
        ),
        (
            with_role(DEPENDENCY, "gold", several="more_corpora"),
            "dependency/kind.toml: no metric has the parameter more_corpora of the role gold",
        ),
        (replace(LATTICE, shown=("gerr",)), "lattice/kind.toml: gerr is no metric or column of the kind"),
        (replace(LATTICE, compared=("wer",)), "lattice/kind.toml: wer is no metric or column of the kind"),
        (
            replace(DEPENDENCY, flags={"errors": Flag(table="path_differences")}),
            "dependency/kind.toml: path_differences is no table of the kind",
        ),
        (
            replace(DEPENDENCY, with_={"more": Addition(("tagging",), {"conll18": "iwpt21"})}),
            "dependency/kind.toml: iwpt21 is no table of the kind",
        ),
        (
            replace(DEPENDENCY, flags={"strong": Flag(parameters={"strength": 1})}),
            "dependency/kind.toml: no query has the parameter strength",
        ),
        (replace(DEPENDENCY, parameters={"leaves": "name"}), "dependency/kind.toml: no query has the parameter leaves"),
        (
            replace(DEPENDENCY, report=replace(DEPENDENCY.report, differences={"Errors": "attachment_errors"})),
            "dependency/kind.toml: attachment_errors of its report is no table that compares systems with the first "
            "one",
        ),
        (replace(DEPENDENCY, named_by=("gold",)), "dependency/kind.toml: gold names systems, and is no role of theirs"),
    ],
)
def test_contradictions_name_the_file_and_what_it_contradicts(wrong: Kind, message: str) -> None:
    assert f"queries/{message}" in kinds.find_contradictions(wrong)


def test_a_kind_has_the_metrics_of_its_folder() -> None:
    of_folder = {q.name for q in catalog.all_queries().values() if q.kind == "metric" and q.family == "dependency"}
    assert set(DEPENDENCY.all_metrics) == of_folder
    assert DEPENDENCY.all_metrics[: len(DEPENDENCY.metrics)] == DEPENDENCY.metrics
    newick = kinds.kind("newick")
    assert (newick.only, newick.all_metrics) == (True, newick.metrics)
    assert {"newick", "constituency"} == newick.family


def test_tables_are_those_that_compare_the_roles() -> None:
    assert {"conll18", "iwpt20", "attachment_errors", "upos_accuracy"} <= set(DEPENDENCY.tables)
    assert "word_entropy" not in DEPENDENCY.tables, "it is of one corpus"
    assert kinds.kind("paths").tables == ("meta_graph", "path_differences")
    assert kinds.kind("translation").tables == (
        "n_gram_differences", "translation_differences", "translation_errors",
    ), "they compare with the first system, or a flag names them, though references are options"  # fmt: skip


def test_parameters_of_several_metrics_are_one() -> None:
    costs = kinds.kind("trees").declared["costs"]
    assert costs.choices == ("structure", "deprel", "aligned", "aligned_strict")
    assert "weights" not in DEPENDENCY.declared, "the hook reads it"
    assert not any(name.endswith("_corpus") for kind in kinds.all_kinds().values() for name in kind.declared)


def test_a_metric_belongs_to_the_kind_of_its_folder() -> None:
    assert kinds.kind_of_metric(catalog.query("attachment")) == DEPENDENCY
    assert kinds.kind_of_metric(catalog.query("robinson_foulds")).name == "constituency"
    lonely = replace(catalog.query("attachment"), family="nowhere")
    with pytest.raises(UsageError, match=r"attachment is of no kind of evaluation; add kind.toml to queries/nowhere"):
        kinds.kind_of_metric(lonely)


def test_every_key_is_described() -> None:
    """At the head of the module, or that of its class; CONTRIBUTING points there."""
    for of in (Kind, Role, Addition, Flag, HookOption, SeveralValues):
        described = f"{kinds.__doc__} {of.__doc__}"
        keys = [field.rstrip("_") for field in of.__dataclass_fields__]
        assert not [key for key in keys if not re.search(rf"\b{key}\b", described)]
