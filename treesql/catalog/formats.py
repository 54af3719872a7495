"""File formats, as the modules of readers/ and writers/ declare them; found without importing these modules; and what
the scores of lattices may be.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from treesql.errors import UnknownName
from treesql.runtime.failures import with_checked_arguments

COST, LOG_LIKELIHOOD = SENSES = ("cost", "log_likelihood")
"""Costs: smaller is better. Log-likelihoods: larger is better."""

KINDS = ("dependency", "constituency", "text", "alignment", "lattice", "nbest")
"""Kinds of corpora, in the order in which formats are listed."""

USUAL = {
    "dependency": "conllu", "constituency": "penn", "text": "text", "alignment": "pharaoh", "lattice": "plf",
    "nbest": "nbest",
}  # fmt: skip
"""By kind, the format of files with unknown endings."""

ANY_KIND = "any"
"""The kind of formats that hold corpora of every kind."""

_CONSTANT = re.compile(r"^(SUFFIXES|KIND|SCORE_SENSES) = (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class FileFormat:
    """A file format. suffixes: endings of its files; kind: of KINDS, or ANY_KIND; score_senses: see readers; module:
    its own, below the folder that it was found in."""

    name: str
    suffixes: tuple[str, ...]
    kind: str
    score_senses: tuple[str, ...] = ()
    module: str = field(default="", compare=False)


@dataclass(frozen=True)
class Format:
    """A file format. kind: of KINDS, or ANY_KIND; endings: of its files; read, written: whether treesql does that."""

    name: str
    kind: str
    endings: tuple[str, ...]
    read: bool
    written: bool


@with_checked_arguments
def formats(kind: str | None = None) -> list[Format]:
    """Return the file formats, or those that hold corpora of a kind, the usual format of every kind first.

    kind: dependency, constituency, text, alignment, lattice or nbest. Raises UnknownName.
    """
    if kind not in (None, *KINDS):
        raise UnknownName("kind", str(kind), KINDS)
    package = Path(__file__).parent.parent
    read, written = (formats_in(str(package / folder)) for folder in ("readers", "writers"))
    return [
        Format(
            file_format.name,
            file_format.kind,
            file_format.suffixes,
            file_format.name in read,
            file_format.name in written,
        )
        for file_format in _sorted({**written, **read}.values())
        if kind in (None, file_format.kind) or file_format.kind == ANY_KIND
    ]


@cache
def formats_in(folder: str) -> Mapping[str, FileFormat]:
    """The formats whose modules lie below a folder, by name: sorted by kind, the usual format of a kind first.

    A module declares a format by the constants SUFFIXES, KIND and SCORE_SENSES, each a literal on one line.
    """
    file_formats = []
    for path in Path(folder).rglob("*.py"):
        constants = {name: ast.literal_eval(value) for name, value in _CONSTANT.findall(path.read_text("utf-8"))}
        if "SUFFIXES" in constants:
            senses = constants.get("SCORE_SENSES", ())
            module = ".".join(path.relative_to(folder).with_suffix("").parts)
            file_formats.append(FileFormat(path.stem, constants["SUFFIXES"], constants["KIND"], senses, module))
    return {file_format.name: file_format for file_format in _sorted(file_formats)}


def _sorted(formats: Iterable[FileFormat]) -> list[FileFormat]:
    order = {kind: at for at, kind in enumerate((*KINDS, ANY_KIND))}
    return sorted(
        formats,
        key=lambda file_format: (
            order[file_format.kind],
            file_format.name != USUAL.get(file_format.kind),
            file_format.name,
        ),
    )


def listed(formats: Mapping[str, FileFormat], kind: str | None = None) -> str:
    """The names of formats that hold corpora of a kind (None: of any), as a help text lists them."""
    return ", ".join(
        file_format.name
        for file_format in formats.values()
        if kind in (None, file_format.kind) or file_format.kind == ANY_KIND
    )


def head_rules_of(form: str) -> str:
    """The set of head rules for trees of a format, where none is named: of its edge labels, or of Penn's labels."""
    return "negra" if form in ("export", "tigerxml", "discbracket") else "collins"
