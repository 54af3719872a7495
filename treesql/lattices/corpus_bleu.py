"""The search for paths of the lattices of a corpus whose BLEU, all of them together, is the best found.

BLEU of a corpus is no sum over its lattices. Its logarithm is replaced by a line around the current sums of counts: a
gain per match of each order, a cost per n-gram, a gain per word where the paths are too short. The best path of every
lattice by these gains (treesql.kernels.bleu_paths) gives new sums, until they are those of an earlier round. Sources:
Zens & Ney 2005, Word graphs for statistical machine translation; Sokolov, Wisniewski & Yvon 2012, Lattice BLEU oracles
in machine translation.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.engines import Engine
from treesql.functions.arrays import flatten, integer_array
from treesql.functions.lattice_bleu import batch_with_references, edges_and_forms
from treesql.kernels.arrays import Floats, Ints
from treesql.scoring import scores
from treesql.significance import expressions

MAX_ROUNDS = 50
"""Maximum number of rounds."""

_STAGES = ((12, 8), (30, 200))
"""Effort of the search for the best path by gains, as in treesql.kernels.bleu_paths."""

_COUNTS = (
    "matches_1", "matches_2", "matches_3", "matches_4", "n_grams_1", "n_grams_2", "n_grams_3", "n_grams_4",
    "hypothesis_words", "closest_words",
)  # fmt: skip
"""The columns of graph_bleu in the order of the kernel's counts."""

_STEPS = (1.0, 0.5, 0.25, 0.125)
"""Shares by which sums approach those of a round, tried in turn while rounds repeat themselves."""


def find_corpus_paths(engine: Engine, values: Mapping[str, object], rows: pa.Table) -> pa.Table:
    """Return the rows of oracle_paths with the paths whose corpus BLEU is the best of at most MAX_ROUNDS rounds.

    values: of the parameters of lattice_references. rows: oracle_paths for `bleu`, by sentence: the paths to begin
    with. No path is proven.
    """
    from treesql.kernels.bleu_paths import BleuEffort, best_paths  # here, as few commands need it

    lattices = scores.run_query(engine, catalog.query("lattice_references"), values).sort_by("sentence")
    columns = (lattices[name] for name in ("n_nodes", "edges", "reference_lists"))
    batch, text_offsets, numbers, words = batch_with_references(*columns)
    best = best_paths(batch, text_offsets)
    sums = best.counts.sum(axis=0)
    best_bleu, around, known, step = bleu_of(sums[np.newaxis])[0], sums.astype(np.float64), {tuple(sums)}, 0
    for _ in range(MAX_ROUNDS):
        found = best_paths(batch, text_offsets, gains_of(around), BleuEffort(stages=_STAGES))
        sums = found.counts.sum(axis=0)
        if (own := bleu_of(sums[np.newaxis])[0]) > best_bleu:
            best, best_bleu = found, own
        step += tuple(sums) in known
        if step == len(_STEPS):
            break
        known.add(tuple(sums))
        around += _STEPS[step] * (sums - around)
    edges, forms = edges_and_forms(batch, numbers, words, best)
    names, closest = lattices["reference_names"], best.counts[:, -1]
    changed = {
        "reference": _closest_references(names, batch.reference_offsets, text_offsets, closest),
        "n_reference_words": integer_array(closest),
        "path_words": integer_array(best.counts[:, -2]),
        "path_score": pa.array(bleu_of(best.counts, "gbleu_effective")),
        "proven": pa.array(np.zeros(len(best.counts), dtype=bool)),
        "path_edges": edges,
        "path_forms": forms,
    }
    for name, values_of_paths in changed.items():
        rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), values_of_paths)
    return rows


def bleu_of(counts: Ints, score: str = "gbleu") -> Floats:
    """BLEU by row, as the score of `graph_bleu` has it. counts: (rows, COUNTS) of treesql.kernels.n_gram_bounds."""
    query = catalog.query("graph_bleu")
    [expression] = [one for one in query.scores if one.name == score]
    return expressions.values(expression, dict(zip(_COUNTS, counts.T.astype(np.float64), strict=True)))


def gains_of(sums: Floats) -> Floats:
    """The derivatives of the logarithm of corpus BLEU by its counts, in the order of `bleu_of`, times the words.

    An order without matches has the gain of one match.
    """
    orders = len(sums) // 2 - 1
    at_least_one = np.maximum(sums, 1.0)
    words, closest = at_least_one[-2:]
    gains = np.zeros(len(sums))
    gains[:orders] = 1 / (orders * at_least_one[:orders])
    gains[orders : 2 * orders] = -1 / (orders * at_least_one[orders : 2 * orders])
    if words < closest:
        gains[-2:] = closest / words**2, -1 / words
    return np.asarray(gains * words)


def _closest_references(names: pa.ChunkedArray, offsets: Ints, text_offsets: Ints, closest: Ints) -> pa.Array:
    """The name of the first reference of every lattice that has the length of the closest one."""
    lattice = np.repeat(np.arange(len(closest)), np.diff(offsets))
    equal = np.flatnonzero(np.diff(text_offsets) == closest[lattice])
    _, first = np.unique(lattice[equal], return_index=True)
    return flatten(names)[0].take(pa.array(equal[first]))
