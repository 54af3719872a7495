"""Dynamic programs and byte scanners: flat arrays in, arrays out. They import neither Arrow, SQL nor files."""

from __future__ import annotations

from collections.abc import Callable

when_compiling: list[Callable[[], object]] = []
"""Functions called once per process, before the first kernel is compiled. Compilation takes seconds; loading a cached
kernel does not."""
