"""N-best lists, told apart by their first line: Moses's, a line `NUMBER ||| WORDS ||| FEATURES ||| SCORE`, Kaldi's, a
line `KEY-RANK WORDS`, and JSON lines, `{"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2}]}`.

Moses numbers lists from 0, and features are `NAME= VALUE VALUE ...` or values alone; what stands behind the score is
passed over. Kaldi's keys are ids of sentences; ranks begin with 1. Sources: Koehn et al. 2007, Moses: open source
toolkit for statistical machine translation; Kaldi, latbin/nbest-to-linear.cc.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.scanning.text import NEWLINE
from treesql.readers import Batch, Options, State
from treesql.readers.fields import (
    Columns,
    Faults,
    Field,
    JoinedTexts,
    LineFault,
    Text,
    chosen,
    clean_text,
    list_array,
    no_comments,
    record_batch,
    repeated,
    take,
)
from treesql.readers.lattices.jsonl import id_of, is_text, load_line, shown
from treesql.readers.lattices.lattices import after_last_line
from treesql.readers.source import Source

SUFFIXES = (".nbest", ".n-best", ".nbest.jsonl")
KIND = "nbest"
SCORE_SENSES = ("log_likelihood", "cost")

BAR = b"|||"

_MOSES = "write NUMBER ||| WORDS ||| FEATURES ||| SCORE"
_KALDI = "write KEY-RANK and the words, with ranks 1, 2, 3, ... of every key"
_SAME = "give all hypotheses the same features, in one order"

# By kind of fault, in the order of treesql.kernels.scanning.nbest_lists.
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


def _reader_of(data: bytes, faults: Faults, state: State) -> LineReader | JsonReader:
    """The reader of a notation, by the first line of a file."""
    first = data[: data.index(b"\n")]
    if first.lstrip().startswith(b"{"):
        return JsonReader(faults, state)
    return MosesReader(first, faults, state) if BAR in first else KaldiReader(faults, state)


class LineReader(ABC):
    """Reads chunks of lines with a hypothesis each. rank: of the last hypothesis; lists_before: of the corpus."""

    def __init__(self, faults: Faults, state: State) -> None:
        self.faults, self.state, self.rank = faults, state, 0
        self.names: list[bytes] = []

    @abstractmethod
    def read(self, data: bytes, line: int, options: Options, path: str) -> Batch | None:
        """The rows of a chunk, None where it has faults. line: number of its first line."""

    def add_faults(self, text: Text, line: int, rows: Ints, **said: object) -> None:
        """Add the faults of a scan."""
        for kind, offset, other in rows.tolist():
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

    def batch(self, text: Text, hypotheses: Hypotheses, options: Options, path: str, names: list[bytes]) -> Batch:
        """The rows of the hypotheses of a chunk."""
        return hypothesis_batch(text, hypotheses, names, path, self.state, options)


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
        from treesql.kernels.scanning import nbest_lists as kernel  # here, as few commands need it

        text = Text(data)
        scan = kernel.scan_moses(text.raw, self.last, self.fields, self.has_score, self.names)
        self.add_faults(text, line, scan.faults, fields=self.fields, features=len(self.names))
        if self.faults.found:
            numbers = scan.number[scan.number >= 0]
            self.last = int(numbers[-1]) if len(numbers) else self.last
            return None
        new = np.diff(scan.number, prepend=self.last) > 0
        self.last = int(scan.number[-1])
        rank = _ranks(new, self.rank)
        self.rank = int(rank[-1])
        score = (scan.score[0], scan.score[1]) if self.has_score else None
        made = Hypotheses(
            new, rank, line + np.arange(len(rank)), (scan.text[0], scan.text[1]), score,
            (scan.values[0], scan.values[1]),
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
        from treesql.kernels.scanning import nbest_lists as kernel  # here, as few commands need it

        text = Text(data)
        scan = kernel.scan_kaldi(text.raw, self.key, self.rank)
        self.add_faults(text, line, scan.faults)
        last = int(np.flatnonzero(scan.number > 0)[-1]) if (scan.number > 0).any() else None
        new = (scan.number == 1) & (scan.key[1] > 0)
        for at in np.flatnonzero(new).tolist():
            start, length = int(scan.key[0, at]), int(scan.key[1, at])
            self.ids.check(text.data[start : start + length], line + at, self.faults)
        if last is not None:
            start, length = int(scan.key[0, last]), int(scan.key[1, last])
            self.key, self.rank = text.data[start : start + length], int(scan.number[last])
        if self.faults.found:
            return None
        made = Hypotheses(
            new, scan.number, line + np.arange(len(new)), (scan.text[0], scan.text[1]), None,
            (np.zeros(0, np.int64), np.zeros(0, np.int64)), (scan.key[0][new], scan.key[1][new]),
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


@dataclass(frozen=True)
class Hypotheses:
    """The hypotheses of a chunk. new: whether each begins a list; rank, line: of each.

    score: None where none has one. values: of their features, one after the other, as many for each. ids: of the lists
    that begin, None where they are numbered.
    """

    new: Flags
    rank: Ints
    line: Ints
    text: Field
    score: Field | None
    values: Field
    ids: Field | None = None


def hypothesis_batch(
    text: Text, hypotheses: Hypotheses, names: list[bytes], path: str, state: State, options: Options
) -> Batch:
    """The rows of a chunk's hypotheses. `state` counts the lists. names: of the features of a hypothesis."""
    hypotheses = _first_ones(hypotheses, options.last_rank, len(names)) if options.last_rank else hypotheses
    begun = int(hypotheses.new.sum())
    made = {"sentences": _sentence_columns(text, hypotheses, path, begun)}
    if options.wants("hypotheses"):
        made["hypotheses"] = _hypothesis_columns(text, hypotheses, names, copied=options.last_rank > 0)
    batches = {name: record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += begun
    return batches


def _first_ones(hypotheses: Hypotheses, last_rank: int, n_features: int) -> Hypotheses:
    """The first hypotheses of every list."""
    kept = np.flatnonzero(hypotheses.rank <= last_rank)
    values = (kept[:, None] * n_features + np.arange(n_features)).ravel()
    return replace(
        hypotheses,
        new=hypotheses.new[kept],
        rank=hypotheses.rank[kept],
        line=hypotheses.line[kept],
        text=take(hypotheses.text, kept),
        score=None if hypotheses.score is None else take(hypotheses.score, kept),
        values=take(hypotheses.values, values),
    )


def _sentence_columns(text: Text, hypotheses: Hypotheses, path: str, n: int) -> Columns:
    columns: Columns = {
        "sentence": lambda: np.arange(n),
        "comments": lambda: no_comments(n),
        "file": lambda: repeated(path, n),
        "line": lambda: hypotheses.line[hypotheses.new],
        "n_words": lambda: np.zeros(n, dtype=np.int64),
    }
    ids = hypotheses.ids
    return columns if ids is None else {**columns, "sent_id": lambda: text.strings(ids, ids[1] == 0)}


def _hypothesis_columns(text: Text, hypotheses: Hypotheses, names: list[bytes], *, copied: bool) -> Columns:
    """The columns of hypotheses. copied: whether texts are copied, so that those of the others leave memory."""
    n, score = len(hypotheses.new), hypotheses.score
    offsets = np.arange(n + 1) * len(names)
    columns: Columns = {
        "sentence": lambda: np.cumsum(hypotheses.new) - 1,
        "rank": lambda: hypotheses.rank,
        "line": lambda: hypotheses.line,
        "text": lambda: _copy(text.strings(hypotheses.text)) if copied else text.strings(hypotheses.text),
        "features": lambda: list_array(offsets, text.strings(hypotheses.values).cast(pa.float64())),
        "feature_names": lambda: list_array(
            offsets, chosen([name.decode() for name in names] or [""], np.tile(np.arange(len(names)), n))
        ),
    }
    if score is None:
        return columns
    return {**columns, "score": lambda: text.strings(score, score[1] == 0).cast(pa.float64())}


def _copy(texts: pa.Array) -> pa.Array:
    return texts.cast(pa.string()).cast(pa.string_view())


class SeenIds:
    """The ids of the lists of a file so far, with the line of each."""

    def __init__(self) -> None:
        self._lines: dict[bytes, int] = {}

    def check(self, list_id: bytes, line: int, faults: Faults) -> None:
        """Add an id; a second list of one is a fault."""
        first = self._lines.setdefault(list_id, line)
        if first != line:
            what = f"a second list of `{list_id[:60].decode('utf-8', 'replace')}`, which has one in line {first}"
            faults.add(line, what, "put all hypotheses of a sentence together, with an id of its own")


LISTS = ("hypotheses", "nbest")
"""Keys of a line that hold a list."""

TEXTS = ("text", "hypothesis", "words")
"""Keys of a hypothesis that hold its words."""

_FORM = 'write {"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2}]} in every line'


class JsonReader:
    """Reads JSON lines: a list a line, `{"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2}, ...]}`, or a
    hypothesis a line, `{"id": "a", "text": "the cat", "score": -4.2}`, those of a list one after the other.

    A hypothesis is an object with its `text` or `words`, and if it has them `score` and `features`, an object or a list
    of numbers; in a list it may be its text alone. State of a corpus: names of features, and the list that a hypothesis
    a line belongs to.
    """

    def __init__(self, faults: Faults, state: State) -> None:
        self.faults, self.state = faults, state
        self.names: list[str] | None = None
        self.ids = SeenIds()
        self.open: str | None = None
        self.rank = 0
        self.with_ids: bool | None = None

    def read(self, data: bytes, line: int, options: Options, path: str) -> Batch | None:
        """The rows of a chunk, None where it has faults. line: number of its first line."""
        rows = _ReadHypotheses()
        for number, content in enumerate(data.split(b"\n")[:-1], line):
            try:
                self._read_line(content, number, rows)
            except LineFault as fault:
                self.faults.add(number, *fault.args)
            if self.faults.full:
                return None
        if self.faults.found:
            return None
        text, hypotheses = rows.hypotheses(bool(self.with_ids))
        return hypothesis_batch(
            text, hypotheses, [name.encode() for name in self.names or []], path, self.state, options
        )

    def _read_line(self, content: bytes, line: int, rows: _ReadHypotheses) -> None:
        record = load_line(content)
        if not isinstance(record, dict):
            raise LineFault("this is no object", _FORM)
        list_id = id_of(record)
        key = next((key for key in LISTS if key in record), None)
        if key is None:
            if not any(name in record for name in TEXTS):
                raise LineFault("neither `hypotheses` nor the `text` of one", _FORM)
            if list_id is None:
                raise LineFault("a hypothesis without the `id` of its list", _FORM)
            hypotheses = [record]
            new = list_id != self.open
        else:
            hypotheses, new = record[key], True
            if not isinstance(hypotheses, list) or not hypotheses:
                raise LineFault(f"`{key}` is no list of one hypothesis or more", _FORM)
        if new:
            self._begin(list_id, line)
        self.open = list_id if key is None else None
        for hypothesis in hypotheses:
            self.rank += 1
            rows.add(new, self.rank, line, *self._hypothesis(hypothesis), list_id or "")
            new = False

    def _begin(self, list_id: str | None, line: int) -> None:
        """Begin a list."""
        if self.with_ids is None:
            self.with_ids = list_id is not None
        if self.with_ids != (list_id is not None):
            what = "without an id, where others have one" if list_id is None else "with an id, where others have none"
            raise LineFault(f"a list {what}", "give all lists an id, or none")
        if list_id is not None:
            self.ids.check(list_id.encode(), line, self.faults)
        self.rank = 0

    def _hypothesis(self, hypothesis: Any) -> tuple[str, float | None, list[float]]:
        """The text, the score and the features of a hypothesis."""
        if isinstance(hypothesis, str):
            hypothesis = {"text": hypothesis}
        if not isinstance(hypothesis, dict):
            raise LineFault("a hypothesis is neither an object nor a text", _FORM)
        given = next((hypothesis[name] for name in TEXTS if name in hypothesis), None)
        if isinstance(given, list) and all(isinstance(word, str) for word in given):
            given = " ".join(given)
        if not isinstance(given, str):
            raise LineFault("a hypothesis without a `text`", _FORM)
        if "\n" in given or not is_text(given):
            raise LineFault("a text with a line end, a NUL or half a character in it", "replace it by a blank")
        score = hypothesis.get("score")
        return given, None if score is None else _number(score, "score"), self._features(hypothesis.get("features", []))

    def _features(self, given: Any) -> list[float]:
        if not isinstance(given, dict | list):
            raise LineFault("`features` is neither an object nor a list of numbers", _FORM)
        names = list(given) if isinstance(given, dict) else [""] * len(given)
        if self.names is None:
            self.names = names
        if len(names) != len(self.names):
            what = f"the number of feature values is {len(names)}, and {len(self.names)} in the first hypothesis"
            raise LineFault(what, _SAME)
        if set(names) != set(self.names):
            other = next(name for name in names if name not in self.names)
            raise LineFault(f"a feature `{other}` that the first hypothesis has not", _SAME)
        values: Iterable[Any] = (given[name] for name in self.names) if isinstance(given, dict) else given
        return [_number(value, "features") for value in values]


class _ReadHypotheses:
    """Hypotheses of a chunk."""

    def __init__(self) -> None:
        self.new: list[bool] = []
        self.rank: list[int] = []
        self.line: list[int] = []
        self.texts: list[str] = []
        self.scores: list[str] = []
        self.values: list[str] = []
        self.ids: list[str] = []

    def add(
        self, new: bool, rank: int, line: int, text: str, score: float | None, values: list[float], list_id: str
    ) -> None:
        """Add a hypothesis."""
        self.new.append(new)
        self.rank.append(rank)
        self.line.append(line)
        self.texts.append(text)
        self.scores.append("" if score is None else repr(score))
        self.values += map(repr, values)
        if new:
            self.ids.append(list_id)

    def hypotheses(self, with_ids: bool) -> tuple[Text, Hypotheses]:
        """The hypotheses, and the text that has their fields one after the other."""
        texts = JoinedTexts()
        fields = [texts.add(values) for values in (self.texts, self.scores, self.values, self.ids)]
        rank, line = (np.array(values, dtype=np.int64) for values in (self.rank, self.line))
        made = Hypotheses(
            np.array(self.new, dtype=bool), rank, line, fields[0], fields[1], fields[2],
            fields[3] if with_ids else None,
        )  # fmt: skip
        return Text(texts.data), made


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise LineFault(f"{shown(value)} of `{what}` is not a finite number", "write a number such as -9.5")
    return float(value)
