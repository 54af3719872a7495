"""Outputs of parsers in a folder, paired by name with the gold treebanks in another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from treesql import readers
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError, Warn
from treesql.evaluation.paired_files import also_packed
from treesql.readers.source import files_below

GOLD = "gold"
"""The second part of the names of gold files in a folder with outputs of systems."""


@dataclass(frozen=True)
class Pair:
    """A gold treebank with all its files, and the output for one of them."""

    treebank: str
    files: tuple[Path, ...]
    scored: Path
    system: Path


def find_pairs(
    gold: str, systems: str, system: Sequence[str] = (), warn: Warn = lambda warning: None
) -> dict[str, list[Pair]]:
    """The gold treebanks that have an output, by system and name. Warns of treebanks and outputs without a counterpart.

    Gold treebanks are the folders in `gold`, and its files, named by the part before the first dot; if the second part
    of any file is `gold`, only such files are. Outputs are NAME.conllu, NAME.SYSTEM.conllu, or files in a folder NAME,
    also with the endings of the other dependency formats, and compressed. Outputs of which no treebank has two are of
    one system, named by what their names share, or else the folder. system: which systems, else all. Raises
    UsageError, UnknownName, InvalidInput.
    """
    treebank_files, outputs = _gold_files(_folder(gold)), _by_system(_folder(systems), system)
    parsed = {treebank for of_system in outputs.values() for treebank in of_system}
    for name in sorted(treebank_files.keys() - parsed):
        warn(Diagnostic.warning(gold, 0, f"the treebank {name} has no output in {systems}", "it is left out"))
    for name in sorted(parsed - treebank_files.keys()):
        warn(Diagnostic.warning(systems, 0, f"there is no gold treebank {name} in {gold}", "its output is left out"))
    return {
        system_name: [
            Pair(name, treebank_files[name], _scored_file(name, treebank_files[name], output), output)
            for name, output in sorted(of_system.items())
            if name in treebank_files
        ]
        for system_name, of_system in outputs.items()
    }


def _by_system(folder: Path, chosen: Sequence[str]) -> dict[str, dict[str, Path]]:
    """The outputs by system and treebank. Raises UsageError for two outputs of one system, UnknownName."""
    folder_name = folder.resolve().name
    outputs = _outputs(folder, folder_name)
    known = sorted({name for named in outputs.values() for name, _ in named})
    if not chosen and all(len(named) == 1 for named in outputs.values()):
        [name] = known if len(known) == 1 else [folder_name]
        return {name: {treebank: file for treebank, [(_, file)] in outputs.items()}}
    for name in chosen:
        if name not in known:
            raise UnknownName("system", name, known)
    by_system: dict[str, dict[str, Path]] = {name: {} for name in dict.fromkeys(chosen or known)}
    for treebank, files in outputs.items():
        for name, file in files:
            of_system = by_system.get(name)
            if of_system is not None and of_system.setdefault(treebank, file) != file:
                raise UsageError(f"several outputs of {name} for {treebank}: {of_system[treebank]}, {file}")
    return by_system


def _folder(path: str) -> Path:
    if not Path(path).is_dir():
        what = "this is a file" if Path(path).exists() else "there is no such folder"
        raise InvalidInput([Diagnostic.error(path, 0, what, "name a folder of treebanks or outputs")])
    return Path(path)


def _entries(folder: Path) -> Iterator[tuple[str, str | None, Path]]:
    """Folders and CoNLL-U files in order: name up to the first dot, the part before the ending, and path."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield path.name, None, path
        elif path.name.endswith(_treebank_endings()):
            yield path.name.split(".")[0], _second(path), path


@cache
def _treebank_endings() -> tuple[str, ...]:
    return also_packed(readers.endings_in_folders(readers.DEPENDENCY))


def _second(path: Path) -> str:
    """`malt` of `Danish.malt.conllu.gz`, nothing of `Danish.conllu`."""
    parts = readers.without_ending(path.name).split(".", 1)
    return parts[1] if len(parts) > 1 else ""


def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(files_below(folder, _treebank_endings()))


def _gold_files(folder: Path) -> dict[str, tuple[Path, ...]]:
    entries = list(_entries(folder))
    flat = [(name, second, path) for name, second, path in entries if second is not None]
    if any(second == GOLD for _, second, _ in flat):
        flat = [entry for entry in flat if entry[1] == GOLD]
    treebanks = {name: files for name, second, path in entries if second is None and (files := _files(path))}
    for name, _, path in flat:
        if name in treebanks:
            listed = ", ".join(map(str, (*treebanks[name], path)))
            raise UsageError(f"several gold treebanks are called {name}: {listed}; put its files into a folder {name}")
        treebanks[name] = (path,)
    if not treebanks:
        what = "no file with an ending of dependency treebanks, such as .conllu or .conllu.gz, and no folder with one"
        raise UsageError(f"{folder} has no treebank: {what}")
    return treebanks


def _outputs(folder: Path, default_system: str) -> dict[str, list[tuple[str, Path]]]:
    """The systems and their files by the name of the treebank. default_system: the system of files that name none."""
    outputs: dict[str, list[tuple[str, Path]]] = {}
    for name, second, path in _entries(folder):
        if second is None:
            files = [(_second(file) or file.name.split(".")[0], file) for file in _files(path)]
            outputs.setdefault(name, []).extend(files)
        elif second != GOLD:
            outputs.setdefault(name, []).append((second or default_system, path))
    return {name: files for name, files in outputs.items() if files}


def _scored_file(treebank: str, files: Sequence[Path], output: Path) -> Path:
    """The gold file of an output. Raises UsageError if several are possible."""
    if len(files) == 1:
        return files[0]
    for choice in ([f for f in files if f.name == output.name], [f for f in files if "test" in f.name.lower()]):
        if len(choice) == 1:
            return choice[0]
    names = ", ".join(file.name for file in files)
    raise UsageError(
        f"{treebank} has several gold files ({names}), none of which is called like {output.name} or is the only one "
        "with `test` in its name; call the output like the file that was parsed"
    )
