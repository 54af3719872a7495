"""Which options of reading change rows: what `corpora.reading` keeps and signatures cite."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from treesql.readers import Notation, Options, State, reader_module

CHANGES_ROWS: Mapping[str, tuple[str, ...]] = {
    "base": (),
    "ids": (),
    "null_links": (),
    "permissive": (),
    "phrases": ("plf",),
    "reverse": (),
    "scores": ("jsonl", "nbest", "nbest_lattice", "plf"),
    "segments": ("ctm", "stm"),
    "symbols": ("kaldi", "openfst"),
}
"""Options with which one file gives other rows, and the formats that take them; none: every format that can."""

CHANGES_NOTHING = frozenset(
    {"columns", "last_rank", "max_sentence", "notation", "source_corpus", "strict", "target_corpus"}
)
"""Options that refuse files, leave out columns or hypotheses that nothing reads, or name corpora: where rows are read,
they say the same."""


def reading(form: str, options: Options, state: State) -> str:
    """The options that changed the rows of a corpus, in alphabetical order: `base:1 reverse`; empty if none did.

    form: the format read. state: what reading has met; `permissive` is said of corpora with cycles alone, which are
    refused without it. A table of symbols, or of segments, is cited by the first digits of its SHA-256.
    """
    own = {one.name: getattr(options, one.name) for one in fields(Options)}
    own |= {one.name: getattr(options.notation, one.name) for one in fields(Notation)}
    defaults = {one.name: one.default for kind in (Options, Notation) for one in fields(kind)}
    own |= {"permissive": state.cyclic, "base": None if own["base"] == usual_base(form) else own["base"]}
    given = {
        name: value
        for name, value in own.items()
        if name in CHANGES_ROWS and value != defaults[name] and form in (CHANGES_ROWS[name] or (form,))
    }
    return " ".join(name if value is True else f"{name}:{_cited(name, value)}" for name, value in sorted(given.items()))


def usual_base(form: str) -> int | None:
    """The number of a sentence's first word in files of a format if nothing else is said; None where none is known."""
    base: int | None = getattr(reader_module(form), "BASE", None)
    return base


def _cited(name: str, value: object) -> str:
    if name in ("symbols", "segments"):
        return hashlib.sha256(Path(str(value)).read_bytes()).hexdigest()[:6]
    return str(value)
