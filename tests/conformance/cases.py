"""Where the cases and treebanks of the conformance tests lie: TREESQL_CASES and TREESQL_DATA."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import ROOT


def folder(variable: str, default: str) -> Path:
    """A folder named by a variable of the environment, beside the checkout if it is not set."""
    return Path(os.environ.get(variable, ROOT.parent / "shared" / default))


CASES = folder("TREESQL_CASES", "cases")
DATA = folder("TREESQL_DATA", "data")


def missing(path: Path) -> str:
    """Which folder lacks a path of CASES or DATA, and the variable that names this folder."""
    variable, root = ("TREESQL_DATA", DATA) if path.is_relative_to(DATA) else ("TREESQL_CASES", CASES)
    return f"{path.relative_to(root)} is missing in the folder {root}; set {variable} to the folder that has it"


def needs(path: Path) -> pytest.MarkDecorator:
    """Skips where a folder is missing."""
    return pytest.mark.skipif(not path.exists(), reason=missing(path))


def both_parses(db: treesql.Database, folder: Path, between: str, ending: str) -> Callable[[str], dict[str, str]]:
    """The gold and system corpora of a name as parameters of queries; their files in a folder are loaded when they are
    first asked for. between: stands between the name and the side, ending: behind it."""

    @cache
    def load(name: str) -> dict[str, str]:
        sides = {"gold_corpus": "gold", "system_corpus": "test"}
        corpora = {parameter: f"{name}{between}{side}" for parameter, side in sides.items()}
        for corpus in corpora.values():
            db.load(folder / f"{corpus}{ending}", corpus=corpus)
        return corpora

    return load


PAIR = "Croatian.udpipe"
"""The treebank and parser whose scores are compared by default."""


def of_one_pair(values: Iterable[Any], every: int) -> list[Any]:
    """Values whose names begin with a treebank and parser: by default all those of PAIR, which differ in options; of
    the others, which are the same options on other data, every n-th is slow and the rest thorough."""
    values = list(values)
    others = [value.id for value in values if value.id.partition("-")[0] != PAIR]
    slow = set(others[::every])
    return [
        pytest.param(*value.values, id=value.id, marks=pytest.mark.slow if value.id in slow else pytest.mark.thorough)
        if value.id in others
        else value
        for value in values
    ]
