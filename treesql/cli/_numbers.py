"""Numbers in options. Python's float() and int() accept `1_0` and digits of all scripts; both are errors here."""

from __future__ import annotations

from typing import Any

import click
from click.types import FloatParamType, IntParamType


class _Plain:
    """Refuses underscores and all characters but ASCII."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises BadParameter."""
        if isinstance(value, str) and (not value.isascii() or "_" in value):
            raise click.BadParameter(f"{value!r} is not a number; write it in digits, such as 10 or 0.5", ctx, param)
        return super().convert(value, param, ctx)  # type: ignore[misc]


class _PlainFloat(_Plain, FloatParamType): ...


class _PlainInt(_Plain, IntParamType): ...


class _PlainFloatRange(_Plain, click.FloatRange): ...


class _PlainIntRange(_Plain, click.IntRange): ...


_PLAIN: dict[type, Any] = {
    FloatParamType: _PlainFloat,
    IntParamType: _PlainInt,
    click.FloatRange: _PlainFloatRange,
    click.IntRange: _PlainIntRange,
}


def with_plain_numbers(command: click.Command) -> click.Command:
    """Make the numeric options of a command refuse all but plain numbers; return the command."""
    for param in command.params:
        plain = _PLAIN.get(type(param.type))
        if plain:
            original, param.type = param.type, plain.__new__(plain)
            vars(param.type).update(vars(original))
    return command
