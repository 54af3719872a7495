"""treesql compare: a command for every kind of annotation, made from the command that scores it.

Included is every module of `treesql.cli.score` that has a function `task(gold, systems, ...)`, which returns the task;
the parameters of `task` that are options of its command are options here, too. A module sets `FILES` and `GOLDS` if the
files of a system are not SYSTEM, and the gold files not GOLD. If a system has several files, `systems` maps names to
tuples of files, of which those after the first `MIN_FILES` are optional. If there are several GOLDS, `gold` is a tuple;
if there is none, `task` has no such parameter. A module whose tasks are not of `treesql.evaluation.task` also has a
function `compare(task, metrics, method)`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from treesql.cli import score
from treesql.cli._lazy import Group
from treesql.cli._limits import limit_options
from treesql.cli._numbers import with_plain_numbers
from treesql.cli._output import format_of, output_options, print_result
from treesql.cli._reading import max_sentence_option
from treesql.cli._scoring import signature_option
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.evaluation.task import Task
    from treesql.significance.comparison import Comparison
    from treesql.significance.tests import Method

ARGUMENTS = ("gold", "systems")
"""Parameters of `task` that are arguments, not options."""


@dataclass(frozen=True)
class SystemFiles:
    """The gold files of a kind, and the files of a system, of which the first `required` are required."""

    golds: Sequence[str]
    parts: Sequence[str]
    required: int

    @classmethod
    def of(cls, module: ModuleType) -> SystemFiles:
        """The files that a module declares."""
        parts = getattr(module, "FILES", ("SYSTEM",))
        return cls(getattr(module, "GOLDS", ("GOLD",)), parts, getattr(module, "MIN_FILES", len(parts)))

    @property
    def several(self) -> bool:
        """Whether a system may have several files."""
        return len(self.parts) > 1

    @property
    def written(self) -> str:
        """The value of --system, such as `NAME=B,LINKS` or `NAME=B[,LINKS]`."""
        rest = [f"[,{part}]" if at >= self.required else f",{part}" for at, part in enumerate(self.parts)][1:]
        return "".join(["NAME=", self.parts[0], *rest])


class Kinds(Group):
    """A command of `treesql compare` for every command of `treesql score` that has tasks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The kinds that can be compared."""
        return [name for name in score.command.list_commands(ctx) if hasattr(_module(name), "task")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a kind, or None."""
        return _command(cmd_name, _module(cmd_name)) if cmd_name in self.list_commands(ctx) else None


@click.group(cls=Kinds)
def command() -> None:
    """Compare systems by any score: is the difference more than chance?"""


def _module(kind: str) -> ModuleType:
    return importlib.import_module(f"{score.__name__}.{kind}")


def _command(kind: str, module: ModuleType) -> click.Command:
    """The command that compares systems of a kind."""
    taken = inspect.signature(module.task).parameters.keys() - ARGUMENTS
    files = SystemFiles.of(module)
    gold = click.Argument(["gold"], nargs=len(files.golds), metavar=" ".join(files.golds))
    systems = click.Argument(
        ["systems"], nargs=-1, metavar=f"{files.parts[0] if files.required == 1 else f'--system {files.written}'}..."
    )
    made = click.Command(
        kind,
        callback=lambda **given: _compare(module, files, {name: given.pop(name) for name in taken}, **given),
        params=[*[gold] * bool(files.golds), systems, *(one for one in module.command.params if one.name in taken)],
        short_help=f"By the scores of treesql score {kind}.",
        help=f"""Compare systems by the scores of `treesql score {kind}`: all pairs, with p-values and intervals.

        csv, json and parquet have a row per score and pair: metric,
        system_a, system_b, score_a, score_b, difference, p, p_corrected, test, then the 95% interval of the difference,
        how often each system scores better in resampled sentences, and whether higher or lower scores are better.
        The screen shows the scores with their intervals, the differences, and a conclusion in words.
        """,
    )
    for add in (output_options, limit_options, signature_option, *reversed(_OPTIONS)):
        made = add(made)
    return with_plain_numbers(made)


_OPTIONS = (
    click.option(
        "--system",
        "named",
        metavar="NAME=FILE",
        multiple=True,
        help="A system and its name, instead of SYSTEM; NAME=FILE,FILE if it has several files. Repeatable.",
    ),
    click.option(
        "--metric",
        "metrics",
        metavar="NAME",
        multiple=True,
        help="A score (las), or a metric of the catalogue with all its scores (attachment); repeatable.  "
        "[default: the main scores of the kind]",
    ),
    click.option(
        "--test",
        type=click.Choice(["shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p"]),
        default="shuffling",
        show_default=True,
        help="The test. shuffling is exact if an exact p-value can be computed.",
    ),
    click.option(
        "--runs",
        type=click.IntRange(1),
        default=10_000,
        show_default=True,
        help="Number of runs of shuffling and of the bootstrap.",
    ),
    click.option(
        "--seed", type=click.IntRange(0), default=12345, show_default=True, help="Seed of their random numbers."
    ),
    click.option(
        "--correction",
        type=click.Choice(["holm", "bonferroni", "bh", "by", "none"]),
        default="holm",
        show_default=True,
        help="Correction of p for the number of pairs; bh and by control the false discovery rate.",
    ),
    click.option(
        "--stratum",
        metavar="COLUMN",
        help="Exchange and draw together the sentences with the same value of this column; newdoc: documents.",
    ),
    max_sentence_option,
)


def _compare(
    module: ModuleType, files: SystemFiles, given: dict[str, Any], systems: tuple[str, ...], named: tuple[str, ...],
    metrics: tuple[str, ...], form: str | None, out: str | None, signature: bool, gold: Any = None, **method: Any,
) -> None:  # fmt: skip
    from treesql.significance.tests import Method

    names, paths = _systems(files, systems, named)
    if files.golds:
        given["gold"] = gold
    if files.several:
        task = module.task(systems=dict(zip(names, paths, strict=True)), **given)
    else:
        task = _named(module.task(systems=[path for [path] in paths], **given), names)
    compare: Callable[..., Comparison] = getattr(module, "compare", None) or _compare_task
    found = compare(task, metrics, Method(**method))
    if format_of(form, out) == "table" and out is None:
        _show(found)
        if signature:
            click.echo(f"\n{found.signature}")
    else:
        print_result(found, form, out, signature=signature)


def _named(task: Any, names: list[str]) -> Any:
    """The task with the names of its systems, if any are given."""
    return dataclasses.replace(task, names=names) if names else task


def _compare_task(task: Task, metrics: tuple[str, ...], method: Method) -> Comparison:
    from treesql.evaluation.evaluate import compare

    return compare(task, metrics, method)


def _systems(
    files: SystemFiles, systems: tuple[str, ...], named: tuple[str, ...]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the systems, and the files of each. Raises UsageError.

    Without --system, systems of one file have no names here.
    """
    if systems and named:
        raise UsageError(f"give systems as {files.parts[0]}... or with --system, not both")
    if not named:
        if files.required > 1:
            raise UsageError(f"a system is {len(files.parts)} files here; name each with --system {files.written}")
        if not systems:
            raise UsageError(f"name systems: {files.parts[0]} {files.parts[0]}, or --system {files.written}")
        return _file_names(systems) if files.several else [], [(path,) for path in systems]
    names, paths = [], []
    for one in named:
        name, separator, rest = one.partition("=")
        parts = tuple(rest.split(",")) if files.several else (rest,)
        if not (name and separator and all(parts) and files.required <= len(parts) <= len(files.parts)):
            raise UsageError(f"--system {one}: write {files.written}")
        names.append(name)
        paths.append(parts)
    return _check_distinct(names), paths


def _file_names(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths if two names are equal. Raises UsageError."""
    names = [Path(path).name for path in paths]
    return _check_distinct(names if len(set(names)) == len(names) else list(paths))


def _check_distinct(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise UsageError("a system is named twice; name each once")
    return names


def _show(found: Comparison) -> None:
    for table in found.tables():
        print_result(table, "table", None, turned_by="system" if "system" in table.columns else None)
        click.echo()
    for line in found.words():
        click.echo(line)
