"""Elements of TIGER-XML: words, phrases and edges of sentences, from expat's events.

expat is Python's own parser: it streams, knows the place of every element, opens no files, and reports declarations
before anything comes of them. A document type is refused as a whole, so that no entity is ever defined.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from treesql.readers import sentence_limits
from treesql.readers.faults import Faults

OPEN = "--"
"""The mark of an open value."""

MAX_DEPTH = 64
"""Maximum number of elements inside each other; TIGER-XML has eight."""

ROOT = 0
"""The number of the root above all phrases, which is no phrase."""

_CONTAINERS = {
    "corpus": ("",), "head": ("corpus",), "body": ("corpus",), "subcorpus": ("body", "subcorpus"),
    "s": ("body", "subcorpus"), "graph": ("s",), "terminals": ("graph",), "nonterminals": ("graph",),
    "t": ("terminals",), "nt": ("nonterminals",), "edge": ("nt",), "secedge": ("nt", "t"), "matches": ("s",),
}  # fmt: skip
"""By element, those that it may stand in, `` for none."""

_PASSED_OVER = frozenset({"head", "matches"})
"""Elements whose content is not read."""

_COLUMNS = frozenset({"id", "word", "lemma", "pos", "morph"})
"""Attributes of words that have a column; others are in `misc`."""


class StoppedParsing(Exception):
    """Raised where nothing further of the file can be read; the fault is noted."""


@dataclass(slots=True)
class TigerSentence:
    """A sentence: its words, phrases and edges, in the order of the file.

    words: form, lemma, tag, morphology, other attributes, line; phrases: category, id, line; numbers: by id, that of a
    word from 1 on, or of a phrase from -1 down, ROOT. edges: child's id, label, parent's number, line; secondary: the
    number of the element that has it, the id that it names, label, line.
    """

    line: int
    start: int
    name: str
    root: str | None = None
    words: list[tuple[str, str, str, str, str, int]] = field(default_factory=list)
    phrases: list[tuple[str, str, int]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[str, str, int, int]] = field(default_factory=list)
    secondary: list[tuple[int, str, str, int]] = field(default_factory=list)
    broken: bool = False


class ElementReader:
    """Feeds blocks to expat and collects whole sentences in `found`, which the caller empties."""

    def __init__(self, faults: Faults, limit: int) -> None:
        self.found: list[TigerSentence] = []
        self._faults, self._limit = faults, limit
        self._most = max(limit // sentence_limits.BYTES_PER_WORD, 1)
        self._fed = 0
        self._stack = [""]
        self._skipped = 0  # depth of the element whose content is passed over
        self._open: TigerSentence | None = None
        self._owner = ROOT
        parser = self._parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, block: bytes, last: bool) -> None:
        """Read a block. Raises StoppedParsing where the file cannot be read on."""
        self._fed += len(block)
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
            self._stop(*sentence_limits.fault(self._limit), line)

    def _stop(self, what: str, hint: str, line: int | None = None) -> None:
        self._faults.add(line or self._parser.CurrentLineNumber, what, hint)
        raise StoppedParsing

    def _refuse_doctype(self, *_: object) -> None:
        what = "a document type declaration, which may define entities or name other files"
        self._stop(what, "remove <!DOCTYPE ...>; TIGER-XML needs none")

    def _fault(self, what: str, hint: str) -> None:
        """Note a fault of an element; what follows in its sentence is not looked at."""
        parser = self._parser
        if self._open is None or not self._open.broken:
            self._faults.add(parser.CurrentLineNumber, what, hint, parser.CurrentColumnNumber + 1)
        if self._open is not None:
            self._open.broken = True
        if self._faults.full:
            raise StoppedParsing

    def _start(self, tag: str, values: dict[str, str]) -> None:
        stack = self._stack
        if self._skipped:
            stack.append(tag)
        else:
            if stack[-1] not in _CONTAINERS.get(tag, ()):
                self._misplaced(tag)
            stack.append(tag)
            if tag == "edge":
                self._add_edge(values)
            elif tag == "t":
                self._add_word(values)
            elif tag == "nt":
                self._add_phrase(values)
            elif tag == "secedge":
                self._add_secondary(values)
            else:
                self._add_other(tag, values)
        if len(stack) > MAX_DEPTH:
            self._stop(f"more than {MAX_DEPTH} elements inside each other", "check whether an element is left open")

    def _end(self, tag: str) -> None:
        stack = self._stack
        if self._skipped == len(stack):
            self._skipped = 0
        stack.pop()
        if tag == "s" and self._open is not None and not self._skipped:
            if not self._open.broken:
                self.found.append(self._open)
            self._open = None

    def _misplaced(self, tag: str) -> None:
        within = self._stack[-1]
        place = f"in <{within}>" if within else "as the outermost element"
        self._stop(f"<{tag}> {place}, which TIGER-XML does not have", "check the file; its format may be another")

    def _add_other(self, tag: str, values: dict[str, str]) -> None:
        if tag in _PASSED_OVER:
            self._skipped = len(self._stack)
        elif tag == "s":
            if "id" not in values:
                self._fault("<s> without an id", 'give every sentence one: <s id="s1">')
            parser = self._parser
            self._open = TigerSentence(parser.CurrentLineNumber, parser.CurrentByteIndex, values.get("id", ""))
        elif tag == "graph" and self._open is not None:
            if self._open.root is not None or self._open.numbers:
                self._fault("a second <graph> of the sentence", "give every sentence one")
            self._open.root = values.get("root", "")
        elif tag == "subcorpus" and values.get("external"):
            self._stop(f"the subcorpus is in another file, `{values['external'][:60]}`", "load that file itself")

    def _number(self, values: dict[str, str], number: int) -> bool:
        """Number a word or phrase by its id; False where it has none of its own."""
        sentence = self._open
        assert sentence is not None
        if sentence.broken:
            return False
        self._owner = number
        name = values.get("id")
        if name is None:
            self._fault(f"<{self._stack[-1]}> without an id", "give every word and phrase one")
        elif name in sentence.numbers:
            self._fault(f"id `{name[:60]}` is given twice", "give every word and phrase of a sentence its own id")
        else:
            sentence.numbers[name] = number
            if len(sentence.numbers) > self._most:
                what, hint = sentence_limits.fault(self._limit)
                self._stop(f"{what}: {len(sentence.numbers):,} words and phrases", hint, sentence.line)
            return True
        return False

    def _add_word(self, values: dict[str, str]) -> None:
        sentence = self._open
        assert sentence is not None
        if not self._number(values, len(sentence.words) + 1):
            return
        word = values.get("word")
        if not word:
            self._fault("<t> without a word", 'write the word as in word="cat"')
            return
        more = ""
        if len(values) > len(_COLUMNS) or not values.keys() <= _COLUMNS:
            pairs = [(name, value) for name, value in values.items() if name not in _COLUMNS]
            more = "".join(f"|{name}={escaped(value)}" for name, value in pairs if value and value != OPEN)
        get = values.get
        line = self._parser.CurrentLineNumber
        sentence.words.append((word, get("lemma", ""), get("pos", ""), get("morph", ""), more, line))

    def _add_phrase(self, values: dict[str, str]) -> None:
        sentence = self._open
        assert sentence is not None
        name, category = values.get("id", ""), values.get("cat", "")
        is_root = bool(name) and name == sentence.root and (category == "VROOT" or name.endswith("VROOT"))
        if self._number(values, ROOT if is_root else -len(sentence.phrases) - 1) and not is_root:
            sentence.phrases.append((category, name, self._parser.CurrentLineNumber))

    def _add_edge(self, values: dict[str, str]) -> None:
        sentence = self._open
        assert sentence is not None
        if sentence.broken:
            return
        if "idref" not in values:
            self._fault("<edge> without an idref", 'name the child by its id: idref="s1_1"')
            return
        sentence.edges.append((values["idref"], values.get("label", ""), -self._owner, self._parser.CurrentLineNumber))
        if len(sentence.edges) > self._most:
            what, hint = sentence_limits.fault(self._limit)
            self._stop(f"{what}: {len(sentence.edges):,} edges", hint, sentence.line)

    def _add_secondary(self, values: dict[str, str]) -> None:
        sentence = self._open
        assert sentence is not None
        if sentence.broken:
            return
        if "idref" not in values:
            self._fault("<secedge> without an idref", 'name the further parent by its id: idref="s1_500"')
            return
        line = self._parser.CurrentLineNumber
        sentence.secondary.append((self._owner, values["idref"], values.get("label", ""), line))
        if len(sentence.secondary) > self._most:
            what, hint = sentence_limits.fault(self._limit)
            self._stop(f"{what}: {len(sentence.secondary):,} secondary edges", hint, sentence.line)


def escaped(value: str) -> str:
    """A value as `misc` holds it, in which `|` separates."""
    return value.replace("&", "&amp;").replace("|", "&#124;")
