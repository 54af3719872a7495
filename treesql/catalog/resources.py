"""Where queries/ and schemas/ lie: in the installed package or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """One of these folders: inside the installed package, else at the top of the checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
