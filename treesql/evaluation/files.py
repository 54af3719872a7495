"""Score, compare and explain files, or corpora of a database that is named by its path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treesql import catalog, readers
from treesql.catalog import kinds
from treesql.errors import UsageError
from treesql.evaluation import hooks
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.paired_files import has_many_files
from treesql.evaluation.requests import Names, Systems, make_task
from treesql.evaluation.task import check_task
from treesql.evaluation.tasks import compare_task, score_task
from treesql.results.result import Explanation, Result
from treesql.runtime.failures import convert_errors
from treesql.significance.methods import RUNS, SEED, Method

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison


@convert_errors
def score(
    kind: str,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    metric: Names = (),
    table: Names = (),
    with_: Names = (),
    by: Names | None = (),
    where: str | None = None,
    ci: bool = False,
    matrix: bool = False,
    share: str | None = None,
    limit: int | None = None,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Result:
    """Score systems, a row per system: `score("dependency", "gold.conllu", "a.conllu", "b.conllu")`.

    kind: as of `treesql score KIND`; treesql.kinds() describes them. inputs: files in the order of the command, `gold`
    and then the systems, or by name: `score("dependency", gold="gold.conllu", systems=["a.conllu", "b.conllu"])`.
    systems: files, or a mapping of names to files, which may also be the last of the inputs; of a system with several
    files a sequence, or a mapping of roles. Folders or patterns in place of files are paired by the names of their
    files: a row per treebank, then `macro` and `micro`. db: a database, whose corpora are named
    in place of files. metric: metrics, or scores and counts of them; table: statistics to return instead; with_:
    additions of the kind. by: a row for every combination of columns, `"upos,n_words/10"`: `sentence`, columns of
    items, gold words, sentences or corpora, their attributes, morphological features, or comments of sentences
    (`meta.speaker`), of numbers also bins; where: an SQL condition on these; ci: add 95% intervals. matrix: the
    table as a matrix with totals, of the `limit` most frequent values and `other`; share: of its row, its column or
    all, instead of counts. limit: maximum number of rows of other tables for every system. max_sentence: maximum size
    of a sentence in files.
    given: further roles (gold, reference, ...), parameters of the metrics (punctuation="form"), and options of the
    kind, as on the command line, with `format` for --from. Warns with TreesqlWarning. Raises UsageError, UnknownName,
    InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    with readers.max_sentence(max_sentence):
        task = make_task(
            kinds.kind(kind), systems, given, _path(db), metric=metric, table=table, with_=with_, by=by,
            where=where, ci=ci, matrix=matrix, share=share, limit=limit,
            inputs=inputs,
        )  # fmt: skip
        return score_task(task)


@convert_errors
def compare(
    kind: str,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    metric: Names = (),
    with_: Names = (),
    where: str | None = None,
    test: str = "shuffling",
    runs: int = RUNS,
    seed: int = SEED,
    correction: str = "holm",
    stratum: str | None = None,
    ci: bool = True,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Comparison:
    """Compare all pairs of systems: `compare("dependency", "gold.conllu", "a.conllu", "b.conllu")`.

    metric: scores, or metrics for all their scores; the main ones of the kind if left out. test: shuffling, bootstrap,
    mcnemar, mcnemar-chi2 or mcnemar-mid-p, with runs and seed; correction: holm, bonferroni, bh, by or none. stratum: a
    column of sentences, bins of one, or a comment; those with one value are exchanged together. ci: whether to draw 95%
    intervals, too. Everything else as for `score`.
    """
    with readers.max_sentence(max_sentence):
        of = kinds.kind(kind)
        task = make_task(of, systems, given, _path(db), inputs=inputs, metric=metric, with_=with_, where=where)
        return compare_task(task, Method(test, runs, seed, correction, stratum, ci))


@convert_errors
def explain(
    kind: str,
    sentence: str | int,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    width: int | None = None,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Explanation:
    """Explain the score of a sentence of one system: `explain("paths", "s1", "r.conllu", "h.conllu", "links.align")`.

    sentence: its sent_id, or its number, from 0: 2 or "#2". width: columns of the drawing; None for any. Everything
    else as for `score`; what is explained is what the kind's default metrics count.
    """
    of = kinds.kind(kind)
    hook = hooks.of_kind(of)
    if not of.explains:
        known = ", ".join(one.name for one in kinds.all_kinds().values() if one.explains)
        raise UsageError(f"sentences of the kind {kind} cannot be explained; those of {known} can")
    with readers.max_sentence(max_sentence):
        task = make_task(of, systems, given, _path(db), inputs=inputs)
        check_task(task)
        if db is None and any(has_many_files(one.path) for one in task.inputs):
            raise UsageError("one sentence of one file is explained; name files instead of folders or patterns")
        if len(task.systems) > 1:
            raise UsageError("one system is explained at a time; name one")
        with open_inputs(task, [catalog.query(name) for name in hook.explained_by]) as opened:
            return hook.explain(opened, sentence, width)


def _path(db: str | Path | None) -> str | None:
    return None if db is None else str(db)
