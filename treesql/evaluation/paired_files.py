"""Pair the files of folders and patterns, or corpora, by their names: a task for every treebank."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from treesql import readers
from treesql.catalog.kinds import WORDS, Role
from treesql.engines.duckdb_files import open_database
from treesql.errors import MAX_NAMED, Diagnostic, UnknownName, UsageError
from treesql.evaluation.paired_names import pair_names
from treesql.evaluation.task import Input, Task
from treesql.readers.source import PACKED_ENDINGS, STANDARD_INPUT, expand, files_below
from treesql.storage import loading

Files = dict[str, str]
"""Files by the names of their treebanks."""

_HOW = "files are paired by their path below the folder or by what stands for the stars of the pattern, without ending"


def split_by_treebank(task: Task) -> dict[str, Task] | None:
    """Return a task for every treebank by its name, sorted; None if the inputs are single files.

    Inputs are folders or patterns, in a database patterns of corpora; the texts that links are checked against may be
    single ones. A treebank has the name of its first shared input. Treebanks that an input lacks are left out, with a
    warning that names them. Raises UsageError where names cannot be paired, InvalidInput for a folder without files.
    """
    corpora = _list_corpora(task)
    many = [one for one in task.inputs if _has_many(task, one, corpora)]
    single = [one for one in task.inputs if one not in many and not one.role.checked]
    if all(one.role.one_corpus for one in many):
        return None
    if single:
        raise _one_and_many(task, single[0], many[0])
    files = {one: _find_files(task, one) if corpora is None else _find_corpora(one, corpora) for one in many}
    first, *others = many
    names = {one: pair_names(files[first], files[one], one.path, first.path) for one in others}
    treebanks = sorted(name for name in files[first] if all(name in paired for paired in names.values()))
    if not treebanks:
        raise _nothing_paired(files)
    _warn_of_unpaired(task, files, names)
    found: dict[str, Task] = {}
    for name in treebanks:
        paths = {first: files[first][name], **{one: files[one][names[one][name]] for one in others}}
        found[name] = _with_files(task, paths)
    return found


def has_many_files(path: str) -> bool:
    """Whether an input is a folder, or a pattern such as `out/*.conllu`, instead of a file or a device."""
    if path == STANDARD_INPUT or Path(path).is_file():
        return False
    return Path(path).is_dir() or glob.has_magic(path)


def _has_many(task: Task, one: Input, corpora: Collection[str] | None) -> bool:
    """Whether an input has a file, or corpus, for every treebank. corpora: those of the database."""
    if corpora is None:
        return has_many_files(one.path) and not _is_data_set(task, one)
    return one.path not in corpora and glob.has_magic(one.path)


def _list_corpora(task: Task) -> Collection[str] | None:
    """The corpora of a task's database, empty unless an input is a pattern; None for files."""
    if task.database is None:
        return None
    if not any(glob.has_magic(one.path) for one in task.inputs):
        return ()
    if not isinstance(task.database, str):
        return loading.corpus_names(task.database)
    with open_database(task.database, read_only=True) as engine:
        return loading.corpus_names(engine)


def _find_corpora(one: Input, corpora: Collection[str]) -> Files:
    """The corpora of a pattern by what stands for its stars. Raises UsageError, UnknownName."""
    found: dict[str, str] = {}
    for corpus in sorted(corpora):
        part = _part_of_stars(one.path, corpus)
        if part is None:
            continue
        name = part or corpus
        if name in found:
            raise UsageError(f"{found[name]} and {corpus} are both called {name}; leave one of them out")
        found[name] = corpus
    if not found:
        raise UnknownName("corpus", one.path, corpora)
    return found


def _one_and_many(task: Task, single: Input, many: Input) -> UsageError:
    """The error of a file beside a folder. Raises InvalidInput if the file does not exist."""
    one, several, hint = "one file", "many files", "a folder or a pattern"
    if task.database is None:
        expand([single.path], ())
    else:
        one, several, hint = "one corpus", "many corpora", "a pattern"
    return UsageError(
        f"{many.role.name} is {many.path}, {several}, and {single.role.name} is {one}, {single.path}; "
        f"name {hint} for both"
    )


def _is_data_set(task: Task, one: Input) -> bool:
    """Whether an input is a folder of Parquet files alone, which is one corpus."""
    if not Path(one.path).is_dir():
        return False
    endings = [ending + packed for ending in _endings(task, one.role) for packed in ("", *PACKED_ENDINGS)]
    parquet = readers.formats()[readers.PARQUET].suffixes
    return bool(files_below(Path(one.path), parquet)) and not files_below(Path(one.path), tuple(endings))


def _with_files(task: Task, paths: Mapping[Input, str]) -> Task:
    """The task with other files for some of its inputs."""
    roles = {role.name: role for role in task.kind.roles}

    def path_of(role: str, path: str, system: str | None = None) -> str:
        return paths.get(Input(roles[role], path, system), path)

    shared = {role: tuple(path_of(role, path) for path in listed) for role, listed in task.shared.items()}
    systems = {
        name: {role: path_of(role, path, name) for role, path in own.items()} for name, own in task.systems.items()
    }
    return replace(task, shared=shared, systems=systems)


def _find_files(task: Task, one: Input) -> Files:
    """The files of a folder or pattern by name. Raises UsageError for two files of one name, InvalidInput."""
    folder = Path(one.path).is_dir()
    matches = [] if folder else glob.glob(one.path, recursive=True)
    if matches and not any(map(os.path.isfile, matches)):
        raise UsageError(f"{one.path} matches folders, {_listed(sorted(matches))}; name one, or files: {one.path}/*")
    found: dict[str, str] = {}
    for file in expand([one.path], _endings(task, one.role)):
        path = os.path.normpath(file).replace(os.sep, "/")
        pattern = os.path.normpath(one.path).replace(os.sep, "/")
        below = os.path.relpath(file, one.path).replace(os.sep, "/") if folder else _part_of_stars(pattern, path)
        name = readers.without_ending(below or "") or readers.without_ending(Path(file).name)
        if name in found:
            raise UsageError(f"{found[name]} and {file} are both called {name}; leave one of them out")
        found[name] = file
    return found


def _endings(task: Task, role: Role) -> list[str]:
    """The endings of the files that are taken from a folder: those of the role's format, or else of what it reads."""
    form = task.reading.formats.get(role.format) or task.kind.usual_format
    return readers.endings_in_folders(readers.TEXT if role.reads == WORDS else role.reads, form)


def _part_of_stars(pattern: str, path: str) -> str | None:
    """The part of a path from the first to the last place of a pattern that is no plain text; None if it differs."""
    tokens = re.findall(r"\*\*/|\*+|\?|\[!?\]?[^\]]*\]|.", pattern, re.DOTALL)
    matched = re.fullmatch("".join(map(_as_expression, tokens)), path, re.DOTALL)
    return path[matched.start(1) : matched.end(matched.re.groups)] if matched else None


def _as_expression(token: str) -> str:
    """A regular expression for a token of a pattern, a group if it is no plain text."""
    if token in ("**/", "**"):
        return "((?:.*/)?)" if token == "**/" else "(.*)"
    if token[0] == "*":
        return "([^/]*)"
    if token == "?":
        return "([^/])"
    if len(token) > 1:
        inside = token[1:-1]
        return f"([{'^' + inside[1:] if inside[0] == '!' else inside}])"
    return re.escape(token)


def _warn_of_unpaired(task: Task, files: Mapping[Input, Files], names: Mapping[Input, Mapping[str, str]]) -> None:
    """Warn once of the treebanks that are left out, with who lacks or who alone has them."""
    first = next(iter(files))
    left = list(_describe_unpaired(files, names))
    if left:
        what = f"left out: {', '.join(left)}"
        task.warn(Diagnostic.warning(first.path, 0, what, "averages are over the treebanks that all of them have"))


def _describe_unpaired(files: Mapping[Input, Files], names: Mapping[Input, Mapping[str, str]]) -> Iterator[str]:
    first = next(iter(files))
    for name in sorted(files[first]):
        lacking = [one.path for one, paired in names.items() if name not in paired]
        if lacking:
            yield f"{name} (not in {', '.join(lacking)})"
    alone: dict[str, list[str]] = {}
    for one, paired in names.items():
        for name in files[one].keys() - set(paired.values()):
            alone.setdefault(name, []).append(one.path)
    for name, paths in sorted(alone.items()):
        yield f"{name} (only in {', '.join(paths)})"


def _nothing_paired(files: Mapping[Input, Files]) -> UsageError:
    listed = [f"{one.path} has {_listed(sorted(found))}" for one, found in files.items()]
    return UsageError(f"no treebank is in all of them: {'; '.join(listed)}; {_HOW}, or by the code of a UD treebank")


def _listed(names: Sequence[str]) -> str:
    return ", ".join([*names[:MAX_NAMED], *["..."] * (len(names) > MAX_NAMED)])
