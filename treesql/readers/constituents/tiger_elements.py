"""Sentences of TIGER-XML: words, phrases and edges from expat's events, and the parents and functions that they name.

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

ROOT = 0
"""The number of the root above all phrases, which is no phrase."""

MAX_SHOWN = 60
"""Maximum number of characters of a value that an error message quotes."""

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

_ENCODING_HINT = "save the file as UTF-8, and say so in its first line"

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
    """Feeds blocks to expat and collects whole sentences in `sentences`, which the caller empties."""

    def __init__(self, faults: Faults, limit: int) -> None:
        self.sentences: list[TigerSentence] = []
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
        """Read a block. Raises InvalidInput where the file cannot be read on."""
        self._fed += len(block)
        if last and not self._fed:
            self._stop("the file is empty", "give a file with at least one <s> in its <body>", 0)
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            self._stop(*_describe(error), error.lineno, error.offset + 1)
        except (ValueError, LookupError) as error:  # encodings that Python has no table of
            self._stop(str(error), _ENCODING_HINT, 1)
        start = self._parser.CurrentByteIndex if self._open is None else self._open.start
        if not last and self._fed - start > self._limit:
            line = self._open.line if self._open else self._parser.CurrentLineNumber
            self._stop(*fault_of_size(self._limit), line)

    def _stop(self, what: str, hint: str, line: int | None = None, column: int = 0) -> None:
        self._faults.add(self._parser.CurrentLineNumber if line is None else line, what, hint, column)
        self._faults.raise_any()

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
            self.sentences.append(self._open)
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


def _describe(error: expat.ExpatError) -> tuple[str, str]:
    """What is wrong where expat stops, and what to do about it."""
    what = expat.ErrorString(error.code)
    if error.code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        return "an entity that is not of XML itself", "write the character, or &#N; with its number"
    if "encoding" in what:
        return what, _ENCODING_HINT
    return f"this is not well-formed XML: {what}", "check the file; it may be cut off"


class LinkedSentence:
    """A sentence with the parents and functions of its words and phrases, counted from 1 (0: the root); notes its first
    fault.

    phrases: places among the elements <nt>, which may hold the root, too. secondary: word and phrase that hang there,
    one of them 0, the further parent, and the label.
    """

    def __init__(self, sentence: TigerSentence, faults: Faults) -> None:
        self.sentence = sentence
        self.above, self.word_functions = [-1] * len(sentence.words), [""] * len(sentence.words)
        self.phrases = [*range(len(sentence.phrases))]
        for at, values in enumerate(sentence.phrases):
            if values.get("id") == sentence.root and _is_root(values):
                self.phrases.remove(at)
        self.parents, self.phrase_functions = [-1] * len(self.phrases), [""] * len(self.phrases)
        self.secondary: list[tuple[int, int, int, str]] = []
        self._numbers: dict[str | None, int] = {}
        fault = self._number() or self._link() or self._link_secondary() or self._find_second_root()
        if fault:
            faults.add(*fault)
        self.above = [max(parent, ROOT) for parent in self.above] if -1 in self.above else self.above
        self.parents = [max(parent, ROOT) for parent in self.parents] if -1 in self.parents else self.parents

    def _number(self) -> tuple[int, str, str] | None:
        """Number words from 1 on and phrases from -1 down, by their ids."""
        sentence, numbers = self.sentence, self._numbers
        if not sentence.name:
            return sentence.line, "<s> without an id", 'give every sentence one: <s id="s1">'
        n_words, n_phrases = len(sentence.words), len(self.phrases)
        numbers.update(zip([values.get("id") for values in sentence.words], range(1, n_words + 1), strict=True))
        names = [sentence.phrases[place].get("id") for place in self.phrases]
        numbers.update(zip(names, range(-1, -n_phrases - 1, -1), strict=True))
        roots = len(sentence.phrases) - len(self.phrases)
        if roots:
            numbers[sentence.root] = ROOT
        if None in numbers or len(numbers) != n_words + n_phrases + min(roots, 1) or roots > 1:
            return self._describe_ids()
        if all(values.get("word") for values in sentence.words):
            return None
        lines = zip(sentence.words, sentence.word_lines, strict=True)
        line = next(line for values, line in lines if not values.get("word"))
        return line, "<t> without a word", 'write the word as in word="cat"'

    def _describe_ids(self) -> tuple[int, str, str]:
        """The first element without an id of its own."""
        sentence, had = self.sentence, set()
        elements = [*zip(sentence.words, sentence.word_lines, strict=True)]
        elements += zip(sentence.phrases, sentence.phrase_lines, strict=True)
        for values, line in elements:
            name = values.get("id")
            if name is None:
                return line, "an element without an id", "give every word and phrase one"
            if name in had:
                what = f"id `{name[:MAX_SHOWN]}` is given twice"
                return line, what, "give every word and phrase of a sentence its own id"
            had.add(name)
        return sentence.line, "ids that are not distinct", "give every word and phrase of a sentence its own id"

    def _link(self) -> tuple[int, str, str] | None:
        numbers, above, parents = self._numbers, self.above, self.parents
        word_functions, phrase_functions = self.word_functions, self.phrase_functions
        sentence = self.sentence
        for place, edges in enumerate(sentence.children):
            parent = -numbers[sentence.phrases[place]["id"]]
            for edge in edges:
                number = numbers.get(edge.get("idref"))
                if number is None:
                    return self._describe_edge(place, edge.get("idref"))
                if number > 0 and above[number - 1] < 0:
                    above[number - 1], word_functions[number - 1] = parent, edge.get("label", "")
                elif number < 0 and parents[-number - 1] < 0:
                    parents[-number - 1], phrase_functions[-number - 1] = parent, edge.get("label", "")
                else:
                    what = f"`{edge['idref'][:MAX_SHOWN]}` has two parents" if number else "the root is below a phrase"
                    hint = "keep one edge to it; further parents are secondary edges, <secedge>"
                    return sentence.phrase_lines[place], what, hint
        return None

    def _describe_edge(self, place: int, name: str | None) -> tuple[int, str, str]:
        line, phrase = self.sentence.phrase_lines[place], self.sentence.phrases[place]["id"][:MAX_SHOWN]
        if name is None:
            return line, f"<edge> of `{phrase}` without an idref", 'name the child by its id: idref="s1_1"'
        what = f"an edge of `{phrase}` to `{name[:MAX_SHOWN]}`, which the sentence does not have"
        return line, what, "name a word or a phrase"

    def _link_secondary(self) -> tuple[int, str, str] | None:
        """As in TIGER, the element with the edge hangs below the one that it names; but a word is never a parent."""
        for had_by, values, line in self.sentence.secondary:
            owner = had_by if had_by > 0 else self._numbers[self.sentence.phrases[-had_by - 1]["id"]]
            name = values.get("idref")
            number = self._numbers.get(name)
            if name is None:
                return line, "<secedge> without an idref", 'name the further parent by its id: idref="s1_500"'
            if number is None:
                what = f"a secondary edge to `{name[:MAX_SHOWN]}`, which the sentence does not have"
                return line, what, "name a phrase"
            if number > 0:
                owner, number = number, owner
            if number > 0 or owner == ROOT:
                return line, "a secondary edge between two words, or above the root", "let it lead to a phrase"
            label = values.get("label", "")
            word, node = (owner, 0) if owner > 0 else (0, -owner)
            self.secondary.append((word, node, -number, "" if label == OPEN else label))
        return None

    def _find_second_root(self) -> tuple[int, str, str] | None:
        """A second root; words without a parent hang below the root."""
        sentence = self.sentence
        if not sentence.root:
            return None
        if sentence.root not in self._numbers:
            return sentence.line, f"root `{sentence.root[:MAX_SHOWN]}` does not exist", "name a phrase or a word"
        tops = [place for place, parent in zip(self.phrases, self.parents, strict=True) if parent < 0]
        if len(tops) < 2 or self._numbers[sentence.root] == ROOT:
            return None
        names = " and ".join(f"`{sentence.phrases[place]['id'][:MAX_SHOWN]}`" for place in tops[:2])
        hint = 'hang one below the other, or both below a phrase of the category "VROOT", named as root'
        return sentence.phrase_lines[tops[1]], f"two roots, {names}", hint


def _is_root(values: dict[str, str]) -> bool:
    """Whether the phrase that a sentence names as root is the root above all others, which is no phrase."""
    return "id" in values and (values.get("cat") == "VROOT" or values["id"].endswith("VROOT"))
