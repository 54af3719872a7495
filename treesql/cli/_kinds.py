"""Commands for every kind of evaluation: their arguments and options, made from the kind's declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

import treesql
from treesql.cli._completion import complete_inputs, of_metrics, of_tables
from treesql.cli._lazy import Group, complete
from treesql.cli._reading import max_sentence_option
from treesql.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from treesql import Kind, Parameter, Role

Make = Callable[["Kind"], click.Command]
"""Makes the command of a kind."""


class KindGroup(Group):
    """A group with a command for every kind."""

    def __init__(self, *args: Any, make: Make, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.make = make
        self.made: dict[str, click.Command] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the kinds."""
        return [kind.name for kind in treesql.kinds()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a kind, or None."""
        if cmd_name not in self.made:
            try:
                [kind] = treesql.kinds(cmd_name)
            except UnknownName:
                return None
            self.made[cmd_name] = complete(self.make(kind))
        return self.made[cmd_name]


class _Addition(click.Choice[str]):
    """A name of `--with`; others are refused by `treesql.score`, which knows the kinds that have them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(value, param, ctx) if value in self.choices else str(value)


def inputs_argument(kind: Kind) -> click.Argument:
    """The files or corpora of a command: all roles in order, the last repeated where a system has one file."""
    roles = [role for role in kind.roles if not role.option]
    last = "..." if _takes_several(kind) else ""
    return click.Argument(
        ["inputs"], nargs=-1, metavar=" ".join(role.written for role in roles) + last, shell_complete=complete_inputs
    )


def named_systems(named: Sequence[str]) -> dict[str, Any]:
    """The systems that --system names, as a keyword of the public API; none without. Raises UsageError."""
    systems = dict(map(_split_system, named))
    if len(systems) < len(named):
        raise UsageError("a system is named twice; name each once")
    return {"systems": systems} if systems else {}


def kind_options(kind: Kind, *, compared: bool = False, tables: bool = True) -> list[click.Option]:
    """The options of a kind: roles, parameters, flags, and how files are read.

    compared: those of `compare` alone; tables: whether those that print a table instead of scores are among them.
    """
    own_too = not compared
    tables = tables and own_too
    found = [_role_option(role) for role in kind.roles if role.option and (own_too or role.side != "system")]
    text = "Take all inputs as corpora of this database."
    found.append(click.Option(["--db"], type=click.Path(), help=text))
    found.append(_system_option(kind))
    text = _metric_help(kind, compared)
    found.append(click.Option(["--metric"], metavar="NAME", multiple=True, shell_complete=of_metrics(kind), help=text))
    if kind.with_:
        listed = "; ".join(f"{name}, {one.doc}" for name, one in kind.with_.items())
        choice = _Addition(list(kind.with_))
        found.append(
            click.Option(["--with", "with_"], multiple=True, type=choice, help=f"Add to the default scores: {listed}.")
        )
    found += [_parameter_option(kind, parameter) for parameter in kind.declared.values()]
    for name, flag in kind.flags.items():
        if tables or not flag.table:
            found.append(click.Option([f"--{name}"], is_flag=True, help=flag.doc))
    for name, option in kind.options.items():
        found.append(click.Option([f"--{name}"], metavar=option.metavar, multiple=option.multiple, help=option.doc))
    if tables and kind.tables:
        text = f"Print a table instead: {_listed(kind.tables)}."
        found.append(click.Option(["--table"], metavar="NAME", shell_complete=of_tables(kind), help=text))
    where = (
        "Score only the items that meet this condition; its columns are what groups of scores name: upos, "
        "gold_distance, Number, meta.speaker."
    )
    found.append(click.Option(["--where"], metavar="SQL", help=where))
    found += [_reading_option(kind, name) for name in kind.reading]
    return found


def keywords(given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in given.items() if not any(value is one for one in (None, False, ()))}


def _own(kind: Kind) -> list[str]:
    return [role.written for role in kind.own if not role.option]


def _takes_several(kind: Kind) -> bool:
    """Whether systems have one argument each, so that several can be given."""
    return len(_own(kind)) == 1


def _split_system(text: str) -> tuple[str, Any]:
    name, separator, rest = text.partition("=")
    parts = rest.split(",")
    if not (name and separator and all(parts)):
        raise UsageError(f"--system {text}: write NAME=FILE, or NAME=FILE,FILE for a system of several files")
    return name, parts if len(parts) > 1 else parts[0]


def _system_option(kind: Kind) -> click.Option:
    return click.Option(
        ["--system", "named"], metavar="NAME=FILE", multiple=True,
        help=f"A system and its name, instead of {' '.join(_own(kind))}: {kind.written_system}. Repeatable.",
    )  # fmt: skip


def _metric_help(kind: Kind, compared: bool) -> str:
    scored = "the main scores of the kind" if compared else "the scores above"
    known = ", ".join(kind.all_metrics)
    return f"A metric, or a score of one ({known}); repeatable, also with commas.  [default: {scored}]"


def _role_option(role: Role) -> click.Option:
    short = ["-r"] if role.name == "reference" else []
    return click.Option([*short, f"--{role.name}"], metavar=role.written, multiple=bool(role.several), help=role.doc)


def _parameter_option(kind: Kind, parameter: Parameter) -> click.Option:
    values: Any = click.Choice(parameter.choices) if parameter.choices else float if parameter.type == "DOUBLE" else str
    doc = parameter.doc[:1].upper() + parameter.doc[1:].rstrip(".")
    usual = kind.parameters.get(parameter.name, parameter.default)
    default = f"  [default: {usual}]" if usual else ""
    name = parameter.name.replace("_", "-")
    return click.Option([f"--{name}", parameter.name], type=values, help=f"{doc}.{default}")


def _reading_option(kind: Kind, name: str) -> click.Option:
    if name.endswith("format"):
        return _format_option(kind, name)
    plain = name.removeprefix("gold_")
    text = _READING[plain] if plain == name else f"Gold links: {_READING[plain].split(': ', 1)[1]}"
    types: dict[str, Any] = {"base": click.Choice(["0", "1"]), "ids": click.Choice(["first", "last", "none"])}
    types["symbols"] = click.Path()
    return click.Option([f"--{name.replace('_', '-')}"], type=types.get(plain), is_flag=plain not in types, help=text)


def _format_option(kind: Kind, name: str) -> click.Option:
    roles = [role for role in kind.roles if role.format == name]
    content = roles[0].reads
    known = [one.name for one in treesql.formats(None if content == "words" else content) if one.read]
    usual = kind.usual_format or ("text" if content == "words" else known[0])
    text = f"Format of {_listed([role.written for role in roles], 'and')}: {', '.join(known)}."
    written = f"--{name.removesuffix('format').replace('_', '-')}from"
    return click.Option([written, name], metavar="FORMAT", help=f"{text}  [default: by ending, else {usual}]")


_READING = {
    "base": "Alignments: the number of a sentence's first word.  [default: 0 for pharaoh, 1 for talp, wpt and giza]",
    "reverse": "Alignments: the target word comes first.",
    "null_links": "Alignments: keep links to the empty word, 0 in wpt, NULL in giza.",
    "permissive": "Accept sentences whose heads form a cycle.",
    "strict": "Refuse sentences with several roots, and blank lines among trees that have a line each.",
    "phrases": "PLF: a label with blanks is several words.",
    "symbols": "OpenFst, Kaldi: the table of symbols of the labels, such as words.txt.",
    "ids": "Plain text: the first or the last word of every line is its id; none: no ids, sentences of all files "
    "correspond by their order.",
}
"""Help of the options of reading that take no name of a role."""


def _listed(names: Sequence[str], word: str = "or") -> str:
    *known, last = names
    return f"{', '.join(known)} {word} {last}" if known else last


def with_options(command: click.Command, *decorators: Callable[[Any], Any]) -> click.Command:
    """The command with options that all commands of this sort have."""
    for add in (max_sentence_option, *decorators):
        command = add(command)
    return command
