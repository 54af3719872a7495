"""Pair files of gold treebanks and of systems by name: the folder or pattern of each role with those of the others."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from treesql import readers
from treesql.catalog.kinds import WORDS, Role
from treesql.engines.duckdb_files import open_database
from treesql.errors import Diagnostic, UnknownName, UsageError, first_names, issue
from treesql.evaluation.task import Input, Task, has_many_files
from treesql.readers.source import PACKED_ENDINGS, expand, files_below
from treesql.storage import corpus_plans, loading

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
    many = [task_input for task_input in task.inputs if _has_many(task, task_input, corpora)]
    single = [task_input for task_input in task.inputs if task_input not in many and not task_input.role.checked]
    if all(task_input.role.one_corpus for task_input in many):
        return None
    if single:
        raise _one_and_many(task, single[0], many[0])
    files = {
        task_input: _find_files(task, task_input) if corpora is None else _find_corpora(task_input.path, corpora)
        for task_input in many
    }
    first, *others = many
    names = {
        task_input: pair_names(files[first], files[task_input], task_input.path, first.path) for task_input in others
    }
    treebanks = sorted(name for name in files[first] if all(name in paired for paired in names.values()))
    if not treebanks:
        raise _nothing_paired(files)
    _warn_of_unpaired(task, files, names)
    paths = {
        name: {
            first: files[first][name],
            **{task_input: files[task_input][names[task_input][name]] for task_input in others},
        }
        for name in treebanks
    }
    return {name: _with_files(task, of_treebank) for name, of_treebank in paths.items()}


def _has_many(task: Task, task_input: Input, corpora: Collection[str] | None) -> bool:
    """Whether an input has a file, or corpus, for every treebank. corpora: those of the database."""
    if corpora is None:
        return has_many_files(task_input.path) and not _is_data_set(task, task_input)
    return task_input.path not in corpora and glob.has_magic(task_input.path)


def _list_corpora(task: Task) -> Collection[str] | None:
    """The corpora of a task's database, empty unless an input is a pattern; None for files."""
    if task.database is None:
        return None
    if not any(glob.has_magic(task_input.path) for task_input in task.inputs):
        return ()
    if not isinstance(task.database, str):
        return loading.corpus_names(task.database)
    with open_database(task.database, read_only=True) as engine:
        return loading.corpus_names(engine)


def _find_corpora(pattern: str, corpora: Collection[str]) -> Files:
    """The corpora of a pattern by what stands for its stars. Raises UsageError, UnknownName."""
    parts = ((_part_of_stars(pattern, corpus), corpus) for corpus in sorted(corpora))
    corpora_by_name = _by_name((part or corpus, corpus) for part, corpus in parts if part is not None)
    if not corpora_by_name:
        raise UnknownName("corpus", pattern, corpora)
    return corpora_by_name


def pair_corpora(first: str, second: str, corpora: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return the corpora of two patterns that correspond, by the name of their treebank in the first, sorted.

    Warns of others that the patterns match. Raises UsageError where names cannot be paired, UnknownName for a pattern
    that no corpus has.
    """
    of_first, of_second = _find_corpora(first, corpora), _find_corpora(second, corpora)
    names = pair_names(of_first, of_second, second, first)
    if not names:
        raise UsageError(f"no corpus of {first} corresponds to one of {second}; {_HOW}")
    pairs = {name: (of_first[name], of_second[names[name]]) for name in sorted(names)}
    alone = sorted({*of_first.values(), *of_second.values()} - {corpus for pair in pairs.values() for corpus in pair})
    if alone:
        what = f"left out, as they correspond to none of the other pattern: {first_names(alone)}"
        issue(Diagnostic.warning(first, 0, what, "corpora are paired by what stands for the stars"))
    return pairs


def _by_name(named: Iterable[tuple[str, str]]) -> Files:
    """Files or corpora by their names. Raises UsageError for two of one name."""
    by_name: Files = {}
    for name, file in named:
        if name in by_name:
            raise UsageError(f"{by_name[name]} and {file} are both called {name}; leave one of them out")
        by_name[name] = file
    return by_name


def _one_and_many(task: Task, single: Input, many: Input) -> UsageError:
    """The error of a file beside a folder. Raises InvalidInput if the file does not exist."""
    singular, plural, hint = "one file", "many files", "a folder or a pattern"
    if task.database is None:
        expand([single.path], ())
    else:
        singular, plural, hint = "one corpus", "many corpora", "a pattern"
    return UsageError(
        f"{many.role.name} is {many.path}, {plural}, and {single.role.name} is {singular}, {single.path}; "
        f"name {hint} for both"
    )


def _is_data_set(task: Task, task_input: Input) -> bool:
    """Whether an input is a folder of Parquet files alone, which is one corpus."""
    if not Path(task_input.path).is_dir():
        return False
    parquet = readers.formats()[readers.PARQUET].suffixes
    treebanks = also_packed(_endings(task, task_input.role))
    return bool(files_below(Path(task_input.path), parquet)) and not files_below(Path(task_input.path), treebanks)


def _with_files(task: Task, paths: Mapping[Input, str]) -> Task:
    """The task with other files for some of its inputs."""
    roles = {role.name: role for role in task.kind.roles}

    def path_of(role: str, path: str, system: str | None = None) -> str:
        return paths.get(Input(roles[role], path, system), path)

    shared = {role: tuple(path_of(role, path) for path in listed) for role, listed in task.shared.items()}
    systems = {
        name: {role: path_of(role, path, name) for role, path in roles_of_system.items()}
        for name, roles_of_system in task.systems.items()
    }
    return replace(task, shared=shared, systems=systems)


def _find_files(task: Task, task_input: Input) -> Files:
    """The files of a folder or pattern by name. Raises UsageError for two files of one name, InvalidInput."""
    folder = Path(task_input.path).is_dir()
    matches = [] if folder else glob.glob(task_input.path, recursive=True)
    if matches and not any(map(os.path.isfile, matches)):
        what = f"{task_input.path} matches folders, {first_names(sorted(matches))}"
        raise UsageError(f"{what}; name one, or files: {task_input.path}/*")

    def name_of(file: str) -> str:
        if folder:
            below: str | None = os.path.relpath(file, task_input.path).replace(os.sep, "/")
        else:
            below = _part_of_stars(*(os.path.normpath(path).replace(os.sep, "/") for path in (task_input.path, file)))
        return readers.without_ending(below or "") or readers.without_ending(Path(file).name)

    return _by_name((name_of(file), file) for file in expand([task_input.path], _endings(task, task_input.role)))


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
    unpaired = list(_describe_unpaired(files, names))
    if unpaired:
        what = f"left out: {', '.join(unpaired)}"
        task.warn(Diagnostic.warning(first.path, 0, what, "averages are over the treebanks that all of them have"))


def _describe_unpaired(files: Mapping[Input, Files], names: Mapping[Input, Mapping[str, str]]) -> Iterator[str]:
    first = next(iter(files))
    for name in sorted(files[first]):
        lacking = [task_input.path for task_input, paired in names.items() if name not in paired]
        if lacking:
            yield f"{name} (not in {', '.join(lacking)})"
    alone: dict[str, list[str]] = {}
    for task_input, paired in names.items():
        for name in files[task_input].keys() - set(paired.values()):
            alone.setdefault(name, []).append(task_input.path)
    for name, paths in sorted(alone.items()):
        yield f"{name} (only in {', '.join(paths)})"


def _nothing_paired(files: Mapping[Input, Files]) -> UsageError:
    listed = [f"{task_input.path} has {first_names(sorted(names))}" for task_input, names in files.items()]
    return UsageError(f"no treebank is in all of them: {'; '.join(listed)}; {_HOW}, or by the code of a UD treebank")


@dataclass(frozen=True)
class _Identity:
    """What a name says about its treebank; None where it says nothing.

    code: `en_ewt`; distinctive: whether it can only be a code; part: train, dev or test; folder: `English-EWT`.
    """

    code: str | None = None
    distinctive: bool = False
    part: str | None = None
    folder: str | None = None

    @classmethod
    def of(cls, name: str) -> _Identity:
        """Read the name of a treebank: a path without the file's ending."""
        parts = name.split("/")
        folders = [named_folder.treebank for part in parts if (named_folder := corpus_plans.read_folder(part))]
        folder = folders[-1] if folders else None
        file = corpus_plans.read_file(parts[-1])
        if file is None or (file.rest and not file.released):
            return cls(folder=folder)
        return cls(file.code, file.released or file.name is not None, file.part, folder)

    def may_be(self, other: _Identity) -> bool:
        """Whether both name one treebank, and neither says anything that the other contradicts."""
        if self.part and other.part and self.part != other.part:
            return False
        if self.folder and other.folder and self.folder != other.folder:
            return False
        if self.code and self.code == other.code:
            return True
        contradict = self.distinctive and other.distinctive
        return self.folder is not None and self.folder == other.folder and not contradict


def pair_names(gold: Collection[str], names: Collection[str], where: str, gold_where: str) -> dict[str, str]:
    """Return by gold name the name that it is paired with: an equal one, else the only one with the same UD code.

    `en_ewt-ud-dev` and `UD_English-EWT/en_ewt-ud-dev` are paired with `en_ewt` where it can be no other. where,
    gold_where: what has the names, in errors. Raises UsageError for a name that may be paired with several.
    """
    paired = {name: name for name in gold if name in names}
    of_gold = {name: _Identity.of(name) for name in gold}
    identities = {name: _Identity.of(name) for name in names}
    for name in sorted(set(names) - paired.keys()):
        candidates = [gold_name for gold_name, identity in of_gold.items() if identity.may_be(identities[name])]
        if len(candidates) > 1:
            raise _ambiguous(where, name, gold_where, candidates)
        if not candidates or candidates[0] in names:
            continue
        [gold_match] = candidates
        rivals = [other for other, identity in identities.items() if of_gold[gold_match].may_be(identity)]
        if len(rivals) > 1:
            raise _ambiguous(gold_where, gold_match, where, rivals)
        paired[gold_match] = name
    return paired


def _ambiguous(where: str, name: str, other: str, candidates: Collection[str]) -> UsageError:
    listed = " or ".join(sorted(candidates))
    return UsageError(f"{where}: {name} may be {listed} of {other}; files are paired by name: give both the same name")


def also_packed(endings: Iterable[str]) -> tuple[str, ...]:
    """Endings of files, and of the same compressed."""
    return tuple(ending + packed for ending in endings for packed in ("", *PACKED_ENDINGS))
