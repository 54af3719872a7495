"""The folders queries/, macros/ and schemas/: in the installed package, or next to it in a checkout."""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """One of these folders."""
    package = Path(__file__).resolve().parent.parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
