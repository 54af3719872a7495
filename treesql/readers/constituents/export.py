"""NEGRA's export format, versions 3 and 4: trees whose phrases may be discontinuous, a line per word and phrase.

Source: Brants 1997, The NeGra export format for annotated corpora (version 3); TIGER's documentation (version 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.constituents.phrases import (
    ENDLESS,
    PhraseNumbers,
    SecondaryEdges,
    TreeChunk,
    distinct_edges,
    tree_batch,
    with_prefix,
    without_open,
)
from treesql.readers.fields import Faults, Field, Text, clean_text, refuse_long
from treesql.readers.source import Source

if TYPE_CHECKING:
    from treesql.kernels.scanning.export_lines import ExportScan

SUFFIXES = (".export",)
KIND = "constituency"

_END = b"\n#EOS"

_COMMENT = re.compile(rb"(?:^|[ \t])%%.*")

MAX_BEFORE = 64
"""Maximum number of bytes of earlier blocks that are searched for the beginning of the last line of a sentence."""

MAX_SHOWN = 60
"""Maximum number of characters of a field that an error message quotes."""

_CLOSE = "end it with #EOS"

# By kind of fault, in the order of treesql.kernels.scanning.export_lines: what is wrong and what to do. `{}` is the
# field there, {name} another one, {line} a line, {first} the first two fields of the line, {rest} the rest of the line.
FAULTS = (
    ("#BOS without a number", "write #BOS and the number of the sentence"),
    ("this sentence is not closed before the next begins, in line {line}", _CLOSE),
    ("#EOS without #BOS", "begin the sentence with #BOS and its number"),
    ("`{first}` ends sentence {name}", "give both lines the same number"),
    ("format `{rest}`", "versions 3 and 4 are read"),
    ("`{}` is outside of all sentences", "put #BOS above it"),
    ("", "write {names}, morphology, function and parent; pairs of secondary edges may follow"),
    ("parent `{}` is not a phrase", "write 0, or the number of a phrase, 500 to 999"),
    ("phrase {} is given twice", "give every phrase of a sentence its own number"),
    ("parent {} of `{name}` does not exist", "give the phrase a line, or name another"),
    ("this sentence is not closed at the end of the file", f"{_CLOSE}; the file may be cut off"),
)


class SentenceEnds:
    """Finds where blocks can be cut: behind the last line `#EOS` that ends in a block."""

    def __init__(self) -> None:
        self._before = b""

    def __call__(self, block: bytes) -> int:
        """Offset behind that line, 0 where a block has none. Called with all blocks of a file in order."""
        text, known = self._before + block, len(self._before)
        self._before = text[-MAX_BEFORE:]
        end = text.rfind(b"\n") + 1
        start = text.rfind(_END, 0, end)
        return max(text.find(b"\n", start + 1) + 1 - known, 0) if start >= 0 else 0


def _is_version_4(data: bytes) -> bool:
    """Whether only version 4, with lemmas, explains the first sentence of a file that names no version.

    Lines have a name, three or four fields, a parent, and pairs: in version 3 an odd number of fields.
    """
    before, _, rest = data.partition(b"#BOS")
    sentence, _, _ = rest.partition(_END)
    lines = [_COMMENT.sub(b"", line).split() for line in sentence.split(b"\n")[1:]]
    counts = {len(line) for line in lines if line}
    even = bool(counts) and all(count > 5 and count % 2 == 0 for count in counts)
    return b"#FORMAT" not in before and even and all(line[5].isdigit() for line in lines if line)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels.scanning import export_lines  # here, as few commands need it

    faults = Faults(source.name)
    n, so_far = 0, export_lines.initial_state()
    unnamed = begun = named = False
    for chunk in source.chunks(cut_of=SentenceEnds(), limit=options.max_sentence):
        first = int(so_far[0])
        data = clean_text(chunk.data, first, chunk.last, faults, returns=False)
        text = Text(data)
        if not begun and b"#BOS" in data:  # lines outside of sentences, which are faults, may be in chunks before it
            begun, unnamed = True, not named and _is_version_4(data)
            so_far = export_lines.with_version(so_far, 4) if unnamed else so_far
        named = named or b"#FORMAT" in data
        scan = export_lines.scan(text.raw, so_far)
        so_far = scan.state
        n += scan.sentences.shape[1] - 1
        _add_faults(scan, text, faults)
        line, leaf_offsets, node_offsets = scan.sentences[0, :-1], scan.sentences[5], scan.sentences[6]
        refuse_long(np.diff(leaf_offsets), line, options.max_sentence, faults)
        numbers = PhraseNumbers(leaf_offsets, node_offsets, scan.words[10], scan.phrases[10])
        _add_tree_faults(scan, numbers, text, faults)
        if faults.full:
            break
        if not faults.found and len(line):
            yield tree_batch(_trees(scan, numbers, data), source.name, state, options)
    if not n and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one sentence, between #BOS and #EOS")
    faults.raise_any()
    if unnamed:
        what = "no line names the version, and lines have the fields of version 4, with lemmas"
        state.warnings.append(Diagnostic.warning(source.name, 1, what, "begin the file with #FORMAT 4"))


def _trees(scan: ExportScan, numbers: PhraseNumbers, data: bytes) -> TreeChunk:
    from treesql.kernels.scanning.export_lines import FUNCTION, LEMMA, LINE, MORPHOLOGY, NAME, TAG

    order = numbers.order
    functions = _filled(data, scan.words, FUNCTION)
    data, function = with_prefix(data, functions, b"Function=")
    data, rest = with_prefix(data, _filled(data, scan.phrases[:, order], FUNCTION), b"-", unless=b"=")
    sentence, _, _, start, length, _, _ = scan.sentences[:, :-1]
    return TreeChunk(
        text=Text(data),
        line=sentence,
        leaf_offsets=scan.sentences[5],
        node_offsets=scan.sentences[6],
        form=(scan.words[NAME], scan.words[NAME + 1]),
        tag=_filled(data, scan.words, TAG),
        phrase=numbers.numbered.phrase,
        leaf_line=scan.words[LINE],
        label=_filled(data, scan.phrases[:, order], TAG),
        rest=rest,
        parent=numbers.numbered.parent,
        first=numbers.numbered.first,
        last=numbers.numbered.last,
        depth=numbers.numbered.depth,
        continuous=numbers.numbered.continuous,
        texts={
            "lemma": _filled(data, scan.words, LEMMA),
            "feats": _filled(data, scan.words, MORPHOLOGY),
            "misc": function,
        },
        sent_id=(start, length),
        comments=_comments(data, scan.sentences[1, :-1], scan.sentences[2, :-1]),
        secondary=_secondary(scan.secondary, numbers, data),
        spaced=True,
    )


def _filled(data: bytes, rows: Ints, at: int) -> Field:
    """A field of words or phrases, of length 0 where it is open."""
    return without_open(data, rows[at], rows[at + 1])


def _comments(data: bytes, starts: Ints, lengths: Ints) -> tuple[Ints, Field]:
    """What stands above the words of every sentence, line by line: the head of the file, comments, and #BOS."""
    offsets, places, sizes = [0], [], []
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        for line in data[start : start + length].split(b"\n"):
            if line.strip():
                places.append(start)
                sizes.append(len(line))
            start += len(line) + 1
        offsets.append(len(places))
    return np.array(offsets, dtype=np.int64), (np.array(places, dtype=np.int64), np.array(sizes, dtype=np.int64))


def _secondary(edges: Ints, numbers: PhraseNumbers, data: bytes) -> SecondaryEdges:
    sentence, word, node, start, length, parent, _ = edges
    label = without_open(data, start, length)
    nodes, parents = numbers.of_phrases(sentence, node), numbers.of_phrases(sentence, parent)
    return distinct_edges(data, SecondaryEdges(sentence, word, nodes, parents, label))


def _add_faults(scan: ExportScan, text: Text, faults: Faults) -> None:
    """Add the faults of a chunk; of lines outside of sentences only the first in a file."""
    from treesql.kernels.scanning import export_lines as kernel

    for kind, at, line, other in scan.faults.tolist():
        what, hint = FAULTS[kind]
        if kind == kernel.FIELDS:
            n, version = divmod(other, 10)
            names = "word, lemma, tag" if version == 4 else "word, tag"
            what = f"{n} field{'s' if n > 1 else ''} where version {version} has {version + 2}"
            hint = hint.replace("{names}", names)
        else:
            what = what.replace("{line}", str(other)).replace("{name}", _field(text, other))
            what = what.replace("{first}", " ".join(_line_from(text, at).split()[:2]))
            what = what.replace("{rest}", _line_from(text, at).strip()).replace("{}", _field(text, at))
        if kind == kernel.OUTSIDE:
            faults.add_once(line, what, hint, "outside")
        else:
            faults.add(line, what, hint, _column(text, at))


def _add_tree_faults(scan: ExportScan, numbers: PhraseNumbers, text: Text, faults: Faults) -> None:
    """Add the faults of phrases that are below themselves or have no words."""
    from treesql.kernels.scanning.export_lines import LINE, NAME, PARENT_AT

    for kind, place in numbers.faults():
        phrase = scan.phrases[:, place]
        name, line = _field(text, int(phrase[NAME])), int(phrase[LINE])
        if kind == ENDLESS:
            what, hint = f"phrase {name} is below itself", "let every path end in parent 0"
            faults.add(line, what, hint, _column(text, int(phrase[PARENT_AT])))
        else:
            faults.add(line, f"phrase {name} has no words", "remove it, or hang words on it", 1)


def _field(text: Text, at: int) -> str:
    """The field that stands at a place, shortened for an error message."""
    field = (_line_from(text, at).replace("\t", " ").split(" ", 1))[0]
    return field if len(field) <= MAX_SHOWN else f"{field[:MAX_SHOWN]}..."


def _line_from(text: Text, at: int) -> str:
    """The rest of a line from a place on."""
    end = text.data.find(b"\n", at)
    return text.data[at : end if end >= 0 else len(text.data)].decode("utf-8", "replace")


def _column(text: Text, at: int) -> int:
    """The column of a place, in characters."""
    return len(text.data[text.data.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
