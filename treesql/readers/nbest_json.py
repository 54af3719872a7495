"""N-best lists as JSON lines: a list a line, `{"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2}, ...]}`,
or a hypothesis a line, `{"id": "a", "text": "the cat", "score": -4.2}`, those of a list one after the other.

A hypothesis is an object with its `text` or `words`, and if it has them `score` and `features`, an object or a list of
numbers; in a list it may be its text alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text
from treesql.readers.hypotheses import Hypotheses, hypothesis_batch
from treesql.readers.seen_ids import SeenIds

LISTS = ("hypotheses", "nbest")
"""Keys of a line that hold a list."""

TEXTS = ("text", "hypothesis", "words")
"""Keys of a hypothesis that hold its words."""

_FORM = 'write {"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2}]} in every line'
_SAME = "give all hypotheses the same features, in one order"


class _Fault(Exception):
    """A fault of a line: what is wrong, and what to do."""


class JsonReader:
    """Reads chunks of lines. State of a corpus: names of features, and the list that a hypothesis a line belongs to."""

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
            except _Fault as fault:
                self.faults.add(number, *fault.args)
            if self.faults.full:
                return None
        if self.faults.found:
            return None
        text, found = rows.hypotheses(bool(self.with_ids))
        return hypothesis_batch(text, found, [name.encode() for name in self.names or []], path, self.state, options)

    def _read_line(self, content: bytes, line: int, rows: _ReadHypotheses) -> None:
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            raise _Fault("this is not JSON", "write an object a line, as `json.dumps` of Python does") from None
        if not isinstance(found, dict):
            raise _Fault("this is no object", _FORM)
        own = _id_of(found)
        key = next((key for key in LISTS if key in found), None)
        if key is None:
            if not any(name in found for name in TEXTS):
                raise _Fault("neither `hypotheses` nor the `text` of one", _FORM)
            if own is None:
                raise _Fault("a hypothesis without the `id` of its list", _FORM)
            hypotheses = [found]
            new = own != self.open
        else:
            hypotheses, new = found[key], True
            if not isinstance(hypotheses, list) or not hypotheses:
                raise _Fault(f"`{key}` is no list of one hypothesis or more", _FORM)
        if new:
            self._begin(own, line)
        self.open = own if key is None else None
        for one in hypotheses:
            self.rank += 1
            rows.add(new, self.rank, line, *self._hypothesis(one), own or "")
            new = False

    def _begin(self, own: str | None, line: int) -> None:
        """Begin a list."""
        if self.with_ids is None:
            self.with_ids = own is not None
        if self.with_ids != (own is not None):
            raise _Fault("a list without an id, where others have one" if own is None else "a list with an id, where "
                         "others have none", "give all lists an id, or none")  # fmt: skip
        if own is not None:
            self.ids.check(own.encode(), line, self.faults)
        self.rank = 0

    def _hypothesis(self, one: Any) -> tuple[str, float | None, list[float]]:
        """The text, the score and the features of a hypothesis."""
        if isinstance(one, str):
            one = {"text": one}
        if not isinstance(one, dict):
            raise _Fault("a hypothesis is neither an object nor a text", _FORM)
        given = next((one[name] for name in TEXTS if name in one), None)
        if isinstance(given, list) and all(isinstance(word, str) for word in given):
            given = " ".join(given)
        if not isinstance(given, str):
            raise _Fault("a hypothesis without a `text`", _FORM)
        if "\n" in given or "\0" in given or not _is_unicode(given):
            raise _Fault("a text with a line end, a NUL or half a character in it", "replace it by a blank")
        score = one.get("score")
        return given, None if score is None else _number(score, "score"), self._features(one.get("features", []))

    def _features(self, given: Any) -> list[float]:
        if not isinstance(given, dict | list):
            raise _Fault("`features` is neither an object nor a list of numbers", _FORM)
        names = list(given) if isinstance(given, dict) else [""] * len(given)
        if self.names is None:
            self.names = names
        if len(names) != len(self.names):
            what = f"the number of feature values is {len(names)}, and {len(self.names)} in the first hypothesis"
            raise _Fault(what, _SAME)
        if set(names) != set(self.names):
            other = next(name for name in names if name not in self.names)
            raise _Fault(f"a feature `{other}` that the first hypothesis has not", _SAME)
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
        self, new: bool, rank: int, line: int, text: str, score: float | None, values: list[float], own: str
    ) -> None:
        """Add a hypothesis."""
        self.new.append(new)
        self.rank.append(rank)
        self.line.append(line)
        self.texts.append(text)
        self.scores.append("" if score is None else repr(score))
        self.values += map(repr, values)
        if new:
            self.ids.append(own)

    def hypotheses(self, with_ids: bool) -> tuple[Text, Hypotheses]:
        """The hypotheses, and the text that has their fields one after the other."""
        encoded = [one.encode() for one in (*self.texts, *self.scores, *self.values, *self.ids)]
        lengths = np.array([len(one) for one in encoded], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        cuts = np.cumsum([len(self.texts), len(self.scores), len(self.values)])
        fields: list[Field] = list(zip(np.split(starts, cuts), np.split(lengths, cuts), strict=True))
        rank, line = (np.array(values, dtype=np.int64) for values in (self.rank, self.line))
        made = Hypotheses(
            np.array(self.new, dtype=bool), rank, line, fields[0], fields[1], fields[2],
            fields[3] if with_ids else None,
        )  # fmt: skip
        return Text(b"".join(encoded)), made


def _id_of(found: dict[str, Any]) -> str | None:
    own = found.get("id")
    if own is not None and (isinstance(own, bool) or not isinstance(own, str | int) or not _is_unicode(str(own))):
        raise _Fault(f"{json.dumps(own)[:60]} is not an id", "write a string or a whole number")
    return None if own is None else str(own)


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Fault(f"{json.dumps(value)[:60]} of `{what}` is not a finite number", "write a number such as -9.5")
    return float(value)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
