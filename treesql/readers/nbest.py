"""N-best lists, told apart by their first line: Moses's, a line `NUMBER ||| WORDS ||| FEATURES ||| SCORE`, Kaldi's, a
line `KEY-RANK WORDS`, and JSON lines, `{"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2}]}`.

Moses numbers lists from 0, and features are `NAME= VALUE VALUE ...` or values alone; what stands behind the score is
passed over. Kaldi's keys are ids of sentences; ranks begin with 1. Sources: Koehn et al. 2007, Moses: open source
toolkit for statistical machine translation; Kaldi, latbin/nbest-to-linear.cc.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.text import NEWLINE
from treesql.readers import Batch, Options, State, nbest_json
from treesql.readers.encoding import clean_text
from treesql.readers.faults import Faults
from treesql.readers.fields import Text
from treesql.readers.hypotheses import Hypotheses, hypothesis_batch
from treesql.readers.lattices import after_last_line
from treesql.readers.seen_ids import SeenIds
from treesql.readers.source import Source

SUFFIXES = (".nbest", ".n-best", ".nbest.jsonl")
KIND = "nbest"
SCORE_SENSES = ("log_likelihood", "cost")

BAR = b"|||"

_MOSES = "write NUMBER ||| WORDS ||| FEATURES ||| SCORE"
_KALDI = "write KEY-RANK and the words, with ranks 1, 2, 3, ... of every key"
_SAME = "give all hypotheses the same features, in one order"

# By kind of fault, in the order of treesql.kernels.nbest_lists.
FAULTS = (
    ("{other} field{s} between |||, where the first line has {fields}", _MOSES),
    ("{} is not the number of a sentence", _MOSES),
    ("the list of sentence {} is where that of {next} was expected: one is missing, or they are not in order",
     "number lists 0, 1, 2, ... in the order of the references, each with a hypothesis at least"),
    ("a second list of sentence {}, after that of {last}", "put all hypotheses of a sentence together, in order"),
    ("the number of feature values is {other}, and {features} in the first hypothesis", _SAME),
    ("the number of feature values is {other}, and {features} in the first hypothesis", _SAME),
    ("a value of the feature {}, where the first hypothesis has one of {feature}", _SAME),
    ("the feature's value {} is not a finite number", "write a number such as -9.5"),
    ("the score {} is not a finite number", "write a number such as -9.5"),
    ("{} is not a key and a rank", _KALDI),
    ("{} is not hypothesis {other} of its key", _KALDI),
)  # fmt: skip
ORDER = frozenset({2, 3})
"""Kinds of faults of which the first alone is reported: those that follow come of it."""


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The hypotheses of a file, chunk by chunk. Raises InvalidInput."""
    faults, reader, n_lists = Faults(source.name), None, state.sentences
    line = 1
    for chunk in source.chunks(cut_of=after_last_line, limit=options.max_sentence):
        data = clean_text(chunk.data, line, chunk.last, faults, returns=False)
        if not data:
            continue
        data = data if data.endswith(b"\n") else data + b"\n"
        first, line = line, line + int(np.count_nonzero(np.frombuffer(data, np.uint8) == NEWLINE))
        if faults.found:  # among them bytes that are not UTF-8
            continue
        reader = reader or _reader_of(data, faults, state)
        rows = reader.read(data, first, options, source.name)
        if faults.full:
            break
        if rows is not None and not faults.found:
            yield rows
    if not faults.found and state.sentences == n_lists:
        faults.add(0, "the file is empty", "give a file with at least one hypothesis")
    faults.raise_any()


def _reader_of(data: bytes, faults: Faults, state: State) -> LineReader | nbest_json.JsonReader:
    """The reader of a notation, by the first line of a file."""
    first = data[: data.index(b"\n")]
    if first.lstrip().startswith(b"{"):
        return nbest_json.JsonReader(faults, state)
    return MosesReader(first, faults, state) if BAR in first else KaldiReader(faults, state)


class LineReader(ABC):
    """Reads chunks of lines with a hypothesis each. rank: of the last hypothesis; lists_before: of the corpus."""

    def __init__(self, faults: Faults, state: State) -> None:
        self.faults, self.state, self.rank = faults, state, 0
        self.names: list[bytes] = []

    @abstractmethod
    def read(self, data: bytes, line: int, options: Options, path: str) -> Batch | None:
        """The rows of a chunk, None where it has faults. line: number of its first line."""

    def add_faults(self, text: Text, line: int, found: Ints, **said: object) -> None:
        """Add the faults of a scan."""
        for kind, offset, other in found.tolist():
            what, hint = FAULTS[kind]
            shown = text.data[offset:].split(b"\n", 1)[0].split(b"=" if kind == 6 else None, 1)[:1] or [b""]
            token = shown[0][:60].decode("utf-8", "replace")
            told: dict[str, object] = {**said, "other": other, "last": other, "next": other + 1}
            told["s"] = "" if other == 1 else "s"
            if kind == 6:
                told["feature"] = f"`{self.names[other].decode()}`"
            for name, value in told.items():
                what = what.replace(f"{{{name}}}", str(value))
            number = line + text.data.count(b"\n", 0, offset)
            empty_line = not token and what.startswith("{}")
            what = what.replace("{}", "an empty line" if empty_line else f"`{token}`")
            if kind in ORDER:
                self.faults.add_once(number, what, hint, kind="order")
            else:
                self.faults.add(number, what, hint)

    def batch(self, text: Text, found: Hypotheses, options: Options, path: str, names: list[bytes]) -> Batch:
        """The rows of the hypotheses of a chunk."""
        return hypothesis_batch(text, found, names, path, self.state, options)


class MosesReader(LineReader):
    """Reads Moses's lists."""

    def __init__(self, first: bytes, faults: Faults, state: State) -> None:
        super().__init__(faults, state)
        fields = _split_fields(first)
        self.fields = len(fields)
        self.has_score = self.fields > 3 or (self.fields == 3 and len(fields[2].split()) == 1 and b"=" not in fields[2])
        self.names = _feature_names(fields[2]) if self.fields - self.has_score > 2 else []
        self.last = -1

    def read(self, data: bytes, line: int, options: Options, path: str) -> Batch | None:
        """The rows of a chunk, None where it has faults. line: number of its first line."""
        from treesql.kernels import nbest_lists as kernel  # here, as few commands need it

        text = Text(data)
        found = kernel.scan_moses(text.raw, self.last, self.fields, self.has_score, self.names)
        self.add_faults(text, line, found.faults, fields=self.fields, features=len(self.names))
        if self.faults.found:
            numbers = found.number[found.number >= 0]
            self.last = int(numbers[-1]) if len(numbers) else self.last
            return None
        new = np.diff(found.number, prepend=self.last) > 0
        self.last = int(found.number[-1])
        rank = _ranks(new, self.rank)
        self.rank = int(rank[-1])
        score = (found.score[0], found.score[1]) if self.has_score else None
        made = Hypotheses(
            new, rank, line + np.arange(len(rank)), (found.text[0], found.text[1]), score,
            (found.values[0], found.values[1]),
        )  # fmt: skip
        return self.batch(text, made, options, path, self.names)


class KaldiReader(LineReader):
    """Reads Kaldi's lists."""

    def __init__(self, faults: Faults, state: State) -> None:
        super().__init__(faults, state)
        self.key = b""
        self.ids = SeenIds()

    def read(self, data: bytes, line: int, options: Options, path: str) -> Batch | None:
        """The rows of a chunk, None where it has faults. line: number of its first line."""
        from treesql.kernels import nbest_lists as kernel  # here, as few commands need it

        text = Text(data)
        found = kernel.scan_kaldi(text.raw, self.key, self.rank)
        self.add_faults(text, line, found.faults)
        last = int(np.flatnonzero(found.number > 0)[-1]) if (found.number > 0).any() else None
        new = (found.number == 1) & (found.key[1] > 0)
        for at in np.flatnonzero(new).tolist():
            start, length = int(found.key[0, at]), int(found.key[1, at])
            self.ids.check(text.data[start : start + length], line + at, self.faults)
        if last is not None:
            start, length = int(found.key[0, last]), int(found.key[1, last])
            self.key, self.rank = text.data[start : start + length], int(found.number[last])
        if self.faults.found:
            return None
        made = Hypotheses(
            new, found.number, line + np.arange(len(new)), (found.text[0], found.text[1]), None,
            (np.zeros(0, np.int64), np.zeros(0, np.int64)), (found.key[0][new], found.key[1][new]),
        )  # fmt: skip
        return self.batch(text, made, options, path, [])


def _split_fields(line: bytes) -> list[bytes]:
    """The fields of a line between |||."""
    fields, current = [], list[bytes]()
    for token in line.split():
        if token == BAR:
            fields.append(b" ".join(current))
            current = []
        else:
            current.append(token)
    return [*fields, b" ".join(current)]


def _feature_names(field: bytes) -> list[bytes]:
    """The name of every value of a hypothesis's features, empty for values without a name."""
    names, name = [], b""
    for token in field.split():
        before, equals, value = token.rpartition(b"=")
        name = before if equals else name
        names += [name] if value else []
    return names


def _ranks(new: Flags, before: int) -> Ints:
    """The place of every hypothesis in its list. before: the rank of the last one of the chunk before."""
    n = len(new)
    at = np.arange(n)
    starts = np.where(new, at, -1 - before)
    return np.asarray(at - np.maximum.accumulate(starts) + np.where(np.logical_or.accumulate(new), 1, 0))
