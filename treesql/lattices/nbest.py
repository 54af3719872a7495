"""The functions of `treesql.nbest`: on n-best lists and references in files, or corpora of a database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treesql import readers
from treesql.catalog.kinds import GOLD, SYSTEM, WORDS, Kind, Role
from treesql.errors import UsageError
from treesql.evaluation.files import make_task
from treesql.evaluation.task import EMPTY_REFERENCES
from treesql.lattices.nbest_oracles import find_oracles, parse_sizes
from treesql.readers import NBEST
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.storage import corpus_plans
from treesql.storage.corpus_plans import File, Inputs

KIND = Kind(
    NBEST,
    "Oracles of n-best lists.",
    (
        Role(NBEST, SYSTEM, NBEST, "the n-best lists", one_corpus=True),
        Role(
            "reference", GOLD, WORDS, "the references", option=True, several="other_corpora", format="reference_format"
        ),
    ),
)
"""What is compared. No metric is of this kind: those of translations score the hypotheses that are found."""


@convert_errors
def oracle(
    lists: File,
    *,
    reference: Inputs = (),
    measure: str = "wer",
    n: str | int | Sequence[int] = "1,2,5,10",
    weights: str = "",
    lowercase: str = "no",
    punctuation: str = "keep",
    unicode_form: str = "given",
    tokenize: str = "none",
    empty_references: str | None = None,
    db: str | Path | None = None,
    format: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> Result:
    """Return how good n-best lists are: by n, the score of the best of the first n hypotheses of every list.

    A row per n has the score of these, and beside it that of the first hypotheses (`1_best`), both as
    `treesql.score("translation")` has them. The best hypothesis of a list has the fewest errors of `wer`, `per` or
    `ter`, or the largest `bleu` or `chrf` of the sentence; if several have, the first. lists, reference: files, what is
    in memory in their place, or corpora of `db`. n: numbers of hypotheses, also as text with commas between. weights:
    sort lists by the sum of their weighted scores, the largest first: `NAME=WEIGHT` of features and of `score`, with
    commas between, or a weight for each feature in order. lowercase, punctuation, unicode_form, tokenize,
    empty_references: as for the metrics of translations; tokenize: of `bleu`. format, ids, max_sentence: as for
    `treesql.load`. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError,
    DatabaseError.
    """
    if not corpus_plans.each_of(reference):
        raise UsageError("name at least one reference: --reference FILE")
    if tokenize != "none" and measure != "bleu":
        raise UsageError(f"--tokenize is for bleu, not for {measure}; leave it out, or add --measure bleu")
    texts = {"lowercase": lowercase, "punctuation": punctuation, "unicode_form": unicode_form, "tokenize": tokenize}
    texts |= {EMPTY_REFERENCES: empty_references} if empty_references else {}
    with readers.max_sentence(max_sentence):
        given = {"format": format, "ids": ids, "reference": reference}
        paths = corpus_plans.as_paths([lists], "lists", NBEST, format, loaded=db is not None)
        task = make_task(KIND, paths, given, None if db is None else str(db))
        return find_oracles(task, measure, parse_sizes(n), weights, texts)
