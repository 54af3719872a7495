"""The first line of CoNLL-U Plus, `# global.columns = ID FORM ... PARSEME:MWE`: the names of a file's columns.

Source: https://universaldependencies.org/ext-format.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The columns of CoNLL-U."""

REQUIRED = STANDARD[:2]
"""The columns without which there are no words."""

MAX_SHOWN = 60
"""Maximum number of characters of a name in an error."""

EXAMPLE = "# global.columns = ID FORM PARSEME:MWE"

FURTHER_NAME = r"[A-Z0-9_.-]+(?::[A-Z0-9_.-]+)+"
"""What a column that CoNLL-U does not have may be called, as a regular expression: PROJECT:NAME."""

_FIRST_LINE = re.compile(r"#[ \t]*global\.columns[ \t]*=[ \t]?(.*)", re.DOTALL)


def names_in(line: str) -> tuple[str, ...] | None:
    """The names of the columns in a line, None if it names no columns. An empty name is one between two spaces."""
    found = _FIRST_LINE.fullmatch(line)
    if found is None:
        return None
    return tuple(found[1].split(" ")) if found[1] else ()


def names_other_columns(head: str) -> bool:
    """Whether the first line of a text names other columns than those of CoNLL-U, in which it is just a comment."""
    names = names_in(head.partition("\n")[0])
    return names is not None and names != STANDARD


def further_columns(names: Iterable[str]) -> tuple[str, ...]:
    """The columns among these that CoNLL-U does not have."""
    return tuple(name for name in names if name not in STANDARD)


def is_further_name(name: str) -> bool:
    """Whether a column that CoNLL-U does not have may be called this: PROJECT:NAME."""
    return re.fullmatch(FURTHER_NAME, name) is not None


def find_faults(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the names of the columns of a file, and what to do about it."""
    meant = set()
    if "" in names:
        yield "a column has an empty name", "separate the names by single spaces"
    for name in dict.fromkeys(filter(None, names)):
        if name not in STANDARD and not is_further_name(name):
            import difflib  # here, for few files name columns of their own

            close = difflib.get_close_matches(name.upper(), STANDARD, 1)
            meant.update(close)
            yield f"there is no column {_quoted(name)}", _better_name(name, close)
        if names.count(name) > 1:
            yield f"column {_quoted(name)} is named {names.count(name)} times", "give each column its own name"
    for name in REQUIRED:
        if name not in names and name not in meant:
            yield f"there is no column {name}", f"words need {' and '.join(REQUIRED)}, as in `{EXAMPLE}`"


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
    return f"`{name}`" if len(name) <= MAX_SHOWN else f"`{name[:MAX_SHOWN]}...`"
