"""Which metrics a list of names chooses, and which of their columns."""

from __future__ import annotations

import pytest

from tests.house.rules import in_turn
from treesql.catalog import kinds
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.files import make_task
from treesql.evaluation.task import choose_columns

ATTACHMENT = (
    "words", "gold_words", "system_words", "aligned_pairs",
    *(f"{score}{side}" for score in ("uas", "las", "la") for side in ("", "_precision", "_recall")),
)  # fmt: skip
SIZES = ("lattices", "n_nodes", "n_edges", "density", "density_macro")


def chosen(kind: str, *names: str, added: tuple[str, ...] = ()) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """By metric its columns, and all columns in order."""
    found = choose_columns(kinds.kind(kind), names, added)
    return dict(found.columns), found.order


def test_a_metric_names_all_that_it_shows() -> None:
    assert chosen("dependency", "attachment") == ({"attachment": ATTACHMENT}, ATTACHMENT)
    both = chosen("dependency", "exact_match", "attachment")
    assert list(both[0]) == ["exact_match", "attachment"]
    assert both[1] == ("exact_match", "exact_match_unlabelled", *ATTACHMENT)


@in_turn(
    ("name", "metric", "column"),
    [
        ("las", "attachment", "las"),
        ("attachment.las", "attachment", "las"),
        ("words", "attachment", "words"),
        ("gold_words", "attachment", "gold_words"),
        ("exact_match.exact_match", "exact_match", "exact_match"),
        ("upos_f1", "tagging", "upos_f1"),
    ],
)
def test_a_score_or_count_names_itself(name: str, metric: str, column: str) -> None:
    """Of metrics with a score of one name, it is that of the one that is scored by default."""
    assert chosen("dependency", name) == ({metric: (column,)}, (column,))


def test_columns_come_once_and_in_the_order_of_their_names() -> None:
    assert chosen("dependency", "la", "exact_match", "uas", "la") == (
        {"attachment": ("la", "uas"), "exact_match": ("exact_match", "exact_match_unlabelled")},
        ("la", "exact_match", "exact_match_unlabelled", "uas"),
    )
    whole = chosen("dependency", "las", "attachment")
    columns = ("las", *(one for one in ATTACHMENT if one != "las"))
    assert whole == ({"attachment": columns}, columns)


def test_kinds_with_columns_of_their_own_choice() -> None:
    assert chosen("lattice", "swcd", "lattice_size") == (
        {"lattice_size": SIZES, "word_count_distance": ("swcd",)}, ("swcd", *SIZES),
    )  # fmt: skip
    kind = kinds.kind("translation")
    assert choose_columns(kind, kind.shown).order == kind.shown
    assert choose_columns(kind, kind.shown, by=["sentence"]).order == (*kind.shown, "bleu_effective")
    assert choose_columns(kind, ["bleu"], by=["sentence"]).order == ("bleu",)


def test_additions_follow_the_default_metrics() -> None:
    kind = kinds.kind("constituency")
    given = {"gold": "g", "systems": ["s"]}
    usual = make_task(kind, given["systems"], {"gold": "g"}).choice
    more = make_task(kind, given["systems"], {"gold": "g"}, with_=["sentences", "ted", "ted"]).choice
    assert usual.metrics == list(kind.metrics)
    assert more.metrics == [*kind.metrics, "complete_match", "constituent_tree_edit"]
    assert more.order[: len(usual.order)] == usual.order


@in_turn("name", kinds.names())
def test_the_default_columns_of_every_kind_are_known(name: str) -> None:
    kind = kinds.kind(name)
    for names in (kind.shown, kind.metrics, kind.compared, kind.shown_by_sentence):
        found = choose_columns(kind, names)
        assert set(found.metrics) <= set(kind.all_metrics)
        assert len(found.order) == len(set(found.order))


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("dependency", "lass", "^unknown metric or score 'lass'; did you mean las or wlas or mlas"),
        ("dependency", "atachment", "^unknown metric or score 'atachment'; did you mean attachment"),
        ("dependency", "attachment.lass", "^unknown score of attachment 'lass'; did you mean las"),
        ("dependency", "attachment.elas", "^unknown score of attachment 'elas'"),
        ("lattice", "gerr", "^unknown metric or score 'gerr'; did you mean ger"),
    ],
)
def test_names_that_are_unknown(kind: str, name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        chosen(kind, name)


@in_turn(
    ("kind", "name", "message"),
    [
        ("dependency", "evalb", "^evalb is not a metric of the kind dependency; these are attachment, exact_match, "),
        ("dependency", "evalb.f1", "^evalb is not a metric of the kind dependency"),
        ("newick", "evalb", "^evalb is not a metric of the kind newick; these are robinson_foulds, "),
        ("translation", "attachment", "^attachment is not a metric of the kind translation"),
        ("dependency", "upos_accuracy", "^upos_accuracy is a statistic and has no scores"),
        ("dependency", "word_pairs", "^word_pairs is a relation and has no scores"),
    ],
)
def test_queries_that_are_no_metrics_of_the_kind(kind: str, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        chosen(kind, name)
