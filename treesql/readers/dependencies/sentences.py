"""The sentences of a chunk of a ten-column file: scanning and checking, by array operations over all of them at once.

A sentence with a fault is left out of the checks that follow, so that one slip is reported once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.scanning import text as kernel
from treesql.kernels.trees import trees
from treesql.readers import Options
from treesql.readers.fields import Faults, Field, Text, take
from treesql.runtime import arrays


@dataclass(frozen=True)
class Layout:
    """A format of files with a word a line, whose columns are some of those of CoNLL-U.

    fields: the allowed numbers of fields of a word line; column_names: of these fields, in errors. Columns are numbered
    as in CoNLL-U, and then come those in `further`; places: where in a line each stands, None for those that the file
    does not have, which are NULL. texts: the numbers of the columns that are taken as they are. special_ids: whether
    there are multiword tokens and empty nodes; final_blank_line: whether it is noted that the last one lacks, so that
    the same file is written. expected: who says how many fields there are, if not the format.
    """

    name: str
    fields: tuple[int, ...]
    column_names: tuple[str, ...]
    texts: Mapping[str, int] = field(default_factory=lambda: {"upos": 3, "xpos": 4, "feats": 5, "deprel": 7})
    final_blank_line: bool = False
    special_ids: bool = False
    expected: str = ""
    places: tuple[int | None, ...] = tuple(range(10))
    further: tuple[str, ...] = ()

    @property
    def absent(self) -> bytes:
        """What follows the last line of a chunk: the `_` of columns that the file does not have."""
        return b"_" if None in self.places else b""


class Special(NamedTuple):
    """Rows with an ID of two numbers: `first`, `second`, and how many words stand before them in their sentence."""

    rows: Ints
    sentence: Ints
    first: Ints
    second: Ints
    before: Ints


class Sentences:
    """The sentences of a chunk. `check` notes all faults; what it leaves behind is what the rows are made of.

    width: number of fields of the lines before, 0 where there is none.

    Lines are counted from 0 in the chunk, rows are the word lines among them, words are the rows whose ID is a plain
    number. sentence, position, head, parents: an entry for every word; offsets, n_words, n_roots, unparsed, cyclic: for
    every sentence; ranges, empty: the rows that are multiword tokens and empty nodes.
    """

    def __init__(
        self, text: Text, first_line: int, layout: Layout, options: Options, faults: Faults, width: int = 0
    ) -> None:  # fmt: skip
        self.text, self.layout, self.options, self.faults = text, layout, options, faults
        self.first_line, self.width = first_line, width
        raw = text.raw
        self.marks, self.mark_of_end = kernel.lines_and_tabs(raw)
        self.line_ends = self.marks[self.mark_of_end]
        self.line_starts = np.concatenate([[0], self.line_ends[:-1] + 1])
        self.n_lines = len(self.line_ends)
        blank = self.line_ends == self.line_starts
        self.comment = (raw[self.line_starts] == ord("#")) & ~blank
        self.is_row = ~blank & ~self.comment
        self.sentence_of_line = np.cumsum(blank) - blank
        self.blank_lines = np.flatnonzero(blank)
        self.n = len(self.blank_lines)
        self.broken = np.zeros(self.n, dtype=bool)
        self.cyclic = np.zeros(self.n, dtype=bool)

    def check(self) -> None:
        """Note everything that is wrong. Raises InvalidInput if no line has as many fields as those of the format."""
        self._check_lines()
        self._check_ids()
        self._check_heads()
        self._check_trees()

    def report(self, lines: Ints, what: str, hint: str, field: Field | None = None, first: bool = False) -> None:
        """Report a fault for each of these lines (`{}` in `what` is its field), unless its sentence has one already.

        first: only for the first line of a sentence, from which the others follow.
        """
        if not len(lines):
            return
        sentences = self.sentence_of_line[lines]
        fresh = np.flatnonzero(~self.broken[sentences])
        if first:
            fresh = fresh[np.unique(sentences[fresh], return_index=True)[1]]
        self.broken[sentences] = True

        def text(position: int) -> str:
            return what if field is None else what.replace("{}", self.text.quote(field, int(fresh[position])))

        self.faults.each((self.first_line + lines[fresh]).tolist(), text, hint)

    def _report_rows(
        self, which: Ints, lines: Ints, field: Field, what: str, hint: str, *, first: bool = False
    ) -> None:
        """Report a fault for some of the lines with these fields."""
        if len(which):
            self.report(lines[which], what, hint, take(field, which), first)

    def _check_lines(self) -> None:
        n_fields = _differences(self.mark_of_end)
        allowed = np.logical_or.reduce([n_fields == number for number in self.layout.fields])
        rows = np.flatnonzero(self.is_row)
        hint = "separate the fields by single tabs"
        is_other_format = not (self.width or allowed[rows].any())
        if is_other_format:
            hint = f"{hint}, or name the format with --from if this is not {self.layout.name}"
        for line in rows[~allowed[rows]].tolist():
            if self.faults.full:
                break
            expected = " or ".join(map(str, self.layout.fields))
            who = self.layout.expected or f"{self.layout.name} has"
            what = f"{n_fields[line]} field{'s' if n_fields[line] > 1 else ''} where {who} {expected}"
            self.report(np.array([line]), what, hint)
            if is_other_format:  # whose other lines have the same fault
                self.faults.raise_any()
        interrupting = np.flatnonzero(self.comment[1:] & self.is_row[:-1]) + 1
        self.report(interrupting, "a comment is between the words of a sentence", "move it above the sentence")
        good = rows[allowed[rows]]
        self.width_found = self.width or (int(n_fields[good[0]]) if len(good) else 0)
        self.width = self.width_found or self.layout.fields[-1]
        uneven = rows[(n_fields[rows] != self.width) & allowed[rows]]
        self.report(
            uneven, "this line has another number of fields than the lines before", "give all lines the same fields"
        )
        self.rows = rows[n_fields[rows] == self.width]
        self.last_mark = self.mark_of_end[self.rows]
        self._check_empty_fields()
        filled = np.bincount(self.sentence_of_line[self.is_row], minlength=self.n) > 0
        lines = self.blank_lines[~filled]
        follows_comment = self.comment[lines - 1] & (lines > 0)
        self.report(
            lines[follows_comment] - 1, "comments without a sentence", "remove them, or the blank line below them"
        )
        self.report(lines[~follows_comment], "a blank line too many", "separate sentences by exactly one blank line")

    def _check_empty_fields(self) -> None:
        ending = np.flatnonzero(_differences(self.marks) == 1)
        marks = self.marks[ending]
        after_tab = (marks > 0) & (self.text.raw[marks - 1] == kernel.TAB)
        ending = ending[after_tab | (self.text.raw[marks] == kernel.TAB)]
        lines = np.searchsorted(self.mark_of_end, ending)
        of_row = np.isin(lines, self.rows)
        for line, mark in zip(lines[of_row].tolist(), ending[of_row].tolist(), strict=True):
            if self.faults.full:
                break
            name = self.layout.column_names[mark - (self.mark_of_end[line] - self.width + 1)]
            self.report(np.array([line]), f"{name} is empty", "write `_` for a value that is left open")

    def field(self, column: int, rows: Ints) -> Field:
        """A column of some word lines."""
        place = self.layout.places[column]
        if place is None:
            return self._absent(len(rows))
        last = self.last_mark[rows]
        ends = self.marks[last - (self.width - 1 - place)]
        starts = self.marks[last - (self.width - place)] + 1 if place else self.line_starts[self.rows[rows]]
        return starts, ends - starts

    def fields_with_blank_edges(self) -> tuple[Ints, Ints, Field]:
        """The fields of rows that begin or end with a blank or no-break space: lines, columns as they stand, texts."""
        raw, marks = self.text.raw, self.marks
        last, first = raw.take(marks - 1), raw.take(marks + 1, mode="clip")
        ends = (last == kernel.SPACE) | ((last == 0xA0) & (raw.take(marks - 2) == 0xC2))
        begins = (first == kernel.SPACE) | ((first == 0xC2) & (raw.take(marks + 2, mode="clip") == 0xA0))
        begins &= raw.take(marks) == kernel.TAB
        ends_of_fields = arrays.distinct(np.concatenate([np.flatnonzero(ends), np.flatnonzero(begins) + 1]))
        lines = np.searchsorted(self.mark_of_end, ends_of_fields)
        kept = self.is_row[np.minimum(lines, self.n_lines - 1)]
        ends_of_fields, lines = ends_of_fields[kept], lines[kept]
        starts = np.where(
            marks[ends_of_fields - 1] < self.line_starts[lines], self.line_starts[lines], marks[ends_of_fields - 1] + 1
        )
        columns = ends_of_fields - np.where(lines > 0, self.mark_of_end[lines - 1] + 1, 0)
        return lines, columns, (starts, marks[ends_of_fields] - starts)

    def word_field(self, column: int) -> Field:
        """A column of the words."""
        place = self.layout.places[column]
        if place is None:
            return self._absent(len(self.word_lines))
        starts = self._ends_of_words(place - 1) + 1 if place else self.line_starts[self.word_lines]
        return starts, self._ends_of_words(place) - starts

    def _absent(self, n: int) -> Field:
        """A column that the file does not have: n times the `_` behind the last line."""
        return np.full(n, len(self.text.raw) - 1, dtype=np.int64), np.ones(n, dtype=np.int64)

    def _ends_of_words(self, place: int) -> Ints:
        if place not in self._ends:
            self._ends[place] = self.marks.take(self._last_marks_of_words - (self.width - 1 - place))
        return self._ends[place]

    def _check_ids(self) -> None:
        starts, lengths = self.field(0, np.arange(len(self.rows)))
        values, plain = kernel.integers(self.text.raw, starts, lengths)
        self.is_word, self.word_rows = plain, np.flatnonzero(plain)
        self.word_lines = self.rows[self.word_rows]
        self._last_marks_of_words = self.last_mark[self.word_rows]
        self._ends: dict[int, Ints] = {}
        self.sentence = self.sentence_of_line[self.word_lines]
        self.n_words = np.bincount(self.sentence, minlength=self.n)
        self.offsets = np.concatenate([[0], np.cumsum(self.n_words)])
        self.position = np.arange(len(self.word_rows)) - self.offsets[self.sentence] + 1
        self._read_special(np.flatnonzero(~plain), starts, lengths)
        wrong = np.flatnonzero(values[self.word_rows] != self.position)
        ids, hint = self.word_field(0), "number the words of a sentence 1, 2, 3, ..."
        self._report_rows(wrong, self.word_lines, ids, "ID {} is not the next one", hint, first=True)
        self._check_ranges()
        self._check_empty_nodes()
        wordless = (self.n_words == 0) & ~self.broken
        self.report(self.blank_lines[wordless] - 1, "a sentence without words", "remove it, or add its words")

    def _read_special(self, rows: Ints, starts: Ints, lengths: Ints) -> None:
        """Ranges (`3-4`) and empty nodes (`5.1`), among rows whose ID is not a plain number."""
        self.ranges = self.empty = _no_special(rows[:0])
        rows_of_sign = {ord("-"): rows[:0], ord("."): rows[:0]}
        if self.layout.special_ids and len(rows):
            for byte in rows_of_sign:
                rest, special = self._special(byte, rows, starts[rows], lengths[rows])
                rows_of_sign[byte], rows = special.rows, rest
                if byte == ord("-"):
                    self.ranges = special
                else:
                    self.empty = special
        hint = "write 1, 2, 3, ..., 3-4 for a multiword token, 5.1 for an empty node"
        if not self.layout.special_ids:
            hint = "number the words of a sentence 1, 2, 3, ..."
        self.report(self.rows[rows], "ID {} is not a number", hint, (starts[rows], lengths[rows]))

    def _special(self, byte: int, rows: Ints, starts: Ints, lengths: Ints) -> tuple[Ints, Special]:
        """Rows whose ID is two numbers with `byte` between; first those that are not."""
        at = kernel.find_byte(self.text.raw, byte, starts, lengths)
        first, first_plain = kernel.integers(self.text.raw, starts, at)
        second, second_plain = kernel.integers(self.text.raw, starts + at + 1, lengths - at - 1)
        special = (at > 0) & first_plain & second_plain
        sentence = self.sentence_of_line[self.rows[rows[special]]]
        before = np.searchsorted(self.word_rows, rows[special]) - self.offsets[sentence]
        return rows[~special], Special(rows[special], sentence, first[special], second[special], before)

    def _check_ranges(self) -> None:
        r = self.ranges
        lines = self.rows[r.rows]
        ids = self.field(0, r.rows)
        above_a_word = np.append(self.is_word, False)[r.rows + 1]
        misplaced = np.flatnonzero((r.first != r.before + 1) | ~above_a_word)
        hint = "put it right above that word"
        self._report_rows(misplaced, lines, ids, "{} is not right before its first word", hint)
        outside = np.flatnonzero((r.second < r.first) | (r.second > self.n_words[r.sentence]))
        hint = "give first and last word"
        self._report_rows(outside, lines, ids, "{} ends before it begins or beyond the sentence", hint)
        same = (r.sentence[1:] == r.sentence[:-1]) & (r.first[1:] <= r.second[:-1])
        overlapping = np.flatnonzero(same) + 1
        hint = "let each word be in one"
        self._report_rows(overlapping, lines, ids, "{} overlaps the multiword token before", hint)
        for column, name in ((6, "HEAD"), (7, "DEPREL"), (8, "DEPS")):
            self._check_open(r.rows, column, f"a multiword token has {name} {{}}", "write `_`; its words have heads")

    def _check_empty_nodes(self) -> None:
        e = self.empty
        lines = self.rows[e.rows]
        ids = self.field(0, e.rows)
        misplaced = np.flatnonzero(e.first != e.before)
        what, hint = "empty node {} is not after that word", "put 5.1 after word 5"
        self._report_rows(misplaced, lines, ids, what, hint, first=True)
        expected = _rank_in_run(e.sentence, e.first)
        uncounted = np.flatnonzero(e.second != expected)
        what, hint = "empty node {} is not the next one", "number them 5.1, 5.2, ..."
        self._report_rows(uncounted, lines, ids, what, hint, first=True)
        for column, name in ((6, "HEAD"), (7, "DEPREL")):
            self._check_open(e.rows, column, f"an empty node has {name} {{}}", "write `_`; its relations are in DEPS")

    def _check_open(self, rows: Ints, column: int, what: str, hint: str) -> None:
        if not len(rows):
            return
        field = self.field(column, rows)
        wrong = np.flatnonzero(~self.text.is_open(field))
        self._report_rows(wrong, self.rows[rows], field, what, hint)

    def _check_heads(self) -> None:
        field = self.word_field(6)
        self.head, plain = kernel.integers(self.text.raw, *field)
        is_open = self.text.is_open(field)
        self.unparsed = np.bincount(self.sentence[is_open], minlength=self.n) == self.n_words
        missing = np.flatnonzero(is_open & ~self.unparsed[self.sentence])
        self.report(
            self.word_lines[missing],
            "HEAD is `_`, although other words of the sentence have heads",
            "give every word its head, or none",
        )
        wrong = np.flatnonzero(~plain & ~is_open)
        hint = "write 0 for a root, else the ID of the head"
        self._report_rows(wrong, self.word_lines, field, "HEAD {} is not a number", hint)
        outside = np.flatnonzero(self.head > self.n_words[self.sentence])
        self._report_rows(outside, self.word_lines, field, "HEAD {} is not a word of the sentence", hint)

    def _check_trees(self) -> None:
        unusable = (self.broken | self.unparsed)[self.sentence]
        self.parents = np.where((self.head == 0) | unusable, -1, self.offsets[self.sentence] + self.head - 1)
        longest = int(self.n_words.max(initial=0))
        walks = trees.ancestor_jumps(self.parents, longest)
        if len(walks.endless):
            self.cyclic[self.sentence[walks.endless]] = True
            if not self.options.permissive:
                self._report_cycles()
            self.parents[self.cyclic[self.sentence]] = -1
            walks = trees.ancestor_jumps(self.parents, longest)
        self.walks = walks.rounds
        usable = ~unusable
        self.n_roots = np.bincount(self.sentence[usable & (self.head == 0)], minlength=self.n)
        several = np.flatnonzero(self.n_roots > 1)
        if self.options.strict:
            for sentence in several.tolist():
                lines = self.first_lines(np.array([sentence]))
                self.report(lines, f"{self.n_roots[sentence]} roots", "give one word HEAD 0, or load without --strict")

    def _report_cycles(self) -> None:
        for sentence in np.flatnonzero(self.cyclic).tolist():
            begin, end = self.offsets[sentence], self.offsets[sentence + 1]
            cycle = find_cycle(self.head[begin:end].tolist())
            line = self.word_lines[begin + cycle[0] - 1]
            no_root = "" if (self.head[begin:end] == 0).any() else ", and no word is a root"
            hint = "give one of them another head, or load with --permissive"
            self.report(np.array([line]), f"{describe_cycle(cycle)}{no_root}", hint)

    def first_lines(self, sentences: Ints) -> Ints:
        """Index of the first line, comments included, of sentences."""
        return np.where(sentences > 0, self.blank_lines[sentences - 1] + 1, 0)


def _differences(values: Ints) -> Ints:
    """Each value less the one before, the first less -1."""
    out = np.empty_like(values)
    out[:1] = values[:1] + 1
    np.subtract(values[1:], values[:-1], out=out[1:])
    return out


def _no_special(nothing: Ints) -> Special:
    return Special(nothing, nothing, nothing, nothing, nothing)


def _rank_in_run(*keys: Ints) -> Ints:
    """1, 2, 3, ... within every run of equal keys."""
    n = len(keys[0])
    new = np.ones(n, dtype=bool)
    if n:
        new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    here = np.arange(n)
    return here - np.maximum.accumulate(np.where(new, here, 0)) + 1


CYCLE_SHOWN = 8
"""Maximum number of words of a cycle in a message."""


def find_cycle(heads: Sequence[int]) -> list[int]:
    """The words of the first cycle, from its smallest; empty where there is none.

    heads: of words 1, 2, ...; 0 or less for a root.
    """
    checked: set[int] = set()
    for start in range(1, len(heads) + 1):
        path: dict[int, None] = {}
        word = start
        while word > 0 and word not in checked and word not in path:
            path[word] = None
            word = heads[word - 1]
        if word in path:
            cycle = [*path][[*path].index(word) :]
            smallest = cycle.index(min(cycle))
            return cycle[smallest:] + cycle[:smallest]
        checked.update(path)
    return []


def describe_cycle(cycle: Sequence[int]) -> str:
    """A cycle in words: `heads form a cycle, 2 -> 3 -> 2`."""
    shown = [*map(str, cycle[:CYCLE_SHOWN]), *["..."] * (len(cycle) > CYCLE_SHOWN), str(cycle[0])]
    return f"heads form a cycle, {' -> '.join(shown)}"
