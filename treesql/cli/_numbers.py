"""Numbers in options. Python's float() and int() accept `1_0`, `nan` and digits of all scripts; all are errors here."""

from __future__ import annotations

import math
from typing import Any

import click
from click.types import FloatParamType, IntParamType

MAX_SIZE = 1 << 63
"""Numbers of this size or more fit no integer of an engine; larger ones are as good as infinite."""


class _Plain:
    """Refuses underscores, all characters but ASCII, and what is not finite or too large."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises BadParameter."""
        if isinstance(value, str) and (not value.isascii() or "_" in value):
            raise click.BadParameter(f"{value!r} is not a number; write it in digits, such as 10 or 0.5", ctx, param)
        number = super().convert(value, param, ctx)  # type: ignore[misc]
        if isinstance(number, int) and abs(number) >= MAX_SIZE:
            raise click.BadParameter(f"{value} is too large a number", ctx, param)
        if not math.isfinite(number):
            raise click.BadParameter(f"{value!r} is not a finite number", ctx, param)
        return number


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
