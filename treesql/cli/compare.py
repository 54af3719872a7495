"""treesql compare: a command for every kind of annotation that can be scored, made from the command that scores it.

A module of `treesql.cli.score` takes part by having a function `task(gold, systems, ...)`, which returns what to score;
the options of its command that `task` takes are options here, too. Where a system is several files, the module says of
how many in `FILES`, and `task` gets a tuple of as many GOLDs, and for each system's name a tuple of as many files. A
module whose tasks are not those of `treesql.evaluation` has a function `compare(task, metrics, method)` as well.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from treesql.cli import score
from treesql.cli._output import format_of, output_options, print_batches, print_result
from treesql.cli._scoring import signature_option
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.compared import Comparison
    from treesql.significance import Method
    from treesql.tasks import Task

GIVEN = ("gold", "systems")


class Kinds(click.Group):
    """The commands of `treesql score`, for comparing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The kinds that can be compared."""
        return [name for name in score.command.list_commands(ctx) if hasattr(_module(name), "task")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One kind, None where there is none of that name."""
        return _command(cmd_name, _module(cmd_name)) if cmd_name in self.list_commands(ctx) else None


@click.group(cls=Kinds)
def command() -> None:
    """Compare systems by any score: is the difference more than chance?"""


def _module(kind: str) -> ModuleType:
    return importlib.import_module(f"{score.__name__}.{kind}")


def _command(kind: str, module: ModuleType) -> click.Command:
    """The command that compares systems of a kind."""
    taken = inspect.signature(module.task).parameters.keys() - GIVEN
    files: int = getattr(module, "FILES", 1)
    made = click.Command(
        kind,
        callback=lambda **given: _compare(module, files, {name: given.pop(name) for name in taken}, **given),
        params=[
            click.Argument(["gold"], nargs=files, metavar="GOLD" if files == 1 else " ".join(["GOLD"] * files)),
            click.Argument(["systems"], nargs=-1, metavar="SYSTEM..."),
            *(option for option in module.command.params if option.name in taken),
        ],
        help=f"""Compare systems by the scores of `treesql score {kind}`: all pairs, with p-values and intervals.

        csv, json and parquet have a row per score and pair: metric,
        system_a, system_b, score_a, score_b, difference, p, p_corrected, test, then the 95% interval of the difference,
        and who wins how often when sentences are drawn anew.
        The screen shows the scores with their intervals, the differences, and what can be said.
        """,
    )
    for add in (output_options, signature_option, *reversed(_OPTIONS)):
        made = add(made)
    return made


_OPTIONS = (
    click.option(
        "--system",
        "named",
        metavar="NAME=FILE",
        multiple=True,
        help="A system and what to call it, in place of SYSTEM; NAME=FILE,FILE where it is several files. Repeatable.",
    ),
    click.option(
        "--metric",
        "metrics",
        metavar="NAME",
        multiple=True,
        help="A score (las), or a metric of the catalogue with all its scores (attachment); repeatable.  "
        "[default: the first metric of the kind]",
    ),
    click.option(
        "--test",
        type=click.Choice(["shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p"]),
        default="shuffling",
        show_default=True,
        help="How to test. shuffling is exact wherever that can be computed.",
    ),
    click.option(
        "--runs", type=click.IntRange(1), default=10_000, show_default=True, help="Of shuffling and of the bootstrap."
    ),
    click.option("--seed", type=click.IntRange(0), default=12345, show_default=True, help="Of their random numbers."),
    click.option(
        "--correction",
        type=click.Choice(["holm", "bonferroni", "bh", "by", "none"]),
        default="holm",
        show_default=True,
        help="Of p for the number of pairs; bh and by bound the rate of false discoveries.",
    ),
    click.option(
        "--stratum",
        metavar="COLUMN",
        help="Exchange and draw sentences together that have one value of this column of sentences; newdoc: documents.",
    ),
)


def _compare(
    module: ModuleType, files: int, given: dict[str, Any], gold: Any, systems: tuple[str, ...], named: tuple[str, ...],
    metrics: tuple[str, ...], form: str | None, out: str | None, signature: bool, **method: Any,
) -> None:  # fmt: skip
    from treesql.significance import Method

    names, paths = _systems(files, systems, named)
    if files > 1:
        task = module.task(gold=gold, systems=dict(zip(names, paths, strict=True)), **given)
    else:
        task = _named(module.task(gold=gold, systems=paths, **given), names)
    compare: Callable[..., Comparison] = getattr(module, "compare", None) or _compare_trees
    found = compare(task, metrics, Method(**method))
    if format_of(form, out) == "table" and out is None:
        _show(found)
        if signature:
            click.echo(f"\n{found.signature}")
    else:
        print_result(found, form, out, signature=signature)


def _named(task: Any, names: list[str]) -> Any:
    """The task with its systems called by names, if there are any."""
    return dataclasses.replace(task, names=names) if names else task


def _compare_trees(task: Task, metrics: tuple[str, ...], method: Method) -> Comparison:
    from treesql.evaluation import compare

    return compare(task, metrics, method)


def _systems(files: int, systems: tuple[str, ...], named: tuple[str, ...]) -> tuple[list[str], list[Any]]:
    """What the systems are called, if they are given names, and their files. Raises UsageError."""
    if not named:
        if files > 1:
            raise UsageError(
                f"a system is {files} files here; name each with --system NAME={','.join(['FILE'] * files)}"
            )
        return [], list(systems)
    if systems:
        raise UsageError("give systems as SYSTEM... or with --system, not both ways")
    names, paths = [], []
    for one in named:
        name, separator, rest = one.partition("=")
        parts = tuple(rest.split(",")) if files > 1 else (rest,)
        if not (name and separator and all(parts)) or len(parts) != files:
            raise UsageError(f"--system {one}: write NAME={','.join(['FILE'] * files)}")
        names.append(name)
        paths.append(parts if files > 1 else rest)
    return names, paths


def _show(found: Comparison) -> None:
    for table in found.tables():
        print_batches(table.arrow().to_reader(), "table", None)
        click.echo()
    for line in found.words():
        click.echo(line)
