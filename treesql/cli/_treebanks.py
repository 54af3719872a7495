"""The options of commands that look at treebanks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from treesql.cli._limits import limit_options
from treesql.cli._reading import max_sentence_option

Command = TypeVar("Command", bound=Callable[..., Any])

classes_option = click.option(
    "--classes", metavar="FILE", help="CSV with relation,class: which relations are function, content or other."
)

corpora_option = click.option(
    "--corpus", "corpora", metavar="NAME", multiple=True, help="A corpus of the database; repeatable.  [default: all]"
)


def strictness_options(command: Command) -> Command:
    """`--permissive`, `--strict` and `--max-sentence`."""
    strict = click.option("--strict", is_flag=True, help="Refuse sentences with several roots.")
    command = strict(max_sentence_option(command))
    return click.option("--permissive", is_flag=True, help="Take sentences whose heads form a cycle.")(command)


def experiment_options(command: Command) -> Command:
    """`--system`, `--classes`, `--weights`, those of reading and of limits, of what compares treebanks and outputs."""
    for option in (
        limit_options,
        strictness_options,
        click.option("--weights", metavar="FILE", help="What relations weigh in wlas. [default: averaged WDE]"),
        classes_option,
        click.option("--system", metavar="NAME", help="Which outputs, where there are several: TREEBANK.NAME.conllu."),
    ):
        command = option(command)
    return command
