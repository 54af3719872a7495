"""What of a task is refused, and the columns that it needs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evaluation.systems import GOLD, A, rows
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.task import DEPENDENCY, Task, columns_needed


def test_no_more_is_read_than_is_needed() -> None:
    task = Task(DEPENDENCY, GOLD, [A])
    read = columns_needed(task, task.queries)
    assert read is not None
    assert not {"xpos", "deps", "misc", "feats"} & read["words"]
    assert "feature_lists" not in read
    by = Task(DEPENDENCY, GOLD, [A], by="Number")
    read = columns_needed(by, by.queries)
    assert read is not None
    assert "feats" in read["words"]
    assert "feature_lists" in read
    anything = Task(DEPENDENCY, GOLD, [A], where="word IN (SELECT 1)")
    assert columns_needed(anything, anything.queries) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": ["upos_accuracy"], "by": "upos"}, "a table has its own rows"),
        ({"tables": ["upos_accuracy"], "where": "word = 1"}, "a table has its own rows"),
        ({"tables": ["attachment"]}, "unknown table of the kind dependency .attachment.; .*attachment_errors"),
        ({"tables": ["word_pairs"]}, "unknown table of the kind dependency .word_pairs."),
        ({"metrics": ["upos_accuracy"]}, "upos_accuracy"),
        ({"by": "words"}, "words is a count; group by another column"),
    ],
)
def test_usage(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=message):
        rows(A, **options)


def test_unknown_tables_and_metrics_are_named() -> None:
    with pytest.raises(UnknownName, match=r"dependency .upos_acuracy.; did you mean upos_accuracy"):
        rows(A, tables=["upos_acuracy"])
    with pytest.raises(UnknownName, match="unknown query 'atachment'; did you mean attachment"):
        rows(A, metrics=["atachment"])


def test_systems_and_standard_input() -> None:
    with pytest.raises(UsageError, match="name at least one system"):
        rows()
    with pytest.raises(UsageError, match="a system is named twice"):
        rows(A, A)
    with pytest.raises(UsageError, match="standard input can be read only once"):
        rows("-", gold="-")


def test_how_files_are_read_is_not_for_a_database(database: str) -> None:
    for options in ({"permissive": True}, {"form": "conllu"}):
        with pytest.raises(UsageError, match="cannot be combined with --db"):
            rows("parser-a", gold="gold", database=database, **options)
