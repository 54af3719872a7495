"""The best hypotheses of n-best lists by a measure, and their scores; `treesql.nbest` has public names alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Task
from treesql.functions.arrays import check_cells, flatten, to_numpy
from treesql.functions.translation import code_points, without_space
from treesql.kernels.arrays import Bytes, Floats, Ints, positions_in_list
from treesql.lattices.oracle_texts import connect_to_texts, words_of_paths
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers
from treesql.runtime.threads import run_in_threads
from treesql.scoring import items, scores
from treesql.scoring.items import execute

METRICS = {
    "wer": ("edit_operations", "wer"),
    "per": ("position_independent_errors", "per"),
    "ter": ("edits_with_shifts", "ter"),
    "bleu": ("n_gram_matches", "bleu"),
    "chrf": ("character_n_grams", "chrf"),
}
"""By measure the metric of translations that scores what is found, and its score."""

BLOCK_BYTES = 1 << 22
"""Number of bytes of hypotheses that are compared at a time by one thread."""

_FEATURES = """
SELECT h.score, h.features, h.feature_names
FROM hypotheses AS h
WHERE h.corpus = $corpus
ORDER BY h.sentence, h.rank
"""


def find_oracles(task: Task, measure: str, sizes: Sequence[int], weights: str, texts: Mapping[str, str]) -> Result:
    """A row per size: lists, those with a better hypothesis than the first, the score of the first, and of the best.

    sizes: ascending numbers of hypotheses. weights: by which lists are sorted, empty for the order of the file. texts:
    values of the parameters of metrics of translations. Raises UsageError, and as `open_inputs` does.
    """
    hypotheses, references = (catalog.query(name) for name in ("compared_hypotheses", "compared_references"))
    last_rank = 0 if weights else sizes[-1]
    parameters = {**texts, "measure": measure, "last_rank": last_rank}
    task = replace(task, reading=replace(task.reading, last_rank=last_rank), parameters=parameters)
    reference_parameters = items.declared_values(references, parameters)
    # raises for values that are not known
    references.values({"nbest_corpus": "", "reference_corpus": "", **reference_parameters})
    metric, score = METRICS[measure]
    read_columns = ("text", "score", "features", "feature_names") if weights else ("text",)
    with open_inputs(task, [hypotheses, references, catalog.query(metric)], read_columns) as inputs:
        [system] = inputs.systems
        values = inputs.values(system)
        items.check_audit(inputs.engine, catalog.query("list_correspondence"), values)
        rows = _rows_of(inputs.engine, hypotheses, values)
        names = inputs.of_role("reference")
        lists, others = _lists_of(rows), _rows_of(inputs.engine, references, values)
        if weights:
            rows = rows.take(pa.array(sort_lists(lists, _weighted(inputs.engine, system, weights))))
        others = others.filter(pa.array(np.isin(integers(others["sentence"]), integers(rows["sentence"]))))
        costs = _costs(rows["compared"], lists, others, measure)
        best = best_places(costs, lists, sizes)
        first = lists[:-1]
        chosen_rows = {tuple(places): rows.take(pa.array(places)) for places in (first, *best)}
        scored = _score(inputs.engine, system, names, list(chosen_rows.values()), metric, values)
        scores_of_places = dict(zip(chosen_rows, (row[score] for row in scored), strict=True))
    columns = {
        "n": sizes,
        "lists": [len(first)] * len(sizes),
        "better_lists": [int((costs[places] < costs[first]).sum()) for places in best],
        f"{score}_1_best": pa.array([scores_of_places[tuple(first)]] * len(sizes), pa.float64()),
        score: pa.array([scores_of_places[tuple(places)] for places in best], pa.float64()),
    }
    [direction] = [candidate.direction for candidate in catalog.query(metric).scores if candidate.name == score]
    both = (score, f"{score}_1_best")
    return Result(pa.table(columns), {}, frozenset(both), dict.fromkeys(both, direction))


def _rows_of(engine: Engine, query: catalog.Query, values: Mapping[str, object]) -> pa.Table:
    """The rows of a query, sorted by sentence and rank, as they mostly are."""
    parameters = query.values(items.declared_values(query, values))
    rows = execute(engine, query.statement.sql, query.name, parameters)
    rank = "rank" if "rank" in rows.schema.names else "reference_rank"
    sentence, place = integers(rows["sentence"]), integers(rows[rank])
    step = np.diff(sentence)
    if ((step > 0) | ((step == 0) & (np.diff(place) >= 0))).all():
        return rows
    return rows.take(pa.array(np.lexsort((place, sentence))))


def _lists_of(rows: pa.Table) -> Ints:
    """Where the rows of every sentence begin, and where the last ones end."""
    sentence = integers(rows["sentence"])
    return np.concatenate([np.flatnonzero(np.diff(sentence, prepend=-1)), [len(sentence)]]).astype(np.int64)


def _weighted(engine: Engine, corpus: str, weights: str) -> Floats:
    """The weighted sum of the score and the features of every hypothesis. Raises UsageError, UnknownName."""
    rows = engine.table(_FEATURES, {"corpus": corpus})
    values, _ = flatten(rows["features"])
    score, factors = parse_weights(weights, rows["feature_names"][0].as_py())
    total = np.zeros(len(rows))
    if score:
        if rows["score"].null_count:
            raise UsageError("--weights has a weight of the score, which hypotheses of this file do not have")
        total += score * to_numpy(rows["score"].combine_chunks(), np.float64)
    table = np.asarray(to_numpy(values, np.float64)).reshape(len(rows), len(factors))
    for place, factor in enumerate(factors):  # one after the other, so that sums are the same on all machines
        total += factor * table[:, place]
    return total


def _costs(compared: pa.ChunkedArray, lists: Ints, references: pa.Table, measure: str) -> Ints | Floats:
    """What is least for the best hypothesis, by hypothesis: errors, or the negative of a score."""
    reference_texts, reference_lists = _whole(references["compared"]), _lists_of(references)
    lengths = to_numpy(pc.binary_length(compared).combine_chunks(), np.int64)
    sizes = np.concatenate([[0], np.cumsum(lengths)])[lists]
    cuts = np.unique(np.searchsorted(sizes, np.arange(0, max(sizes[-1], 1), BLOCK_BYTES)))
    blocks = [*cuts.tolist(), len(lists) - 1] if len(cuts) and cuts[-1] < len(lists) - 1 else cuts.tolist()
    compare = _compare_words if measure != "chrf" else _compare_characters
    pieces: list[Callable[[], Any]] = []
    for first, last in pairwise(blocks):
        block_lists, block_reference_lists = lists[first : last + 1], reference_lists[first : last + 1]
        pieces.append(
            partial(
                compare,
                compared.slice(block_lists[0], block_lists[-1] - block_lists[0]),
                block_lists - block_lists[0],
                reference_texts[block_reference_lists[0] : block_reference_lists[-1]],
                block_reference_lists - block_reference_lists[0],
                measure,
            )
        )
    return np.concatenate(run_in_threads(pieces))


def _compare_words(
    compared: pa.ChunkedArray, lists: Ints, references: pa.Array, reference_lists: Ints, measure: str
) -> Ints | Floats:
    from treesql.kernels.texts import nbest  # here, for it brings the compiler

    texts, reference_texts = nbest.number_words(*_bytes(_whole(compared)), lists, *_bytes(references), reference_lists)
    if measure == "bleu":
        return -nbest.bleu(texts, reference_texts)
    if measure == "ter":
        longest = (np.diff(side.offsets).max(initial=0, keepdims=True) + 1 for side in (texts, reference_texts))
        check_cells("words", *longest)
        return nbest.shift_edits(texts, reference_texts)
    return (
        nbest.word_edits(texts, reference_texts) if measure == "wer" else nbest.word_differences(texts, reference_texts)
    )


def _compare_characters(
    compared: pa.ChunkedArray, lists: Ints, references: pa.Array, reference_lists: Ints, _: str
) -> Floats:
    from treesql.kernels.texts import nbest

    texts = nbest.Texts(*without_space(*code_points(compared)), lists)
    best = np.full(len(compared), -np.inf)
    for rank in range(int(np.diff(reference_lists).max())):
        at = reference_lists[:-1] + np.minimum(rank, np.diff(reference_lists) - 1)
        characters = without_space(*code_points(pa.chunked_array([references.take(pa.array(at))])))
        best = np.maximum(best, nbest.chrf(texts, nbest.Texts(*characters, np.arange(len(at) + 1))))
    return -best


def _whole(texts: pa.ChunkedArray) -> pa.Array:
    return texts.cast(pa.large_string()).combine_chunks()


def _offsets(texts: pa.Array) -> Ints:
    return np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)


def _bytes(texts: pa.Array) -> tuple[Bytes, Ints]:
    """The bytes of texts, and where those of each begin and end."""
    data = texts.buffers()[2]
    return np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8), _offsets(texts)


def _score(
    engine: Engine, corpus: str, references: Sequence[str], chosen: Sequence[pa.Table], metric: str,
    values: Mapping[str, object],
) -> list[dict[str, Any]]:  # fmt: skip
    """The scores of a metric of translations of sets of hypotheses, one of every list. values: of its parameters."""
    query = catalog.query(metric)
    parameters = items.declared_values(query, values)
    longest = max([corpus, *references], key=len)  # so that no set has the name of a corpus
    texts = {f"{longest} {at}": (_words_of(rows), rows["text"]) for at, rows in enumerate(chosen)}
    with connect_to_texts(engine, corpus, references, texts, [query]) as text_engine:
        scored = [
            scores.score(text_engine, [metric], {**parameters, "hypothesis_corpus": name}).rows() for name in texts
        ]
    return [dict(row) for [row] in scored]


def _words_of(rows: pa.Table) -> pa.Table:
    """The words of hypotheses: `sentence, word, form`."""
    forms = pc.split_pattern_regex(pc.utf8_trim(rows["text"], " \t"), "[ \t]+")
    words = words_of_paths(pa.table({"sentence": rows["sentence"], "path_forms": forms}))
    return words.filter(pc.field("form") != "")  # of an empty text


MAX_SIZE = 1 << 31
"""Maximum number of hypotheses of a list that can be asked for."""

SCORE = "score"
"""The name of the score of a hypothesis among weights."""


def parse_sizes(given: str | int | Sequence[int]) -> list[int]:
    """Numbers of hypotheses, ascending, each once. Raises UsageError."""
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else list(given)
    sizes = set()
    for part in parts:
        text = str(part).strip()
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text) < MAX_SIZE:
            raise UsageError(f"n is {text or 'empty'}; write numbers from 1 on, with commas between, such as 1,2,5,10")
        sizes.add(int(text))
    if not sizes:
        raise UsageError("n is empty; name at least one number of hypotheses")
    return sorted(sizes)


def parse_weights(given: str, names: Sequence[str]) -> tuple[float, list[float]]:
    """The weight of the score, and that of every feature. names: of the features. Raises UsageError, UnknownName."""
    factors, score = [0.0] * len(names), 0.0
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if not any("=" in part for part in parts):
        if len(parts) != len(names):
            numbers, features = (f"{len(listed)} {{}}{'s' * (len(listed) != 1)}" for listed in (parts, names))
            what = f"--weights has {numbers.format('number')}, and hypotheses have {features.format('feature')}"
            raise UsageError(f"{what}; give each a weight, or write NAME=WEIGHT")
        return 0.0, [_weight(part) for part in parts]
    for part in parts:
        name, equals, value = part.rpartition("=")
        if not equals:
            raise UsageError(f"--weights has {part} without a name; write NAME=WEIGHT for all, or numbers alone")
        if name != SCORE and name not in filter(None, names):
            raise UnknownName("feature", name, list(dict.fromkeys([SCORE, *filter(None, names)])))
        weight = _weight(value)
        if name in names:
            factors = [weight if feature == name else factor for feature, factor in zip(names, factors, strict=True)]
        else:
            score = weight
    return score, factors


def _weight(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise UsageError(f"the weight {text} is not a finite number; write one such as -0.5")
    return value


def sort_lists(lists: Ints, weighted: Floats) -> Ints:
    """The places of all hypotheses, those of every list by their weighted sums, the largest first, else in order.

    lists: (lists + 1,), the first and last hypothesis of every list.
    """
    list_of = np.repeat(np.arange(len(lists) - 1), np.diff(lists))
    return np.lexsort((-weighted, list_of))


def best_places(costs: Ints | Floats, lists: Ints, sizes: Sequence[int]) -> Ints:
    """Of the first hypotheses of every list the place of that with the least cost, the first if several have it.

    costs: of all hypotheses, one list after the other; lists: (lists + 1,). Returns (sizes, lists).
    """
    lengths = np.diff(lists)
    place = positions_in_list(lengths)
    best = np.empty((len(sizes), len(lengths)), np.int64)
    for at, size in enumerate(sizes):
        kept = np.flatnonzero(place < size)
        starts = np.concatenate([[0], np.cumsum(np.minimum(lengths, size))[:-1]])
        least = np.minimum.reduceat(costs[kept], starts)
        is_best = costs[kept] == np.repeat(least, np.minimum(lengths, size))
        first = np.flatnonzero(is_best)
        list_of = np.searchsorted(starts, first, side="right") - 1
        _, firsts = np.unique(list_of, return_index=True)
        best[at] = kept[first[firsts]]
    return best
