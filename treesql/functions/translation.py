"""SQL functions that compare words of translations with words of references."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import encode_strings, flatten, integer_array, list_array
from treesql.functions.checks import check_cells
from treesql.functions.function import Function
from treesql.kernels.arrays import Ints

OPERATIONS = ("match", "substitution", "insertion", "deletion")
"""By kind of step, in the order of treesql.kernels.edit_distance."""


def edit_steps(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the steps of an alignment with fewest edits."""
    from treesql.kernels.edit_distance import alignments  # here, for it brings the compiler

    (one, one_offsets), (other, other_offsets) = flatten(hypotheses), flatten(references)
    check_cells("words", np.diff(one_offsets) + 1, np.diff(other_offsets) + 1)
    left, right = encode_strings(one.cast(pa.string()), other.cast(pa.string()))
    found = alignments(left, one_offsets, right, other_offsets)
    names = pa.array(OPERATIONS, pa.string()).take(pa.array(found.kind))
    places = [_positions(found.left), _positions(found.right)]
    fields = ["operation", "hypothesis_position", "reference_position"]
    return list_array(pa.StructArray.from_arrays([names, *places], names=fields), found.offsets)


def _positions(places: Ints) -> pa.Array:
    """0-based places as 1-based positions; NULL where there is none."""
    return integer_array(np.asarray(places + 1), np.asarray(places < 0))


FUNCTIONS = (
    Function(
        "edit_steps",
        "an alignment of two lists with fewest edits, of several with most substitutions, as steps: match, "
        "substitution, insertion (an item of the hypothesis too many) or deletion, with the 1-based positions",
        (("hypothesis", "VARCHAR[]"), ("reference", "VARCHAR[]")),
        "STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]",
        edit_steps,
    ),
)
