"""Around every call: interrupts, limits of time and memory, files written whole, errors of other libraries."""

from __future__ import annotations
