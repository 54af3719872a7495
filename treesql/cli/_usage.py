"""Errors of usage that click finds, in one line."""

from __future__ import annotations

import click

from treesql.errors import UnknownName


def describe_usage(error: click.ClickException) -> str:
    """An error of click as one line: what is wrong, and the command whose help shows what is right."""
    context = getattr(error, "ctx", None)
    help_of = f"; see `{context.command_path} --help`" if context is not None else ""
    if isinstance(error, click.NoSuchOption) and context is not None:
        if not error.option_name.startswith("--") and _takes_arguments(context):
            hint = f"an argument that begins with - stands after --, as in `{context.command_path} ... -- -NONE-`"
            return f"unknown option {error.option_name!r}; {hint}"
        near = str(UnknownName("option", error.option_name, _options(context)))
        return near if "did you mean" in near else f"unknown option {error.option_name!r}{help_of}"
    what = " ".join(error.format_message().split()).rstrip(".")
    if what.startswith("Got unexpected extra argument") and context is not None and "--corpus" in _options(context):
        help_of = f"; a corpus of a database is named with --corpus{help_of}"
    return f"{what[:1].lower()}{what[1:]}{help_of}"


def _takes_arguments(context: click.Context) -> bool:
    """Whether a command has arguments, which may begin with a dash."""
    return any(isinstance(one, click.Argument) for one in context.command.get_params(context))


def _options(context: click.Context) -> list[str]:
    """The names of a command's options, as they are written."""
    params = context.command.get_params(context)
    return [name for one in params if isinstance(one, click.Option) for name in (*one.opts, *one.secondary_opts)]
