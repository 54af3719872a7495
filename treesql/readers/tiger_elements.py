"""Elements of TIGER-XML: words, phrases and edges of sentences, from expat's events.

expat is Python's own parser: it streams, knows the place of every element, opens no files, and reports declarations
before anything comes of them. A document type is refused as a whole, so that no entity is ever defined.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from treesql.readers.fields import Faults
from treesql.readers.source import fault_of_size

OPEN = "--"
"""The mark of an open value."""

MAX_DEPTH = 64
"""Maximum number of elements inside each other; TIGER-XML has eight."""

CONTAINERS = {
    "corpus": ("",), "head": ("corpus",), "body": ("corpus",), "subcorpus": ("body", "subcorpus"),
    "s": ("body", "subcorpus"), "graph": ("s",), "terminals": ("graph",), "nonterminals": ("graph",),
    "t": ("terminals",), "nt": ("nonterminals",), "edge": ("nt",), "secedge": ("nt", "t"), "matches": ("s",),
}  # fmt: skip
"""By element, those that it may stand in, `` for none."""

_PASSED_OVER = frozenset({"head", "matches"})
"""Elements whose content is not read."""


class StoppedParsing(Exception):
    """Raised where nothing further of the file can be read; the fault is noted."""


Attributes = dict[str, str]


@dataclass(slots=True)
class TigerSentence:
    """A sentence: the attributes and lines of its words and phrases, in the order of the file.

    start: its place in the file, in bytes. children: of every phrase, the attributes of its edges. secondary: the
    number of the word (from 1 on) or phrase (from -1 down) that has each secondary edge, its attributes and line.
    """

    line: int
    start: int
    name: str
    root: str | None = None
    words: list[Attributes] = field(default_factory=list)
    word_lines: list[int] = field(default_factory=list)
    phrases: list[Attributes] = field(default_factory=list)
    phrase_lines: list[int] = field(default_factory=list)
    children: list[list[Attributes]] = field(default_factory=list)
    secondary: list[tuple[int, Attributes, int]] = field(default_factory=list)


class ElementReader:
    """Feeds blocks to expat and collects whole sentences in `found`, which the caller empties."""

    def __init__(self, faults: Faults, limit: int) -> None:
        self.found: list[TigerSentence] = []
        self._faults, self._limit = faults, limit
        self._fed = 0
        self._stack = [""]
        self._skipped = 0  # depth of the element whose content is passed over
        self._open: TigerSentence | None = None
        self._children: list[Attributes] | None = None  # of the phrase that is open
        parser = self._parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, block: bytes, last: bool) -> None:
        """Read a block. Raises StoppedParsing where the file cannot be read on."""
        self._fed += len(block)
        if last and not self._fed:
            self._faults.add(0, "the file is empty", "give a file with at least one <s> in its <body>")
            raise StoppedParsing
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            if error.code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
                what, hint = "an entity that is not of XML itself", "write the character, or &#N; with its number"
            elif "encoding" in what:
                hint = "save the file as UTF-8, and say so in its first line"
            else:
                what, hint = f"this is not well-formed XML: {what}", "check the file; it may be cut off"
            self._faults.add(error.lineno, what, hint, error.offset + 1)
            raise StoppedParsing from None
        except (ValueError, LookupError) as error:  # encodings that Python has no table of
            self._faults.add(1, str(error), "save the file as UTF-8, and say so in its first line")
            raise StoppedParsing from None
        start = self._parser.CurrentByteIndex if self._open is None else self._open.start
        if not last and self._fed - start > self._limit:
            line = self._open.line if self._open else self._parser.CurrentLineNumber
            self._stop(*fault_of_size(self._limit), line)

    @property
    def between_sentences(self) -> bool:
        """Whether the next element may be a sentence."""
        return not self._skipped and self._open is None and self._stack[-1] in CONTAINERS["s"]

    def pass_over(self, block: bytes) -> None:
        """Count the lines of whole sentences that are read otherwise."""
        blank = b"\n" * block.count(b"\n") + b" " * (len(block) - block.rfind(b"\n") - 1)
        self._fed += len(blank)
        self._parser.Parse(blank, False)

    def _stop(self, what: str, hint: str, line: int | None = None) -> None:
        self._faults.add(line or self._parser.CurrentLineNumber, what, hint)
        raise StoppedParsing

    def _refuse_doctype(self, *_: object) -> None:
        what = "a document type declaration, which may define entities or name other files"
        self._stop(what, "remove <!DOCTYPE ...>; TIGER-XML needs none")

    def _start(self, tag: str, values: Attributes) -> None:
        if tag == "edge" and self._children is not None:  # most elements are edges, and hold nothing
            self._children.append(values)
            return
        stack = self._stack
        if not self._skipped:
            if stack[-1] not in CONTAINERS.get(tag, ()):
                self._misplaced(tag)
            if tag == "t":
                assert self._open is not None
                self._open.words.append(values)
                self._open.word_lines.append(self._parser.CurrentLineNumber)
            else:
                self._begin(tag, values)
        stack.append(tag)
        if len(stack) > MAX_DEPTH:
            self._stop(f"more than {MAX_DEPTH} elements inside each other", "check whether an element is left open")

    def _end(self, tag: str) -> None:
        if tag == "edge" and self._children is not None:
            return
        stack = self._stack
        stack.pop()
        if self._skipped:
            self._skipped = self._skipped if len(stack) > self._skipped else 0
        elif tag == "nt":
            self._children = None
        elif tag == "s" and self._open is not None:
            self.found.append(self._open)
            self._open = None

    def _misplaced(self, tag: str) -> None:
        within = self._stack[-1]
        place = f"in <{within}>" if within else "as the outermost element"
        self._stop(f"<{tag[:60]}> {place}, which TIGER-XML does not have", "check the file; its format may be another")

    def _begin(self, tag: str, values: Attributes) -> None:
        """Begin an element other than a word."""
        parser, sentence = self._parser, self._open
        if tag in _PASSED_OVER:
            self._skipped = len(self._stack)
        elif tag == "s":
            self._open = TigerSentence(parser.CurrentLineNumber, parser.CurrentByteIndex, values.get("id", ""))
        elif tag == "subcorpus" and values.get("external"):
            self._stop(f"the subcorpus is in another file, `{values['external'][:60]}`", "load that file itself")
        elif tag == "graph" and sentence is not None:
            if sentence.root is not None:
                self._stop("a second <graph> of the sentence", "give every sentence one")
            sentence.root = values.get("root", "")
        elif tag == "nt" and sentence is not None:
            self._children = []
            sentence.phrases.append(values)
            sentence.phrase_lines.append(parser.CurrentLineNumber)
            sentence.children.append(self._children)
        elif tag == "secedge" and sentence is not None:
            owner = len(sentence.words) if self._stack[-1] == "t" else -len(sentence.phrases)
            sentence.secondary.append((owner, values, parser.CurrentLineNumber))
