"""Tables -> files: a Parquet data set, or a corpus back in a file format. Written whole or not at all."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import BinaryIO, cast

import duckdb

from treesql import readers, writers
from treesql.catalog.kinds import ANY_KIND
from treesql.engines.duckdb import DuckDB
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn, not_applicable
from treesql.readers.source import FileLayout, Source, open_packed, without_packed_ending
from treesql.runtime import atomic_files
from treesql.storage import loading
from treesql.writers import parquet

PARQUET = "parquet"
NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


def _writer(form: str) -> ModuleType:
    return importlib.import_module(f"{writers.__name__}.{form}")


def writer_of(kind: str, form: str) -> ModuleType:
    """The module that writes corpora of a kind in a format. Raises UnknownName."""
    known = [name for name, writer in writers.formats().items() if kind == writer.kind]
    if form not in known:
        raise UnknownName("export format", form, known)
    return _writer(form)


def kind_of(form: str) -> str | None:
    """The kind of corpora that a format is for; None for any. Raises UnknownName for what is not written."""
    if form not in writers.formats():
        raise UnknownName("export format", form, writers.formats())
    kind = writers.formats()[form].kind
    return None if kind == ANY_KIND else kind


def tree_options(
    leaves: str, delete_traces: bool, collapse_unary: bool, head_rules: str | None = None
) -> dict[str, object]:
    """The options of writers of trees that differ from the defaults. Raises UnknownName, UsageError."""
    from treesql.writers.newick import LEAVES

    if leaves not in LEAVES:
        raise UnknownName("name of leaves", str(leaves), LEAVES)
    flags = {"delete_traces": delete_traces, "collapse_unary": collapse_unary}
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise UsageError(f"{name} is {value!r}; it is True or False")
    given = {"leaves": leaves, **flags, "head_rules": head_rules}
    return {name: value for name, value in given.items() if value not in ("form", False, None)}


def export(
    engine: DuckDB,
    out: Path,
    corpus: str | None,
    to: str | None,
    warn: Warn = lambda warning: None,
    options: Mapping[str, object] = NO_OPTIONS,
) -> list[Path]:
    """Write corpora to `out`; returns the files. warn: called with warnings of what the format cannot express.

    options: of the format, OPTIONS of its module. Raises UnknownName, UsageError, InvalidInput.
    """
    form = to or _format_of_name(out)
    if form not in writers.formats():
        raise UnknownName("export format", form, writers.formats())
    if unused := [
        f"--{name.replace('_', '-')}" for name in options if name not in getattr(_writer(form), "OPTIONS", ())
    ]:
        raise not_applicable(unused, f"the format {form}")
    known = loading.corpus_names(engine)
    if corpus is not None and corpus not in known:
        raise UnknownName("corpus", corpus, known)
    if not known:
        raise UsageError("the database holds no corpus; load one first")
    if out.exists():
        raise UsageError(f"{out} exists; remove it, or choose another name")
    if to is None:
        _check_ending(out, form, writers.formats())
    if form == PARQUET:
        return _write_data_set(engine, known if corpus is None else [corpus], out)
    if corpus is None and len(known) > 1:
        raise UsageError(f"the database holds several corpora ({', '.join(known)}); name one of them")
    return write_files(engine, out, corpus or known[0], form, warn, options)


def check_target(out: Path, kind: str | None = None, to: str | None = None) -> str:
    """The format in which `write` writes a corpus of a kind, or of any, to `out`: as named, else by the ending.

    A name without an ending is a Parquet data set. Raises UnknownName, UsageError where `out` cannot be written.
    """
    form = to or _format_of_name(out)
    known = [name for name, writer in writers.formats().items() if kind is None or writer.kind in (kind, ANY_KIND)]
    if form not in known:
        raise UnknownName("export format", form, known)
    if to is None:
        _check_ending(out, form, known)
    if out.is_dir() or (form == PARQUET and out.exists()):
        raise UsageError(f"{out} exists; remove it, or choose another name")
    if not out.parent.is_dir():
        raise UsageError(f"{out}: there is no folder {out.parent}; make it, or choose another place")
    return form


def write(
    engine: DuckDB, corpus: str, out: Path | BinaryIO, form: str, warn: Warn = lambda warning: None,
    options: Mapping[str, object] = NO_OPTIONS,
) -> None:  # fmt: skip
    """Write one corpus to one file, which replaces an existing one, or as a Parquet data set.

    out: a path, or a file that is open for bytes; a device or a pipe is written to as it is. form: as `check_target`
    returns it. Where the corpus is one file of this format, its layout is kept. Raises UsageError, InvalidInput.
    """
    if form == PARQUET:
        if not isinstance(out, Path):
            raise UsageError("a Parquet data set is a folder, and cannot be written to an open file; name the folder")
        _write_data_set(engine, [corpus], out)
        return
    parts = _files_of(engine, corpus)
    span = range(parts[0][1], parts[-1][2] + 1) if parts else range(0)  # an alignment may have no sentences
    layout = _layouts(engine, corpus, form).get(parts[0][0]) if len(parts) == 1 else None
    with _opened(out) as opened:
        with _restored(opened, layout) as file:
            warnings = _writer(form).write(engine, corpus, span, file, **options)
        for warning in warnings or ():
            warn(warning)


def _write_data_set(engine: DuckDB, corpora: Sequence[str], out: Path) -> list[Path]:
    """Write corpora as a Parquet data set. Raises UsageError for an engine that reaches no files."""
    try:
        with atomic_files.write_whole(out) as made:
            return [out / file.relative_to(made) for file in parquet.write(engine, corpora, made)]
    except duckdb.PermissionException:
        raise UsageError("DuckDB writes Parquet, and no files with safe=True; connect without it") from None


def _format_of_name(out: Path) -> str:
    name = without_packed_ending(out.name)
    return next((writer.name for writer in writers.formats().values() if name.endswith(writer.suffixes)), PARQUET)


def _check_ending(out: Path, form: str, known: Iterable[str]) -> None:
    """Raises UsageError where a name has an ending and no format would use it. known: the formats."""
    if form == PARQUET and out.suffix not in ("", f".{PARQUET}"):
        endings = ", ".join(suffix for name in known if name != PARQUET for suffix in writers.formats()[name].suffixes)
        raise UsageError(
            f"{out}: its ending is of no format ({endings}); name one, or leave the ending out for parquet"
        )


def write_files(
    engine: DuckDB, out: Path, corpus: str, form: str, warn: Warn, options: Mapping[str, object] = NO_OPTIONS
) -> list[Path]:
    """Write one file, or where `out` has no ending a folder with the corpus's files under their own names.

    Returns these. Raises UsageError, InvalidInput.
    """
    check_kind(engine, corpus, form)
    if out.suffix or out.exists():
        write(engine, corpus, out, form, warn, options)
        return [out]
    writer, parts, layouts = _writer(form), _files_of(engine, corpus), _layouts(engine, corpus, form)
    with atomic_files.write_whole(out) as made:
        made.mkdir()
        names = _distinct_names([name for name, _, _ in parts], writer.SUFFIXES[0])
        lost: list[Diagnostic] = []
        for name, (path, first, last) in zip(names, parts, strict=True):
            with open_packed(made / name, name) as packed, _restored(packed, layouts.get(path)) as file:
                lost += writer.write(engine, corpus, range(first, last + 1), file, **options) or ()
        for warning in dict.fromkeys(lost):
            warn(warning)
        return [out / name for name in names]


def check_kind(engine: DuckDB, corpus: str, form: str) -> None:
    """Raises UsageError where a format is not for the kind of a corpus."""
    writer = _writer(form)
    [(kind,)] = engine.rows("SELECT kind FROM corpora WHERE corpus = $corpus", {"corpus": corpus})
    if writer.KIND != ANY_KIND and kind not in (writer.KIND, *getattr(writer, "ALSO_WRITES", ())):
        fitting = [name for name, known_writer in writers.formats().items() if known_writer.kind in (kind, ANY_KIND)]
        has, takes = readers.describe_kind(kind), readers.describe_kind(writer.KIND)
        raise UsageError(f"{corpus!r} has {has}, {form} is for {takes}; try {' or '.join(fitting)}")


def _files_of(engine: DuckDB, corpus: str) -> list[tuple[str, int, int]]:
    """The files that sentences of a corpus are of, with the first and the last sentence of each."""
    sql = "SELECT file, min(sentence), max(sentence) FROM sentences WHERE corpus = $corpus GROUP BY file ORDER BY 2"
    return [(str(file), int(first), int(last)) for file, first, last in engine.rows(sql, {"corpus": corpus})]


def _layouts(engine: DuckDB, corpus: str, form: str) -> dict[str, FileLayout]:
    """The layouts of the files of a corpus by name, if these were read in the format that is written."""
    sql = "SELECT c.files, c.layouts FROM corpora AS c WHERE c.corpus = $corpus AND c.format = $form"
    return {
        Source(file["path"]).name: FileLayout.parse(layout)
        for files, layouts in engine.rows(sql, {"corpus": corpus, "form": form})
        for file, layout in zip(files, layouts or (), strict=False)
    }


def _distinct_names(paths: list[str], suffix: str) -> list[str]:
    """The names of files without folders; numbered where two are equal."""
    names: list[str] = []
    for path in paths:
        base_name = "stdin" + suffix if path.startswith("<") else Path(path).name
        if base_name in ("", "..") or "\0" in base_name:
            base_name = "file" + suffix
        numbered = (f"{number}-{base_name}" for number in itertools.count(2))
        names.append(next(name for name in itertools.chain([base_name], numbered) if name not in names))
    return names


@contextmanager
def _opened(out: Path | BinaryIO) -> Iterator[BinaryIO]:
    """A file for writing, which is written whole or not at all, compressed as the ending of its name says.

    A device, a pipe or an open file is written to as it is.
    """
    if not isinstance(out, Path):
        yield out
    elif out.exists() and not out.is_file():
        with out.open("wb") as device:
            yield device
    else:
        with atomic_files.write_whole(out) as made, open_packed(made, out.name) as file:
            yield file


@contextmanager
def _restored(file: BinaryIO, layout: FileLayout | None) -> Iterator[BinaryIO]:
    """A file to which plain text is written. layout: what it has beside that."""
    if layout is None or not str(layout):
        yield file
        return
    restoring = layout.restored(file)
    yield cast(BinaryIO, restoring)
    restoring.close()
