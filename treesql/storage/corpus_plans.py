"""Which corpora files, patterns and folders become where no name is given: one for each file, or for each folder."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treesql import readers
from treesql.errors import UnknownName, UsageError
from treesql.readers import PARQUET, TEXT, Notation, Options
from treesql.readers.source import STANDARD_INPUT, expand, files_below
from treesql.storage import corpus_names
from treesql.storage.loading import ALIGNMENT, CorpusFiles, plan_loads

FILE, FOLDER = EACH = ("file", "folder")
"""What becomes a corpus."""


@dataclass(frozen=True)
class CorpusPlan:
    """Corpora to load. together: whether in one transaction; left_out: number of files with endings of no format."""

    corpora: tuple[CorpusFiles, ...]
    together: bool
    left_out: int = 0


def plan_corpora(
    paths: Iterable[str | Path],
    options: Options,
    *,
    corpus: str | None = None,
    each: str | None = None,
    form: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    notation: Notation | None = None,
) -> CorpusPlan:
    """Find the files behind paths: one corpus of this name, or one for each file or folder, or those of a data set.

    Parameters as for `treesql.load`. Raises InvalidInput where there is no such file, UsageError, UnknownName.
    """
    named = [str(path) for path in paths]
    if each not in (None, *EACH):
        raise UnknownName("kind of corpora", str(each), EACH)
    if corpus is not None:
        if each is not None:
            raise UsageError("--each is for corpora that are named after their files; leave out --corpus, or --each")
        return CorpusPlan(tuple(plan_loads(named, corpus, form, treebank, language, notation=notation)), together=True)
    if STANDARD_INPUT in named:
        raise UsageError("the corpus of standard input needs a name: --corpus NAME")
    if not named:
        raise UsageError("name at least one file")
    files, left_out = _find_files(named, form)
    forms = {file: readers.format_of([file], form) for file in files}
    if PARQUET in forms.values():
        return _plan_data_set(named, forms.values(), each, notation)
    _check_options(set(forms.values()), options, notation)
    planned = _by_folder(forms) if each == FOLDER else _by_file(forms)
    described = (_described(one, treebank, language, notation) for one in planned)
    return CorpusPlan(tuple(replace(one, named=form is not None) for one in described), False, left_out)


def _find_files(paths: Sequence[str], form: str | None) -> tuple[list[str], int]:
    """The files behind paths, each once, in order; and the number of those that are left out, as no format has them."""
    suffixes = readers.endings_in_folders(form=form)
    expand(paths, suffixes)  # raises with all paths that do not exist
    found: dict[str, str] = {}
    left_out: set[str] = set()
    for path in paths:
        here = expand([path], suffixes)
        if Path(path).is_dir():
            others = {str(file) for file in files_below(Path(path), ("",))} - set(here)
        else:
            others = _not_meant(here) if form is None and glob.has_magic(path) else set()
        left_out |= {os.path.abspath(file) for file in others}
        found |= {os.path.abspath(file): file for file in here if file not in others}
    return list(found.values()), len(left_out - found.keys())


def _not_meant(files: Sequence[str]) -> set[str]:
    """The files that a pattern has matched beside those with endings of formats; texts are notes beside treebanks."""
    forms = {file: readers.format_of_ending(file) for file in files}
    for others in ({None, TEXT}, {None}):
        if set(forms.values()) - others:
            return {file for file, form in forms.items() if form in others}
    return set()


def _plan_data_set(
    paths: Sequence[str], forms: Iterable[str], each: str | None, notation: Notation | None
) -> CorpusPlan:
    """The corpora of a Parquet data set, which have names. Raises UsageError where there are other files."""
    if each is not None:
        raise UsageError("--each does not apply to a data set, whose corpora have names")
    if set(forms) != {PARQUET}:
        raise UsageError("these are a Parquet data set and other files; load them one by one")
    return CorpusPlan(tuple(plan_loads(paths, None, PARQUET, notation=notation)), together=True)


def _check_options(forms: set[str], options: Options, notation: Notation | None) -> None:
    """Raises UsageError where an option does not apply to files of these formats."""
    if notation not in (None, Notation()) and all(readers.kind(form) != ALIGNMENT for form in forms):
        raise UsageError("base, direction, null links and linked corpora are for alignments; these files have no links")
    for form in sorted(forms):
        readers.check_options(form, options)


def _by_file(forms: dict[str, str]) -> Iterator[CorpusFiles]:
    names = corpus_names.names_of_files(list(forms))
    return (CorpusFiles((file,), form, names[file]) for file, form in forms.items())


def _by_folder(forms: dict[str, str]) -> Iterator[CorpusFiles]:
    """A corpus for each folder; for each format of a folder that has several, called `FOLDER.FORMAT`."""
    names = corpus_names.names_of_folders(list(forms))
    folders: dict[str, dict[str, list[str]]] = {}
    for file, name in names.items():
        folders.setdefault(name, {}).setdefault(forms[file], []).append(file)
    for name, by_form in folders.items():
        for form, files in by_form.items():
            yield CorpusFiles(tuple(sorted(files)), form, name if len(by_form) == 1 else f"{name}.{form}")


def _described(one: CorpusFiles, treebank: str | None, language: str | None, notation: Notation | None) -> CorpusFiles:
    """A corpus with its treebank and language, as given or else by the names of its folder and file."""
    named = corpus_names.treebank_and_language(one.files[0])
    links = notation if readers.kind(one.form) == ALIGNMENT else None
    return replace(one, treebank=treebank or named[0], language=language or named[1], notation=links)
