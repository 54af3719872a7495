"""Kernels as SQL functions over Arrow batches: each is a line of FUNCTIONS and what turns lists into arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

from treesql.kernels.alignment import Ints, common_subsequences

if TYPE_CHECKING:
    from treesql.kernels.lattice_oracles import Batch


@dataclass(frozen=True)
class Function:
    """A scalar SQL function: its DuckDB types, and what it does with Arrow arrays of one length."""

    name: str
    doc: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    call: Callable[..., pa.Array]


def common_subsequence(left: pa.ChunkedArray, right: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the 1-based positions of a longest common subsequence in both."""
    n = len(left)
    (one, one_offsets), (other, other_offsets) = _flat(left), _flat(right)
    numbers = _numbers(one, other)
    found = common_subsequences(numbers[: len(one)], one_offsets, numbers[len(one) :], other_offsets)
    positions = [_integers(found.left + 1), _integers(found.right + 1)]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return _lists(np.searchsorted(found.pair, np.arange(n + 1)), pairs)


def edit_steps(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the steps of an alignment with fewest edits."""
    from treesql.kernels.edit_distance import alignments  # here, for it brings the compiler

    (one, one_offsets), (other, other_offsets) = _flat(hypotheses), _flat(references)
    numbers = _numbers(one, other)
    found = alignments(numbers[: len(one)], one_offsets, numbers[len(one) :], other_offsets)
    names = pa.array(OPERATIONS, pa.string()).take(pa.array(found.kind))
    places = [_positions(found.left), _positions(found.right)]
    fields = ["operation", "hypothesis_position", "reference_position"]
    return _lists(found.offsets, pa.StructArray.from_arrays([names, *places], names=fields))


def oracle(*, bag: bool, quotient: bool) -> Callable[[pa.ChunkedArray, pa.ChunkedArray, pa.ChunkedArray], pa.Array]:
    """What finds, for every lattice, the path that is nearest to its reference.

    bag: whatever the order of words; quotient: by errors for each word of the path.
    """

    def nearest(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
        return _nearest(n_nodes, edges, references, bag, quotient)

    return nearest


def _nearest(
    n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray, bag: bool, quotient: bool
) -> pa.Array:
    from treesql.kernels import lattice_oracles, position_independent  # here, for they bring the compiler

    batch, edge_numbers, words = _lattices(n_nodes, edges, references)
    if bag:
        best = position_independent.nearest_bag(batch, quotient=quotient)
        errors, proven, bound = best.errors, best.proven, best.bound
        n_words, offsets, path = best.n_words, best.offsets, best.edges
    else:
        found = lattice_oracles.nearest_quotient(batch) if quotient else lattice_oracles.nearest(batch)
        errors, proven = found.edits, np.ones(len(found.edits), dtype=bool)
        n_words, offsets, path = found.n_words, found.offsets, found.edges
        bound = errors / np.where(found.n_words > 0, found.n_words, 1) if quotient else errors.astype(np.float64)
    lattice = np.repeat(np.arange(len(errors)), np.diff(offsets))
    places = batch.edge_offsets[lattice] + path
    lengths = np.diff(batch.word_offsets)[places]
    word_places = np.repeat(batch.word_offsets[places], lengths) + _within(lengths)
    word_ends = np.concatenate([[0], np.cumsum(lengths)])[offsets]
    none = errors < 0
    columns = [
        _integers(errors, none),
        _integers(n_words, none),
        pa.array(proven),
        pa.array(np.where(none, 0.0, bound), mask=none),
        _lists(offsets, _integers(edge_numbers[places])),
        _lists(word_ends, words.take(pa.array(word_places))),
    ]
    return pa.StructArray.from_arrays(columns, names=["errors", "words", "proven", "bound", "edges", "forms"])


OPERATIONS = ("match", "substitution", "insertion", "deletion")
"""By kind of step, in the order of treesql.kernels.edit_distance."""

PACKED_EDGES = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]"
"""The edges of a lattice, in any order."""

_ORACLE = (("n_nodes", "INTEGER"), ("edges", PACKED_EDGES), ("reference", "VARCHAR[]"))
_PATH = "STRUCT(errors INTEGER, words INTEGER, proven BOOLEAN, bound DOUBLE, edges INTEGER[], forms VARCHAR[])"

FUNCTIONS = (
    Function(
        "common_subsequence",
        "the 1-based positions, in two lists, of the items of a longest common subsequence",
        (("left", "VARCHAR[]"), ("right", "VARCHAR[]")),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        common_subsequence,
    ),
    Function(
        "edit_steps",
        "an alignment of two lists with fewest edits, of several with most substitutions, as steps: match, "
        "substitution, insertion (an item of the hypothesis too many) or deletion, with the 1-based positions",
        (("hypothesis", "VARCHAR[]"), ("reference", "VARCHAR[]")),
        "STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]",
        edit_steps,
    ),
    Function(
        "nearest_path",
        "the path of a lattice with the smallest edit distance to a reference (GER)",
        _ORACLE,
        _PATH,
        oracle(bag=False, quotient=False),
    ),
    Function(
        "nearest_path_per_word",
        "the path with the smallest edit distance for each of its words (GWER); errors NULL if no path has words",
        _ORACLE,
        _PATH,
        oracle(bag=False, quotient=True),
    ),
    Function(
        "nearest_bag",
        "the path with the smallest position-independent edit distance (PMED), and whether that is proven",
        _ORACLE,
        _PATH,
        oracle(bag=True, quotient=False),
    ),
    Function(
        "nearest_bag_per_word",
        "the path with the smallest position-independent edit distance for each of its words (GPER), as above",
        _ORACLE,
        _PATH,
        oracle(bag=True, quotient=True),
    ),
)


def install(connection: duckdb.DuckDBPyConnection) -> None:
    """Make all functions known to a connection, which must be closed before the process ends."""
    for function in FUNCTIONS:
        types = [kind for _, kind in function.parameters]
        create: Any = connection.create_function
        create(function.name, function.call, types, function.returns, type="arrow")


def _flat(lists: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The items of lists one after the other, and where each list begins and ends."""
    whole = lists.combine_chunks()
    width = np.dtype(np.int64 if pa.types.is_large_list(whole.type) else np.int32)
    start = whole.offsets.offset * width.itemsize
    offsets = np.frombuffer(whole.offsets.buffers()[1], dtype=width, count=len(whole) + 1, offset=start)
    return whole.flatten(), offsets.astype(np.int64) - int(offsets[0])


def _integers(values: Ints, absent: Any = None) -> pa.Array:
    """Integers of 32 bits; NULL where `absent`."""
    validity = None if absent is None else pa.py_buffer(np.packbits(~absent, bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(values), [validity, pa.py_buffer(values.astype("i4"))])


def _positions(places: Ints) -> pa.Array:
    """0-based places as 1-based positions; NULL where there is none."""
    return _integers(places + 1, places < 0)


def _lists(offsets: Ints, values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(_integers(offsets), values)


def _within(lengths: Ints) -> Ints:
    """0, 1, 2, ... for each length in turn."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _numbers(*lists: pa.Array) -> Ints:
    """Numbers for the items of several arrays, one after the other; equal items have equal numbers."""
    items = pa.chunked_array([part.cast(pa.string()) for part in lists]).combine_chunks().dictionary_encode().indices
    return np.frombuffer(items.buffers()[1], dtype=np.int32, count=len(items)).astype(np.int64)


def _lattices(
    n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray
) -> tuple[Batch, Ints, pa.Array]:
    """Lattices as arrays, their edges in the order of their numbers; these numbers, and the words."""
    from treesql.kernels.lattice_oracles import Batch

    packed, edge_offsets = _flat(edges)
    numbers, from_node, to_node = (_array(packed.field(name)) for name in ("edge", "from_node", "to_node"))
    order = None
    lattice = np.repeat(np.arange(len(edge_offsets) - 1), np.diff(edge_offsets))
    if len(numbers) and not ((np.diff(numbers) > 0) | (np.diff(lattice) > 0)).all():
        order = np.lexsort((numbers, lattice))
        packed = packed.take(pa.array(order))
        numbers, from_node, to_node = numbers[order], from_node[order], to_node[order]
    words, word_offsets = _flat(pa.chunked_array([packed.field("words")]))
    given, reference_offsets = _flat(references)
    ids = _numbers(words, given)
    batch = Batch(
        _array(n_nodes.combine_chunks()), edge_offsets, from_node, to_node, word_offsets, ids[: len(words)],
        reference_offsets, ids[len(words) :],
    )  # fmt: skip
    return batch, numbers, words


def _array(values: pa.Array) -> Ints:
    return np.asarray(values).astype(np.int64)
