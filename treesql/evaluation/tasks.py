"""Score and compare a task: on one corpus, or if its inputs hold many files on all treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.evaluation.evaluate import compare, evaluate
from treesql.evaluation.paired_files import split_by_treebank
from treesql.evaluation.task import Task
from treesql.results.result import Result
from treesql.significance.methods import Method

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison


def score_task(task: Task) -> Result:
    """The rows of a task."""
    treebanks = split_by_treebank(task)
    if treebanks is None:
        return evaluate(task)
    from treesql.evaluation.treebanks import evaluate_treebanks  # here, for single files need no averages

    return evaluate_treebanks(task, treebanks)


def compare_task(task: Task, method: Method) -> Comparison:
    """The comparison of a task's systems."""
    treebanks = split_by_treebank(task)
    if treebanks is None:
        return compare(task, method)
    from treesql.evaluation.treebanks import compare_treebanks  # here, as above

    return compare_treebanks(task, treebanks, method)
