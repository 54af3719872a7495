"""What the first bytes of a file say it is: one of the formats, or something else that has a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treesql.readers.global_columns import names_other_columns
from treesql.readers.packing import packing_of

HEAD_BYTES = 4096
"""Maximum number of bytes of a file that its format is recognised by."""

MIN_CONTROLS = 8
"""Minimum number of control characters in the first bytes of a binary file: a text may have one by mistake."""

TEXT_PER_CONTROL = 20
"""Maximum number of bytes for each control character in a binary file; random bytes have 9."""

_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f"))
"""Control characters that text does not have."""

_TEXT_FST = "write it as text with `fstprint`, and read that with --from openfst"
_TO_UTF_8 = "convert it to UTF-8, for example with iconv"
_THE_DATA = "give the file with the trees, alignments, lattices or texts themselves"
_FOREIGN: Sequence[tuple[re.Pattern[bytes], str, str]] = [
    (re.compile(rb"\xd6\xfd\xb2\x7e"), "a binary OpenFst file", _TEXT_FST),
    (
        re.compile(rb"PK\x03\x04.{0,2000}(?:xl/|word/|\[Content_Types\])", re.S),
        "an xlsx workbook or another Office file",
        "save it as text",
    ),
    (re.compile(rb"PK\x03\x04"), "a zip archive", "unpack it first"),
    (re.compile(rb".{257}ustar", re.S), "a tar archive", "unpack it, and name the files in it"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an Excel or Word file", "save it as text"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"), "a 7z or rar archive", "unpack it first"),
    (re.compile(rb"%PDF-"), "a PDF file", _THE_DATA),
    (re.compile(rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a"), "a picture (PNG, JPEG or GIF)", _THE_DATA),
    (re.compile(rb"RIFF.{4}WAVE|OggS|fLaC|ID3[\x02-\x04]", re.S), "a sound file", _THE_DATA),
    (re.compile(rb"\x7fELF"), "a program (ELF)", _THE_DATA),
    (re.compile(rb"SQLite format 3\0"), "an SQLite database", "export its text, and name that file"),
    (re.compile(rb"\x93NUMPY|\x89HDF\r\n|ARROW1\0\0|\x80[\x02-\x05]"), "a file of arrays or objects", _THE_DATA),
    (re.compile(rb"PAR1"), "a Parquet file", "name the folder that `treesql export` wrote, or --from parquet"),
    (
        re.compile(rb".{8}DUCK", re.S),
        "a DuckDB database",
        "name a file of trees; corpora of a database are named with --db",
    ),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "a UTF-16 file", _TO_UTF_8),
    (
        # the outermost element, where it is read so far, is another than that of TIGER-XML
        re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\b[^<]*(?:<[?!][^<]*)*<(?!corpus[\s/>])[A-Za-z_][\w.:-]*[\s/>]"),
        "an XML file",
        "convert it to one of the formats that `treesql load --help` lists",
    ),
]

_NODE_LINE = re.compile(r"\d+(?:[-.]\d+)?\t")
_LINKS = re.compile(r"\d+[-p?]\d+(?::[SP\d.]+)?(?: \d+[-p?]\d+(?::[SP\d.]+)?)*\s*")
_WPT_LINE = re.compile(r"\d+\s+\d+\s+\d+\s+[SP](?:\s+[\d.]+)?\s*")
_BY_BEGINNING = [
    ("tigerxml", re.compile(r"(?:<\?xml\b[^<]*)?\s*(?:<[?!][^<]*)*<corpus[\s>]")),
    ("giza", re.compile(r"# Sentence pair \(")),
    ("wordpairs", re.compile(r"[^\n|]* \|\|\| [^\n|]* \|\|\| [^\n|]*<sep>")),
    ("nbest", re.compile(r"\d+ \|\|\| ")),
    ("jsonl_alignment", re.compile(r"\{[^\n]*\"(?:links|alignment)\": *\[")),
    ("nbest", re.compile(r"\{[^\[\n]*\"(?:hypotheses|nbest)\": *\[")),
    ("export", re.compile(r"(?:%%.*\n)*#(?:FORMAT|BOS|BOT)\b")),
    ("slf", re.compile(r"VERSION=")),
    ("discbracket", re.compile(r"\(\s*[^\s()]*(?:\s*\([^\s()]*)*\s+\d+=[^\s()]")),
    ("plf", re.compile(r"\(\(\(\s*['\"]")),
    ("newick", re.compile(r"\([^\s()][^()\n]*,.*;", re.S)),
    ("newick", re.compile(r"\(+[^()\s]*[,:].*;", re.S)),
    ("penn", re.compile(r"\((?:\s*\()*\s*(?:\)|[^\s(),'\"]+[\s(])")),
    ("jsonl", re.compile(r"\{\s*\"")),
]

_TIME = r"[0-9]+(?:\.[0-9]*)?"
_TIMED = [
    ("ctm", re.compile(rf"\S+\s+\S+\s+{_TIME}\s+{_TIME}\s+\S+(?:\s+(?:{_TIME}|NA)(?:\s+\S+){{0,2}})?\s*")),
    ("stm", re.compile(rf"\S+\s+\S+\s+\S+\s+{_TIME}\s+{_TIME}(?:\s.*)?")),
]
"""Formats of words with times, and a line of each."""

_SUBTITLES = re.compile(r"(?:WEBVTT|[0-9]+\n)?\s*(?:[0-9]+:)?[0-9]+:[0-9]+[.,][0-9]+ --> ", re.M)
_SPEAKERS = re.compile(r"SPEAKER[ \t]+\S+[ \t]+\S+[ \t]+[0-9.]+[ \t]+[0-9.]+[ \t]")

ALIKE = {
    "conllu": {"conllx"}, "conllx": {"conllu"}, "pharaoh": {"talp"}, "penn": {"newick", "plf"},
    "newick": {"penn"}, "slf": {"kaldi", "openfst"}, "nbest": {"nbest_lattice"},
    "jsonl": {"nbest", "nbest_lattice", "jsonl_alignment"}, "ctm": {"text", "stm"}, "stm": {"text", "ctm"},
}  # fmt: skip
"""By the format that is recognised, others whose files may begin alike, or whose readers name it themselves."""

NEVER_TEXT = frozenset({"nbest", "conllu", "conllx", "conllup", "export", "slf", "plf", "jsonl", "giza", "tigerxml"})
"""Formats whose beginnings no text has; one may begin with a bracket, or with numbers."""

RANGE_ID = re.compile(r"ID `\d+[-.]\d+`")
"""The beginning of CoNLL-X's error of a multiword token or an empty node, which CoNLL-U has."""


def describe_foreign(head: bytes, packing: str | None = None) -> tuple[str, str] | None:
    """What a file with these first bytes is, and what to do; None unless it is a known one of no text format.

    packing: the compression that the bytes were unpacked from.
    """
    packed = f", packed with {packing}" if packing else ""
    if packing and (inner := packing_of(head)):
        return f"this is a {inner} file{packed}", "unpack it once"
    named = ((what, hint) for pattern, what, hint in _FOREIGN if pattern.match(head))
    what, hint = next(named, None) or _describe_bytes(head[:HEAD_BYTES]) or ("", "")
    return (f"this is {what}{packed}", hint) if what else None


def _describe_bytes(head: bytes) -> tuple[str, str] | None:
    """What bytes are that are no text: in text, few are control characters."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls < MIN_CONTROLS or controls < len(head) / TEXT_PER_CONTROL:
        return None
    even, odd = (head[at::2].count(0) for at in (0, 1))
    if min(even, odd) == 0 and max(even, odd) > len(head) / 4:  # as of letters of Latin
        return "a UTF-16 file", _TO_UTF_8
    return "a binary file, of none of the formats that are read", _THE_DATA


def recognise_format(head: bytes) -> str | None:
    """The format of a file with these first bytes, None where several are possible."""
    text = head.decode("utf-8", "replace").lstrip("\n")
    if names_other_columns(text):
        return "conllup"
    for name, pattern in _BY_BEGINNING:
        if pattern.match(text):
            return name
    line = first_line(text)
    n_fields = line.count("\t") + 1
    if _NODE_LINE.match(line) and n_fields in (8, 10):
        return "conllu" if n_fields == 10 else "conllx"
    if _LINKS.fullmatch(line):
        return "pharaoh"
    return "wpt" if _WPT_LINE.fullmatch(line) else recognise_times(text)


def recognise_times(text: str) -> str | None:
    """The format of words with times that all lines of a text are of, but the last, which may be cut off."""
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith(";;")]
    lines = lines[:-1] if len(lines) > 1 and not text.endswith("\n") else lines
    for name, pattern in _TIMED:
        if lines and all("." in line and pattern.fullmatch(line) for line in lines):
            return name
    return None


def describe_times(head: bytes) -> tuple[str, str] | None:
    """What a file of words with times is, and what to do; None for other texts. head: its first bytes."""
    text = head.decode("utf-8", "replace").lstrip("\n")
    hint = "write the words alone, a sentence a line; --ids none reads it as it stands"
    if _SUBTITLES.match(text):
        return "this looks like subtitles, with times", hint
    if _SPEAKERS.match(text):
        return "this looks like RTTM, speakers with times", hint
    name = recognise_times(text)
    hint = f"read it with --from {name}, or with --ids none as it stands"
    return None if name is None else (f"this looks like {name}, words with times", hint)


def comments_before(head: bytes) -> int:
    """Number of blank lines and comments at the beginning of a file."""
    lines = head.decode("utf-8", "replace").split("\n")
    return next((at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))


def first_line(text: str) -> str:
    """The first line that is neither blank nor a comment; empty if there is none."""
    return next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")
