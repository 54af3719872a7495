"""The options of commands that describe treebanks."""

from __future__ import annotations

import click

from treesql.cli._completion import complete_corpora
from treesql.cli._limits import limit_options
from treesql.cli._options import Command
from treesql.cli._reading import max_sentence_option

classes_option = click.option(
    "--classes", metavar="FILE", help="CSV with relation,class: which relations are function, content or other."
)

corpora_option = click.option(
    "--corpus", "corpora", metavar="NAME", multiple=True, shell_complete=complete_corpora,
    help="A corpus of the database; repeatable.  [default: all]",
)  # fmt: skip


def strictness_options(command: Command) -> Command:
    """`--permissive`, `--strict` and `--max-sentence`."""
    strict = click.option("--strict", is_flag=True, help="Refuse sentences with several roots.")
    command = strict(max_sentence_option(command))
    return click.option("--permissive", is_flag=True, help="Accept sentences whose heads form a cycle.")(command)


def experiment_options(command: Command) -> Command:
    """The options of studies across treebanks: systems, classes, weights, punctuation, reading and limits."""
    for option in (
        limit_options,
        strictness_options,
        click.option(
            "--punctuation",
            type=click.Choice(["all", "form", "relation"]),
            default="all",
            show_default=True,
            help="Which words are scored: all; form, without words of punctuation characters alone; relation, without "
            "those with deprel punct or upos PUNCT in the gold tree.",
        ),
        click.option(
            "--weights",
            metavar="averaged|own|FILE",
            help="Weights of relations in wlas: word dependency entropies averaged over the gold treebanks, those of "
            "each treebank, or a file. [default: averaged]",
        ),
        classes_option,
        click.option(
            "--system",
            metavar="NAME",
            multiple=True,
            help="A system, of outputs TREEBANK.NAME.conllu; repeatable. [default: all]",
        ),
    ):
        command = option(command)
    return command
