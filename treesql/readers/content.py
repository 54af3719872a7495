"""What the first lines of a file say: its format, and the columns that CoNLL-U Plus names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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


STANDARD_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The columns of CoNLL-U; the first line of CoNLL-U Plus, `# global.columns = ID FORM ... PARSEME:MWE`, names others.

Source: https://universaldependencies.org/ext-format.html.
"""

REQUIRED_COLUMNS = STANDARD_COLUMNS[:2]
"""The columns without which there are no words."""

MAX_NAME_SHOWN = 60
"""Maximum number of characters of a name in an error."""

COLUMNS_EXAMPLE = "# global.columns = ID FORM PARSEME:MWE"

FURTHER_NAME = r"[A-Z0-9_.-]+(?::[A-Z0-9_.-]+)+"
"""What a column that CoNLL-U does not have may be called, as a regular expression: PROJECT:NAME."""

_COLUMNS_LINE = re.compile(r"#[ \t]*global\.columns[ \t]*=[ \t]?(.*)", re.DOTALL)


def column_names_in(line: str) -> tuple[str, ...] | None:
    """The names of the columns in a line, None if it names no columns. An empty name is one between two spaces."""
    found = _COLUMNS_LINE.fullmatch(line)
    if found is None:
        return None
    return tuple(found[1].split(" ")) if found[1] else ()


def names_other_columns(head: str) -> bool:
    """Whether the first line of a text names other columns than those of CoNLL-U, in which it is just a comment."""
    names = column_names_in(head.partition("\n")[0])
    return names is not None and names != STANDARD_COLUMNS


def further_columns(names: Iterable[str]) -> tuple[str, ...]:
    """The columns among these that CoNLL-U does not have."""
    return tuple(name for name in names if name not in STANDARD_COLUMNS)


def is_further_name(name: str) -> bool:
    """Whether a column that CoNLL-U does not have may be called this: PROJECT:NAME."""
    return re.fullmatch(FURTHER_NAME, name) is not None


def find_column_faults(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the names of the columns of a file, and what to do about it."""
    meant = set()
    if "" in names:
        yield "a column has an empty name", "separate the names by single spaces"
    for name in dict.fromkeys(filter(None, names)):
        if name not in STANDARD_COLUMNS and not is_further_name(name):
            import difflib  # here, for few files name columns of their own

            close = difflib.get_close_matches(name.upper(), STANDARD_COLUMNS, 1)
            meant.update(close)
            yield f"there is no column {_quoted(name)}", _better_name(name, close)
        if names.count(name) > 1:
            yield f"column {_quoted(name)} is named {names.count(name)} times", "give each column its own name"
    for name in REQUIRED_COLUMNS:
        if name not in names and name not in meant:
            yield (
                f"there is no column {name}",
                f"words need {' and '.join(REQUIRED_COLUMNS)}, as in `{COLUMNS_EXAMPLE}`",
            )


def _better_name(name: str, close: Sequence[str]) -> str:
    """What to call a column with a name that it cannot have. close: the column of CoNLL-U that may be meant."""
    if "\t" in name:
        return "separate the names by single spaces, not tabs"
    if close:
        return f"did you mean {close[0]}? A column of another project is called PROJECT:NAME, such as PARSEME:MWE"
    if is_further_name(name.upper()):
        return f"write it in capital letters, {name.upper()}"
    return "a column of another project is called PROJECT:NAME, such as PARSEME:MWE, in capital letters"


def _quoted(name: str) -> str:
    return f"`{name}`" if len(name) <= MAX_NAME_SHOWN else f"`{name[:MAX_NAME_SHOWN]}...`"
