"""Folders of gold treebanks and of a parser's outputs."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.conftest import conllu

GOLD = {
    "X": ("the:2:det cat:3:nsubj sat:0:root", "a:2:det dog:3:nsubj ran:0:root"),
    "Y": ("kissa:2:nsubj istui:0:root", "koira:2:nsubj juoksi:0:root"),
    "Z": ("on:2:case mat:0:root", "in:2:case box:0:root now:2:advmod"),
}

PARSED = {
    "X": ("the:2:det cat:3:nsubj sat:0:root", "a:3:det dog:3:obj ran:0:root"),
    "Y": ("kissa:2:nsubj istui:0:root", "koira:2:det juoksi:0:root"),
    "Z": ("on:2:case mat:0:root", "in:2:case box:0:root now:1:advmod"),
}


def put(path: Path, *sentences: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = conllu(*sentences)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def put_folders(folder: Path) -> tuple[str, str]:
    """Gold treebanks X (two files), Y and Z (a file), and the outputs of `p`: the paths of both folders."""
    put(folder / "gold" / "X" / "x-dev.conllu", "the:2:det mat:0:root")
    put(folder / "gold" / "X" / "x-test.conllu", *GOLD["X"])
    put(folder / "gold" / "Y" / "y.conllu", *GOLD["Y"])
    put(folder / "gold" / "Z.conllu.gz", *GOLD["Z"])
    put(folder / "out" / "X.p.conllu", *PARSED["X"])
    put(folder / "out" / "Y.conllu.gz", *PARSED["Y"])
    put(folder / "out" / "Z" / "anything.conllu", *PARSED["Z"])
    return str(folder / "gold"), str(folder / "out")
