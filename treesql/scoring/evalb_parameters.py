"""EVALB's parameter files: which brackets and words are compared, and which count as equal.

Source: EVALB (Sekine & Collins 1997, revision of 2006), its README, COLLINS.prm and new.prm.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn
from treesql.readers.fields import Faults, clean_text
from treesql.readers.source import Source

SUFFIX = ".prm"
"""Suffix of parameter files; the name of a parameter set is the file's without it."""

Pair = tuple[str, str]
"""Two labels or two words."""

_NUMBERS = {"DEBUG": "debug", "MAX_ERROR": "max_error", "CUTOFF_LEN": "cutoff_length", "LABELED": "labelled"}
"""Parameters with one number, by the fields that they fill."""

_LABELS = {
    "DELETE_LABEL": "deleted",
    "DELETE_LABEL_FOR_LENGTH": "deleted_for_length",
    "QUOTE_LABEL": "quotes",
    "DELETE_WORD": "deleted_words",
    "DELETE_BY": "deleting_tags",
}
"""Parameters with one label a line, by the fields that they fill."""

_PAIRS = {"EQ_LABEL": "equal_labels", "EQ_WORD": "equal_words"}
"""Parameters with two labels a line, by the fields that they fill."""

_IGNORED = {
    "DISC_ONLY": "disc_precision, disc_recall and disc_f1 are those of discontinuous phrases alone",
    "LA": "name leaf_ancestor as a metric",
    "TED": "name constituent_tree_edit as a metric",
    "DEP": "write both corpora as CoNLL-U, which has the dependencies of head rules, and score these",
}
"""Parameters of other scorers that are ignored, with the reason."""


_REFUSED = {"DELETE_ROOT_PRETERMS": "take these words out of both files"}
"""Parameters of disco-dop that change scores in a way that is not supported, unless they are 0, with what to do."""


@dataclass(frozen=True)
class EvalbParameters:
    """The parameters of a file, with EVALB's defaults for those that it lacks.

    deleted: labels whose brackets, and tags whose words, are left out; deleted_for_length: tags whose words do not
    count for the length of a sentence; quotes: tags that may be mistaken for a quote's; equal_labels, equal_words:
    pairs that count as equal, in either order. deleted_words: words that are left out, as in disco-dop's files;
    deleting_tags: whether `gold` tags alone delete words (the default with deleted_words), or each tree's `own`.
    notes: warnings of ignored parameters.
    """

    labelled: bool = True
    deleted: tuple[str, ...] = ()
    deleted_for_length: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    deleted_words: tuple[str, ...] = ()
    deleting_tags: tuple[str, ...] = ()
    equal_labels: tuple[Pair, ...] = ()
    equal_words: tuple[Pair, ...] = ()
    cutoff_length: int = 40
    max_error: int = 10
    debug: int = 0
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def rows(self) -> list[tuple[str, str, str | None]]:
        """Rows of evalb_parameters, without the name of the set. Labels that pairs make equal form a class."""
        one_value = [
            ("LABELED", str(int(self.labelled))),
            ("CUTOFF_LEN", str(self.cutoff_length)),
            ("MAX_ERROR", str(self.max_error)),
            *(("DELETE_LABEL", label) for label in self.deleted),
            *(("DELETE_LABEL_FOR_LENGTH", label) for label in self.deleted_for_length),
            *(("QUOTE_LABEL", label) for label in self.quotes),
            *(("DELETE_WORD", word) for word in self.deleted_words),
            *(("DELETE_BY", side) for side in self.deleting_tags[-1:] or ("gold",) * bool(self.deleted_words)),
        ]
        rows: list[tuple[str, str, str | None]] = [(name, value, None) for name, value in dict.fromkeys(one_value)]
        for name, pairs in (("EQ_LABEL", self.equal_labels), ("EQ_WORD", self.equal_words)):
            rows += [(name, value, same_as) for value, same_as in _classes(pairs)]
        return rows


NamedParameters = tuple[str, EvalbParameters]
"""The name of a parameter set, and its parameters."""


def read_rules(rules: str) -> NamedParameters | None:
    """The name of the set of a parameter file, and its parameters; None where there is no such file. Raises
    InvalidInput."""
    path = Path(rules)
    return (path.name.removesuffix(SUFFIX), read_parameters(path)) if path.is_file() else None


def install_rules(
    engine: Engine, rules: str, warn: Warn = lambda note: None, read: NamedParameters | None = None
) -> str:
    """Install a parameter file for the engine and return the name of its set, or return the name of a known set.

    rules: a parameter file, or the name of a set, in upper or lower case. A set of the same name is replaced, for this
    engine alone: a database file stays as it is. warn: called with warnings of ignored parameters. read: what was read
    of the file before. Raises UnknownName, InvalidInput.
    """
    read = read or read_rules(rules)
    if read is not None:
        name, parameters = read
        for note in parameters.notes:
            warn(note)
        _replace(engine, name, parameters.rows)
        return name
    known = sorted(name for (name,) in engine.rows("SELECT DISTINCT e.parameter_set FROM evalb_parameters AS e"))
    stem = rules.removesuffix(SUFFIX)
    named = stem if stem in known else {name.lower(): name for name in known}.get(stem.lower())
    if named is None:
        rows = [row for row in schemas.table("evalb_parameters").rows if row[0] == rules.lower()]
        if rows:  # a database made before treesql had this set
            _replace(engine, rows[0][0], [(parameter, value, same_as or None) for _, parameter, value, same_as in rows])
            return rows[0][0]
        if rules.endswith(SUFFIX):
            raise UsageError(f"{rules}: there is no such file; name a parameter file, or one of {', '.join(known)}")
        raise UnknownName("parameter set", rules, known)
    return named


def _replace(engine: Engine, name: str, parameters: Sequence[tuple[str, str, str | None]]) -> None:
    columns = zip(*((name, *row) for row in parameters), strict=True)
    arrays = [pa.array(column, pa.string()) for column in columns]
    rows = pa.table(arrays, names=list(schemas.table("evalb_parameters").names))
    engine.replace_rows("evalb_parameters", rows, where="parameter_set", is_value=name)


def read_parameters(path: str | Path) -> EvalbParameters:
    """Return the parameters of a file. Raises InvalidInput."""
    source = Source(str(path))
    faults = Faults(source.name)
    data = b"".join(chunk.data for chunk in source.chunks())
    text = clean_text(data, 1, True, faults, returns=False).decode("utf-8", "replace")
    parser = _ParameterParser(faults)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            parser.add(number, [(word[0], word.start() + 1) for word in re.finditer(r"\S+", line)])
    faults.raise_any()
    return parser.parameters


class _ParameterParser:
    """Collects the parameters of a file, line by line."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._values: dict[str, int | bool] = {}
        self._lists: dict[str, list[str]] = {}
        self._pairs: dict[str, list[Pair]] = {}
        self._notes: list[Diagnostic] = []

    @property
    def parameters(self) -> EvalbParameters:
        """The parameters of all lines."""
        fields: dict[str, object] = {name: tuple(values) for name, values in self._lists.items()}
        fields.update((name, tuple(pairs)) for name, pairs in self._pairs.items())
        fields.update(self._values)
        return EvalbParameters(**fields, notes=tuple(self._notes))  # type: ignore[arg-type]

    def add(self, line: int, words: list[tuple[str, int]]) -> None:
        """Add a line: its words, with their columns."""
        (name, column), *rest = words
        values = [value for value, _ in rest]
        if name in _IGNORED:
            self._notes.append(
                Diagnostic.warning(self._faults.path, line, f"{name} is ignored", _IGNORED[name], column)
            )
        elif name in _REFUSED:
            if values != ["0"]:
                what = f"{name}, words directly below the root left out, is not supported"
                self._faults.add(line, what, _REFUSED[name], column)
        elif name not in _NUMBERS | _LABELS | _PAIRS:
            self._faults.add(line, f"unknown parameter `{name}`", _suggest_names(name), column)
        elif len(values) != (expected := 2 if name in _PAIRS else 1):
            what = f"{name} has {len(values)} value{'' if len(values) == 1 else 's'} where it needs {expected}"
            self._faults.add(line, what, f"write {name}{' LABEL' * expected}, one per line", column)
        elif name == "DELETE_BY" and values[0] not in ("own", "gold"):
            self._faults.add(line, f"DELETE_BY is `{values[0]}`", "write own or gold", rest[0][1])
        elif name in _NUMBERS:
            self._add_number(line, name, *rest[0])
        elif name in _LABELS:
            self._lists.setdefault(_LABELS[name], []).append(values[0])
        else:
            self._pairs.setdefault(_PAIRS[name], []).append((values[0], values[1]))

    def _add_number(self, line: int, name: str, value: str, column: int) -> None:
        field_name = _NUMBERS[name]
        if field_name in self._values:
            self._faults.add(line, f"{name} is given twice", "give it once", 1)
        elif not re.fullmatch("[0-9]{1,9}" if name != "LABELED" else "[01]", value):
            hint = "write 1 for labelled or 0 for unlabelled" if name == "LABELED" else "write a number, such as 40"
            self._faults.add(line, f"{name} is `{value}`", hint, column)
        else:
            self._values[field_name] = value == "1" if name == "LABELED" else int(value)


def _classes(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the members of every class of equals except the first, each with the first."""
    first: dict[str, str] = {}
    for label, other in pairs:
        kept, dropped = first.setdefault(label, label), first.setdefault(other, other)
        first.update((member, kept) for member, representative in first.items() if representative == dropped)
    yield from ((member, representative) for member, representative in first.items() if member != representative)


def _suggest_names(name: str) -> str:
    known = [*_NUMBERS, *_LABELS, *_PAIRS, *_IGNORED, *_REFUSED]
    near = difflib.get_close_matches(name.upper(), known, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(known))}"
