"""NEGRA's export format, versions 3 and 4: trees whose phrases may be discontinuous, a line per word and phrase.

Source: Brants 1997, The NeGra export format for annotated corpora (version 3); TIGER's documentation (version 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from treesql.errors import Diagnostic
from treesql.readers import Batch, Options, State, sentence_limits
from treesql.readers.encoding import clean_text
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text
from treesql.readers.phrases import TreeChunk, tree_batch
from treesql.readers.source import Source

SUFFIXES = (".export",)
KIND = "constituency"

ROOT = 0
OPEN = "--"
"""The mark of an open value."""

_NODE = re.compile(r"#([5-9][0-9][0-9])$")
_PARENT = re.compile("0|[5-9][0-9][0-9]")
_FIELD = re.compile(r"[^ \t]+")
_COMMENT = re.compile(r"[ \t]%%.*")


def cut(block: bytes) -> int:
    """Offset behind the last line of a block: a sentence may go on in the next chunk."""
    return block.rfind(b"\n") + 1


@dataclass(slots=True)
class ExportLine:
    """A line of a sentence, a word or a phrase: its number, its text, and its fields, the parent being the last."""

    line: int
    text: str
    name: str
    lemma: str
    tag: str
    morphology: str
    function: str
    parent: int
    fields: int

    @property
    def column(self) -> int:
        """Where its parent stands."""
        return _column(self.text, self.fields)


@dataclass
class ExportPhrase:
    """A phrase of a sentence: its first and last word, how many it has, and the numbers of the phrases right below it.

    All its words count, those of the phrases below it included; not their positions are kept, but what is said of them.
    """

    entry: ExportLine
    first: int = 0
    last: int = 0
    n_words: int = 0
    below: list[int] = field(default_factory=list)

    def add(self, first: int, last: int, n_words: int) -> None:
        """Add words, the first and the last of them at these positions."""
        self.first = min(self.first or first, first)
        self.last = max(self.last, last)
        self.n_words += n_words


@dataclass
class ExportSentence:
    """The lines between #BOS and #EOS."""

    line: int
    number: str
    words: list[ExportLine] = field(default_factory=list)
    nodes: dict[int, ExportPhrase] = field(default_factory=dict)
    broken: bool = False
    size: int = 0
    """Characters of its lines."""


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a file, chunk by chunk. Raises InvalidInput."""
    faults = Faults(source.name)
    lines = SentenceParser(faults, options.max_sentence)
    n = 0
    for chunk in source.chunks(cut_of=cut, limit=options.max_sentence):
        data = clean_text(chunk.data, lines.number + 1, chunk.last, faults, returns=False)
        rows = TreeRows()
        for sentence in lines.sentences(data.decode("utf-8", "replace")):
            n += 1
            if _check_tree(sentence, faults) and not faults.found:
                rows.add(sentence)
        if faults.full:
            break
        if not faults.found and rows.line:
            yield tree_batch(rows.trees(), source.name, state, options)
    lines.close()
    if not n and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one sentence, between #BOS and #EOS")
    faults.raise_any()
    if lines.n_secondary:
        what = f"{lines.n_secondary} secondary edge{'s' if lines.n_secondary > 1 else ''}"
        state.warnings.append(Diagnostic.warning(source.name, lines.first_secondary, what, "they are passed over"))


class SentenceParser:
    """The lines of a file, counted on from chunk to chunk, and the sentences that they are."""

    def __init__(self, faults: Faults, limit: int) -> None:
        self._faults, self._limit = faults, limit
        self.number, self.n_secondary, self.first_secondary = 0, 0, 0
        self._version = 3
        self._table: str | None = None
        self._open: ExportSentence | None = None

    def sentences(self, text: str) -> Iterator[ExportSentence]:
        """The sentences that end in a text, which begins with a line."""
        for line in text.removesuffix("\n").split("\n") if text else ():
            self.number += 1
            first, rest = [*line.split(None, 1), "", ""][:2]
            if first == "#EOS":
                ended = self._end(rest)
                if ended:
                    yield ended
            elif first == "#BOS" and not self._table:
                self._begin(rest)
            elif self._open:
                self._add(line)
            else:
                self._outside(line, first, rest)

    def close(self) -> None:
        """Note a sentence that is open at the end of the file."""
        if self._open:
            hint = "end it with #EOS; the file may be cut off"
            self._faults.add(self._open.line, "this sentence is not closed at the end of the file", hint, 1)

    def _begin(self, rest: str) -> None:
        number = (rest.split() or [""])[0]
        if self._open and not self._open.broken:
            what = f"this sentence is not closed before the next begins, in line {self.number}"
            self._faults.add(self._open.line, what, "end it with #EOS", 1)
        self._open = ExportSentence(self.number, number)
        if not number:
            self._faults.add(self.number, "#BOS without a number", "write #BOS and the number of the sentence", 1)
            self._open.broken = True

    def _end(self, rest: str) -> ExportSentence | None:
        ended, self._open = self._open, None
        number = (rest.split() or [""])[0]
        if ended is None:
            self._faults.add(self.number, "#EOS without #BOS", "begin the sentence with #BOS and its number", 1)
        elif number != ended.number and not ended.broken:
            what = f"`{f'#EOS {number}'.strip()}` ends sentence {ended.number}"
            self._faults.add(self.number, what, "give both lines the same number", 1)
            ended.broken = True
        return ended

    def _outside(self, line: str, first: str, rest: str) -> None:
        """A line between sentences."""
        if first == "#EOT":
            self._table = None
        elif first == "#BOT":
            self._table = rest
        elif first == "#FORMAT":
            if rest.strip() not in ("3", "4"):
                self._faults.add(self.number, f"format `{rest.strip()}`", "versions 3 and 4 are read", 9)
            self._version = 4 if rest.strip() == "4" else 3
        elif not self._table and line.strip() and not line.startswith("%%"):
            self._faults.add_once(
                self.number, f"`{line.split()[0]}` is outside of all sentences", "put #BOS above it", "outside"
            )

    def _add(self, line: str) -> None:
        """A word or a phrase of the sentence that is open."""
        assert self._open
        if self._open.broken or not line.strip() or line.startswith("%%"):
            return
        self._open.size += len(line)
        if self._open.size > self._limit or len(self._open.words) >= max(
            self._limit // sentence_limits.BYTES_PER_WORD, 1
        ):
            self._faults.add(self._open.line, *sentence_limits.fault(self._limit))
            self._open.broken = True
            self._open.words.clear()
            return
        fields = _FIELD.findall(_COMMENT.sub("", line) if "%%" in line else line)
        expected = self._version + 2
        if len(fields) < expected or (len(fields) - expected) % 2:
            names = "word, lemma, tag" if self._version == 4 else "word, tag"
            what = f"{len(fields)} field{'s' if len(fields) > 1 else ''} where version {self._version} has {expected}"
            self._fault(what, f"write {names}, morphology, function and parent; pairs of secondary edges may follow", 1)
            return
        if len(fields) > expected:
            self.first_secondary = self.first_secondary or self.number
            self.n_secondary += (len(fields) - expected) // 2
            del fields[expected:]
        parent = fields.pop()
        if not _PARENT.fullmatch(parent):
            hint = "write 0, or the number of a phrase, 500 to 999"
            self._fault(f"parent `{parent}` is not a phrase", hint, _column(line, expected))
            return
        name, *values = fields
        lemma = values.pop(0) if self._version == 4 else OPEN
        tag, morphology, function = values
        entry = ExportLine(self.number, line, name, lemma, tag, morphology, function, int(parent), expected)
        node = _NODE.match(name) if name[0] == "#" else None
        if node is None:
            self._open.words.append(entry)
        elif int(node[1]) in self._open.nodes:
            self._fault(f"phrase {name} is given twice", "give every phrase of a sentence its own number", 1)
        else:
            self._open.nodes[int(node[1])] = ExportPhrase(entry)

    def _fault(self, what: str, hint: str, column: int) -> None:
        """Note a fault of the sentence that is open; what follows in it is not looked at."""
        assert self._open
        self._open.broken = True
        self._faults.add(self.number, what, hint, column)


def _check_tree(sentence: ExportSentence, faults: Faults) -> bool:
    """Whether all of a sentence hangs together; notes the first fault. Gives every phrase its words and children."""
    if sentence.broken:
        return False
    nodes = sentence.nodes
    for entry in [*sentence.words, *(node.entry for node in nodes.values())]:
        if entry.parent != ROOT and entry.parent not in nodes:
            what = f"parent {entry.parent} of `{entry.name}` does not exist"
            faults.add(entry.line, what, "give the phrase a line, or name another", entry.column)
            return False
    for number, node in nodes.items():
        above, steps = node.entry.parent, 0
        while above != ROOT:
            above, steps = nodes[above].entry.parent, steps + 1
            if steps > len(nodes):
                faults.add(
                    node.entry.line,
                    f"phrase #{number} is below itself",
                    "let every path end in parent 0",
                    node.entry.column,
                )
                return False
        if node.entry.parent != ROOT:
            nodes[node.entry.parent].below.append(number)
    for position, entry in enumerate(sentence.words, 1):
        if entry.parent != ROOT:
            nodes[entry.parent].add(position, position, 1)
    for number in reversed(_top_down(nodes)):
        node = nodes[number]
        if node.n_words and node.entry.parent != ROOT:
            nodes[node.entry.parent].add(node.first, node.last, node.n_words)
    for number, node in nodes.items():
        if not node.n_words:
            faults.add(node.entry.line, f"phrase #{number} has no words", "remove it, or hang words on it", 1)
            return False
    return True


def _top_down(nodes: Mapping[int, ExportPhrase]) -> list[int]:
    """The numbers of phrases, every one behind that which it is below."""
    order = [number for number, node in nodes.items() if node.entry.parent == ROOT]
    for number in order:
        order += nodes[number].below
    return order


class TreeRows:
    """The trees of a chunk: numbers by column, and texts one after the other."""

    def __init__(self) -> None:
        self.line: list[int] = []
        self._ids: list[str] = []
        self._n_words, self._n_nodes = [0], [0]
        self._words: list[tuple[ExportLine, int]] = []
        self._nodes: list[tuple[ExportLine, int, int, int, int, bool]] = []

    def add(self, sentence: ExportSentence) -> None:
        """A sentence, its phrases in preorder of their first words."""
        nodes = sentence.nodes
        numbers = {ROOT: 0}

        def walk(level: Sequence[int], depth: int) -> None:
            for number in sorted(level, key=lambda number: nodes[number].first):
                node = nodes[number]
                numbers[number] = len(numbers)
                whole = node.last - node.first + 1 == node.n_words
                self._nodes.append((node.entry, numbers[node.entry.parent], node.first, node.last, depth, whole))
                walk(node.below, depth + 1)

        walk([number for number, node in nodes.items() if node.entry.parent == ROOT], 1)
        self._words += [(entry, numbers[entry.parent]) for entry in sentence.words]
        self.line.append(sentence.line)
        self._ids.append(sentence.number)
        self._n_words.append(len(sentence.words))
        self._n_nodes.append(len(nodes))

    def trees(self) -> TreeChunk:
        """All of them."""
        words, nodes = [entry for entry, _ in self._words], [entry for entry, *_ in self._nodes]
        texts = JoinedTexts()
        numbers = np.array([row[1:] for row in self._nodes], dtype=np.int64).reshape(-1, 5).T
        return TreeChunk(
            line=np.array(self.line, dtype=np.int64),
            leaf_offsets=np.cumsum(self._n_words),
            node_offsets=np.cumsum(self._n_nodes),
            form=texts.add([entry.name for entry in words]),
            tag=texts.add(_without_open(entry.tag for entry in words)),
            phrase=np.array([phrase for _, phrase in self._words], dtype=np.int64),
            leaf_line=np.array([entry.line for entry in words], dtype=np.int64),
            label=texts.add(_without_open(entry.tag for entry in nodes)),
            rest=texts.add(_without_open((entry.function for entry in nodes), "-")),
            parent=numbers[0],
            first=numbers[1],
            last=numbers[2],
            depth=numbers[3],
            continuous=numbers[4].astype(bool),
            texts={
                "lemma": texts.add(_without_open(entry.lemma for entry in words)),
                "feats": texts.add(_without_open(entry.morphology for entry in words)),
                "misc": texts.add(_without_open((entry.function for entry in words), "Function=")),
            },
            sent_id=texts.add(self._ids),
            spaced=True,
            text=texts.text,
        )


def _without_open(values: Iterable[str], before: str = "") -> list[str]:
    """Values with something before them, those left open being empty."""
    return ["" if value == OPEN else before + value for value in values]


def _column(line: str, number: int) -> int:
    """Where a field of a line begins."""
    return [found.start() + 1 for found in _FIELD.finditer(line)][number - 1]


class JoinedTexts:
    """Texts one after the other."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    @property
    def text(self) -> Text:
        """All of them."""
        return Text(b"".join(self._parts))

    def add(self, values: Sequence[str]) -> Field:
        """Where further texts stand."""
        parts = [value.encode() for value in values]
        ends = self._length + np.array([0, *accumulate(map(len, parts))], dtype=np.int64)
        self._parts += parts
        self._length = int(ends[-1])
        return ends[:-1], np.diff(ends)
