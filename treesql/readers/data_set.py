"""Checks between the tables of a Parquet data set, for all that other readers guarantee.

Tables come in ORDER, so that rows are compared as they are read with what is known from earlier tables: a few numbers
for every sentence and lattice. Rows are sorted by their keys, as `treesql export` writes them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treesql.errors import MAX_NAMED, Diagnostic
from treesql.kernels import trees
from treesql.kernels.arrays import Flags, Ints
from treesql.readers import Options
from treesql.readers.columns import FINDINGS, Finding, RepeatedFeatures, text_keys
from treesql.readers.data_set_columns import HINT, check_open_values, check_texts, ints
from treesql.readers.fields import Faults
from treesql.readers.lattices import LatticeWarnings
from treesql.readers.links import LinkWarnings
from treesql.runtime.arrays import compute as pc

ORDER = (
    "corpora", "sentences", "constituent_labels", "constituent_lists", "constituents", "tokens", "words",
    "secondary_edges", "empty_nodes", "word_columns", "token_columns", "empty_node_columns", "enhanced_edges",
    "lattices", "lattice_edges", "lattice_words", "alignments",
)  # fmt: skip
"""The order of the tables: each after those that it is compared with."""

_TEXTS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")

_OPEN = ("upos", "xpos", "feats", "deprel", "deps", "misc")


def no_numbers() -> Ints:
    """No numbers."""
    return np.zeros(0, dtype=np.int64)


@dataclass
class DataSetState:
    """The state of reading a data set: a corpus as known from the tables read so far.

    rows, paths: of every table. n_words, n_phrases, n_edges, n_nodes: by sentence, None where nothing tells. starts_of:
    of tables, where the rows of each sentence begin. checksums: of what two tables both have. last_key: of tables, that
    of the row before. left: of tables, the rows of a sentence that has more. broken: whether a table had faults, so
    that nothing is compared with it. without_ids: whether sent_id was left out at load; null_links: whether links to
    the empty word were kept. tokens: the row of the first word, the number of words and the width of each; characters:
    the offset after the words read so far. relations: sum over DEPS less that over enhanced_edges. first_words: of
    tokens, sentence and first word of each as one number.
    final_sizes, n_finals: of every lattice, numbers of scores of its final node (-1: none) and of final nodes.
    """

    options: Options
    kind: str = ""
    form: str = ""
    n_sentences: int = -1
    n_words_in_all: int = -1
    rows: dict[str, int] = field(default_factory=dict)
    n_words: Ints | None = None
    n_phrases: Ints | None = None
    n_edges: Ints | None = None
    n_nodes: Ints | None = None
    dead_edges: Ints | None = None
    labels: pa.Array | None = None
    words_on_edges: list[Ints] = field(default_factory=list)
    empty_nodes: tuple[Ints, Ints] = (no_numbers(), no_numbers())
    first_words: Ints = field(default_factory=no_numbers)
    checksums: dict[str, int] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    starts_of: dict[str, Ints] = field(default_factory=dict)
    last_key: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    left: dict[str, dict[str, Ints]] = field(default_factory=dict)
    broken: bool = False
    without_ids: bool = False
    null_links: bool = True
    tokens: tuple[Ints, Ints, Ints] = (no_numbers(), no_numbers(), no_numbers())
    last_token: tuple[int, int] = (-1, 0)
    characters: int = 0
    relations: int = 0
    final_sizes: Ints = field(default_factory=no_numbers)
    n_finals: Ints = field(default_factory=no_numbers)
    warnings: DataSetWarnings = field(default_factory=lambda: DataSetWarnings())

    def add(self, what: str, values: NDArray[Any]) -> None:
        """Add values to the checksum of what they are of."""
        self.checksums[what] = zlib.crc32(values.data, self.checksums.get(what, 0))

    def agree(self, one: str, other: str) -> bool:
        """Whether two checksums are those of the same values."""
        return self.checksums.get(one, 0) == self.checksums.get(other, 0)

    def check_order(
        self, table: str, keys: dict[str, Ints], first: int, faults: Faults, text: pa.Array | None = None
    ) -> None:
        """Note the first row whose key is not above that of the row before it, in this batch or at the end of the last.

        keys: the columns of the key that are numbers; text: the last one if it is a text, sorted by its bytes.
        """
        if not len(next(iter(keys.values()))):
            return
        last = self.last_key.get(table, (*[-1] * len(keys), ""))
        lower, same = np.False_, np.True_
        for key, end in reversed(list(zip(keys.values(), last, strict=False))):
            before = np.append(end, key[:-1])
            lower = (key < before) | ((key == before) & lower)
            same = (key == before) & same
        texts = () if text is None else (text[-1].as_py(),)
        self.last_key[table] = (*(int(key[-1]) for key in keys.values()), *texts)
        again = np.flatnonzero(same)
        if text is not None and len(again):
            both = pa.concat_arrays([pa.array([last[-1]], pa.string()), text])
            rising = pc.less(both.take(pa.array(again)), both.take(pa.array(again + 1)))
            again = again[~np.asarray(rising.to_numpy(zero_copy_only=False))]
        wrong = np.append(again[:1], np.flatnonzero(lower)[:1])
        if len(wrong):
            at = int(wrong.min())
            row = ", ".join(f"{name} {key[at]}" for name, key in keys.items())
            what = "it is there twice" if at in again[:1] else "it belongs before the row above"
            faults.add(first + at, f"{row}: {what}", HINT)

    def check_sentences(self, sentence: Ints, first: int, faults: Faults) -> None:
        """Note the first row of a sentence that does not exist."""
        self.check_below("sentence", sentence, self.n_sentences, first, faults)

    def check_below(self, name: str, values: Ints, n: Ints | int, first: int, faults: Faults) -> None:
        """Note the first row whose value is not below n."""
        wrong = values >= n
        if wrong.any():
            at = int(wrong.argmax())
            most = n if isinstance(n, int) else int(n[at])
            faults.add(first + at, f"{name} {values[at]} does not exist; the last one is {most - 1}", HINT)

    def check_layout(
        self, table: str, counts: Ints, found: tuple[Ints, Ints], names: tuple[str, str], base: int, faults: Faults
    ) -> None:
        """Note the first row that is not the expected one, if groups have so many rows, numbered from a base.

        found: by row its group and its number there; names: what these are called.
        """
        first, n = self.rows.get(table, 0), len(found[0])
        starts = self.starts(table, counts)
        total = int(starts[-1])
        if first + n > total:
            n = max(total - first, 0)
        group, place = positions_in_groups(starts, first, n)
        wrong = (found[0][:n] != group) | (found[1][:n] != place + base)
        if wrong.any():
            at = int(wrong.argmax())
            here = f"{names[0]} {found[0][at]}, {names[1]} {found[1][at]}"
            what = f"expected {names[0]} {group[at]}, {names[1]} {place[at] + base}, found {here}"
            faults.add(first + at + 1, what, HINT)
        elif n < len(found[0]):
            faults.add(first + n + 1, f"more rows than the {total:,} that there should be", HINT)

    def starts(self, table: str, counts: Ints) -> Ints:
        """Where the rows of every sentence begin, and where the last ones end."""
        if table not in self.starts_of:
            self.starts_of[table] = np.concatenate([[0], np.cumsum(counts)])
        return self.starts_of[table]

    def whole(self, table: str, counts: Ints, columns: dict[str, Ints]) -> tuple[Ints, dict[str, Ints]]:
        """Rows of whole groups, with those left from the batch before: the first group and offsets, and columns.

        counts: the rows of every group. Called before `rows` counts the batch.
        """
        left = self.left.get(table, {name: no_numbers() for name in columns})
        joined = {name: np.concatenate([left[name], values]) for name, values in columns.items()}
        n = len(next(iter(joined.values())))
        ends = self.starts(table, counts)
        read = self.rows.get(table, 0) + len(next(iter(columns.values())))
        start = int(np.searchsorted(ends, read - n, side="right")) - 1
        stop = int(np.searchsorted(ends, read, side="right")) - 1
        size = int(ends[stop]) - (read - n)
        self.left[table] = {name: values[size:] for name, values in joined.items()}
        offsets = ends[start : stop + 1] - (read - n)
        return offsets, {name: values[:size] for name, values in joined.items()} | {"group": np.array([start])}


def positions_in_groups(starts: Ints, first: int, n: int) -> tuple[Ints, Ints]:
    """For n rows from `first` on the group that each is of, and its number in the group from 0.

    starts: where the rows of every group begin, and where the last ones end.
    """
    if not n:
        return no_numbers(), no_numbers()
    low, high = (int(at) - 1 for at in np.searchsorted(starts, [first, first + n - 1], side="right"))
    here = starts[low : high + 2]
    cut = np.clip(here, first, first + n)
    sizes = cut[1:] - cut[:-1]
    return np.repeat(np.arange(low, high + 1), sizes), np.arange(first, first + n) - np.repeat(here[:-1], sizes)


def check_corpora(
    known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults, kinds: tuple[str, ...]
) -> None:
    """The record of the corpus: one row, of a kind that there is."""
    if known.rows.get("corpora", 0) + len(batch) != 1:
        faults.add(first, "a corpus has one row", HINT)
        return
    [row] = batch.select(["kind", "format", "n_sentences", "n_words", "reading"]).to_pylist()
    reading = None if row["reading"] is None else row["reading"].split()
    known.form = row["format"]
    known.without_ids = reading is None or "ids:none" in reading
    known.null_links = reading is None or "null_links" in reading
    if row["kind"] not in kinds:
        faults.add(first, f"kind is {row['kind']!r}, but kinds are {', '.join(kinds)}", HINT)
    known.kind, known.n_sentences, known.n_words_in_all = row["kind"], row["n_sentences"], row["n_words"]


def check_sentences(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Sentences are numbered 0, 1, 2, ... without gaps."""
    check_numbered(batch, "sentence", first, first - 1, faults)
    n_words = ints(batch.column("n_words"))
    known.n_words = n_words if known.n_words is None else np.concatenate([known.n_words, n_words])


def check_numbered(batch: pa.RecordBatch, name: str, first: int, start: int, faults: Faults) -> None:
    """Note the first row whose number is not the next one. start: the first of the batch."""
    found = ints(batch.column(name))
    wrong = found != np.arange(start, start + len(found))
    if wrong.any():
        at = int(wrong.argmax())
        faults.add(first + at, f"expected {name} {start + at}, found {name} {found[at]}", HINT)


def check_words(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Words are numbered 1, 2, ... in their sentences; heads are words, and make trees; phrases are there."""
    if known.n_words is None:  # no sentence was read
        known.n_words = np.zeros(0, np.int64)
    sentence, word = ints(batch.column("sentence")), ints(batch.column("word"))
    known.check_layout("words", known.n_words, (sentence, word), ("sentence", "word"), 1, faults)
    if faults.found:
        return
    if known.kind == "dependency":
        check_texts(batch, _TEXTS, first, faults)
        check_open_values(batch, _OPEN, first, faults)
    elif known.kind == "constituency":
        check_texts(batch, ("form", "xpos"), first, faults, "" if known.form == "newick" else "\t\n\r")
    elif known.kind == "text":
        check_texts(batch, ("form",), first, faults, " \t\n\r")
        if "form" in batch.schema.names:
            known.add("form", text_keys(batch.column("form")))
    names = batch.schema.names
    if "phrase" in names:
        phrase = ints(batch.column("phrase"), 0)
        most = known.n_phrases
        if most is not None and len(most):
            known.check_below("phrase", phrase, most[sentence] + 1, first, faults)
        elif known.kind != "constituency" and (phrase > 0).any():
            what = f"a phrase of a word in a {known.kind} tree"
            faults.add(first + int((phrase > 0).argmax()), what, HINT)
        known.add("phrase", phrase.astype(np.int32))
    if "head" in names:
        head, depth = ints(batch.column("head")), ints(batch.column("depth"))
        wrong = head > known.n_words[sentence]
        if wrong.any():
            at = int(wrong.argmax())
            what = f"head {head[at]} is not a word of the sentence, which has {known.n_words[sentence[at]]}"
            faults.add(first + at, what, HINT)
            return
        index = {name: _tree_numbers(batch.column(name)) for name in _INDEX if name in names}
        offsets, columns = known.whole("words", known.n_words, {"head": head, "depth": depth, **index})
        end = first - 1 + len(batch) - len(known.left["words"]["head"])
        _check_trees(known, offsets, columns, end - int(offsets[-1]) + 1, faults)


_INDEX = ("enter", "leave", "projective")


def _tree_numbers(values: pa.Array) -> Ints:
    """Integers or flags, -1 in place of NULL."""
    if not pa.types.is_boolean(values.type):
        return ints(values)
    return np.asarray(pc.fill_null(values.cast(pa.int8()), -1).to_numpy(), dtype=np.int64)


def _check_trees(known: DataSetState, offsets: Ints, columns: dict[str, Ints], first: int, faults: Faults) -> None:
    """Heads of whole sentences: all or none are there, they form no cycle, and depths are theirs."""
    head, depth, n = columns["head"], columns["depth"], np.diff(offsets)
    start = np.repeat(offsets[:-1], n)
    parents = np.where(head > 0, start + head - 1, -1)
    expected = np.where(head > 0, depth[parents] + 1, np.where(head == 0, 1, -1))
    good = depth == expected
    sentences = np.repeat(np.arange(len(n)), n)
    roots = np.bincount(sentences[head == 0], minlength=len(n))
    group = int(columns["group"][0])
    if not known.options.strict and good.all() and int(head.min(initial=0)) >= 0 and int(depth.min(initial=1)) > 0:
        known.warnings.roots.append(group + np.flatnonzero(roots > 1))
        _check_tree_index(parents, depth > 0, offsets, columns, first, faults)
        return
    good &= (depth > 0) | (head < 0)
    absent = np.bincount(sentences[head < 0], minlength=len(n))
    for at in np.flatnonzero((absent > 0) & (absent < n))[:1].tolist():
        row = int(offsets[at]) + int((head[offsets[at] : offsets[at + 1]] < 0).argmax())
        faults.add(first + row, "head is missing, although other words of the sentence have heads", HINT)
    if known.options.strict:
        for at in np.flatnonzero(roots > 1)[:1].tolist():
            hint = "give one word head 0, or load without --strict"
            faults.add(first + int(offsets[at]), f"{roots[at]} roots", hint)
    if faults.found:
        return
    odd = np.unique(sentences[~good])
    among = np.isin(sentences, odd)
    endless = trees.ancestor_jumps(np.where(among, parents, -1), int(n.max(initial=0))).endless
    cyclic = np.unique(sentences[endless])
    if len(cyclic) and not known.options.permissive:
        what = "heads form a cycle"
        faults.add(first + int(offsets[cyclic[0]]), what, "give one of them another head, or load with --permissive")
        return
    in_cyclic = np.isin(sentences, cyclic)
    stale = np.where(in_cyclic, depth > 0, ~good)
    if stale.any():
        at = int(stale.argmax())
        told = "NULL" if depth[at] < 0 else depth[at]
        faults.add(first + at, f"depth {told} is not that of a word with head {head[at]}", HINT)
        return
    roots[cyclic] = 0
    known.warnings.roots.append(group + np.flatnonzero(roots > 1))
    known.warnings.cyclic.append(group + cyclic)
    there = (head >= 0) & ~in_cyclic
    _check_tree_index(np.where(there, parents, -1), there, offsets, columns, first, faults)


def _check_tree_index(
    parents: Ints, there: Flags, offsets: Ints, columns: dict[str, Ints], first: int, faults: Faults
) -> None:
    """Note the first word whose tree index is not that of its tree."""
    found = find_wrong_index(parents, there, offsets, columns)
    if found is not None:
        faults.add(first + found[0], found[1], HINT)


def find_wrong_index(parents: Ints, there: Flags, offsets: Ints, columns: dict[str, Ints]) -> tuple[int, str] | None:
    """The first row whose enter, leave or projective is not that of its tree, and what is wrong; None where all are.

    parents: as trees.index_trees takes them, -1 where the sentence has no tree; there: which words are in a tree. The
    intervals are verified without sorting: in each sentence enter numbers the words, every word lies in the interval
    of its head and is as large as its subtrees and itself, and the next subtree of the same head is of a later word.
    """
    if "enter" not in columns:
        return None
    enter, leave = columns["enter"], columns["leave"]
    n = len(parents)
    counts = np.diff(offsets)
    start = np.repeat(offsets[:-1], counts)
    wrong = (enter < 0) == there
    wrong |= (leave < 0) == there
    for name in ("enter", "leave"):
        wrong |= there & (columns[name] > np.repeat(counts, counts))
    wrong |= there & ((enter < 1) | (leave < enter))
    if not wrong.any():
        own = np.flatnonzero(there)
        place = start[own] + enter[own] - 1
        at_place = np.full(n, -1, dtype=np.int64)
        at_place[place] = own
        below = np.flatnonzero(parents >= 0)
        above = parents[below]
        wrong[own] = at_place[place] != own  # a number that stands twice
        wrong[below] |= (enter[below] <= enter[above]) | (leave[below] > leave[above])
        size = leave - enter + 1
        sum_below = np.bincount(above, weights=size[below], minlength=n).astype(np.int64)
        wrong[own] |= size[own] != sum_below[own] + 1
        end = np.repeat(counts, counts)
        end[below] = leave[above]
        before = np.flatnonzero(there & (leave < end))
        after = at_place[start[before] + leave[before]]
        wrong[before] |= (after <= before) | (parents[after] != parents[before])
    if wrong.any():
        at = int(wrong.argmax())
        shown = ["NULL" if columns[name][at] < 0 else str(columns[name][at]) for name in ("enter", "leave")]
        return at, f"enter {shown[0]} and leave {shown[1]} are not those of the word in its tree"
    if "projective" in columns:
        expected = np.where(there, trees.projective_edges(parents, enter, leave), -1)
        odd = np.flatnonzero(columns["projective"] != expected)
        if len(odd):
            shown_flag = {-1: "NULL", 0: "false", 1: "true"}
            values = (shown_flag[int(found[odd[0]])] for found in (columns["projective"], expected))
            return int(odd[0]), "projective is {}, where it should be {}".format(*values)
    return None


@dataclass
class DataSetWarnings:
    """What was found in the rows of a corpus.

    roots, cyclic, doubled: sentences with several roots, with cycles, and with a repeated feature; ids, files: sent_id
    and file of sentences; links, lattices: warnings of these kinds of corpora.
    """

    roots: list[Ints] = field(default_factory=list)
    cyclic: list[Ints] = field(default_factory=list)
    doubled: list[Ints] = field(default_factory=list)
    ids: list[pa.Array] = field(default_factory=list)
    files: list[pa.Array] = field(default_factory=list)
    features: RepeatedFeatures = field(default_factory=RepeatedFeatures)
    links: LinkWarnings = field(default_factory=LinkWarnings)
    lattices: LatticeWarnings = field(default_factory=lambda: LatticeWarnings("row"))

    def add_sentences(self, batch: pa.RecordBatch) -> None:
        """Keep what names sentences."""
        if "sent_id" in batch.schema.names and "file" in batch.schema.names:
            self.ids.append(batch.column("sent_id"))
            self.files.append(batch.column("file").dictionary_encode())

    def add_features(self, batch: pa.RecordBatch) -> None:
        """Note the sentences of rows whose FEATS name a feature twice."""
        if "feats" in batch.schema.names:
            self.doubled.append(self.features.sentences_of(batch))

    def repeated_ids(self) -> Ints:
        """The sentences whose sent_id an earlier one of the corpus has."""
        return _repeated(pa.chunked_array(self.ids, pa.string()))

    def repeated_ids_of_files(self) -> Ints:
        """The sentences whose sent_id an earlier one of the same file has."""
        ids = pa.chunked_array(self.ids, pa.string())
        files = pa.chunked_array(self.files).cast(pa.string()) if self.files else ids
        return _repeated(pc.binary_join_element_wise(ids, files, "\0"))

    def warnings(self, kind: str, path_of: Callable[[str], str]) -> Iterator[Diagnostic]:
        """The warnings about a corpus of a kind. path_of: the file of a table."""
        if kind == "dependency":
            found = (_joined(self.roots), _joined(self.cyclic), self.repeated_ids(), _joined(self.doubled))
            for texts, sentences in zip(FINDINGS, found, strict=True):
                if len(sentences):
                    finding = Finding(*texts, "row")
                    shown = sentences[:MAX_NAMED]
                    finding.add(np.arange(len(shown)), self._names(shown), shown + 1, len(sentences))
                    yield finding.warning(path_of("sentences"))
        elif kind == "alignment":
            yield from self.links.warnings(path_of("alignments"))
        elif kind == "lattice":
            if self.ids:
                names = pa.chunked_array(self.ids)
                self.lattices.add_names(names, np.arange(1, len(names) + 1), set())
            yield from self.lattices.warnings(path_of("lattices"))

    def _names(self, sentences: Ints) -> list[str | None]:
        if not self.ids:
            return [None] * len(sentences)
        names: list[str | None] = pa.chunked_array(self.ids).take(pa.array(sentences)).to_pylist()
        return names


def _repeated(names: pa.ChunkedArray) -> Ints:
    """The places of names that an earlier one has, ascending; NULL is none."""
    there = np.flatnonzero(np.asarray(names.is_valid()))
    codes = np.asarray(names.drop_null().combine_chunks().dictionary_encode().indices)
    _, first = np.unique(codes, return_index=True)
    found: Ints = np.delete(there, first).astype(np.int64)
    return found


def _joined(found: list[Ints]) -> Ints:
    """Sentences found in several batches, ascending, each once."""
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
