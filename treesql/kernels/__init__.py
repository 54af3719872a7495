"""Dynamic programs and byte scanners: flat arrays in, arrays out. They know nothing of Arrow, SQL or files."""

from __future__ import annotations

from collections.abc import Callable

when_compiling: list[Callable[[], object]] = []
"""Called once, before the first kernel is compiled in a process: that takes a while, where what was kept is loaded."""
