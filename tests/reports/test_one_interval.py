"""A report of several treebanks: a number that stands in two of its tables has one interval."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import treesql

SIZES = {"xx": 30, "yy": 45}


def write_treebanks(folder: Path) -> None:
    """Treebanks of one part of speech; systems have three words of ten wrong."""
    for treebank, size in SIZES.items():
        for side in ("gold", "a", "b"):
            words, errors = Random(treebank), Random(treebank + side)
            lines = []
            for _ in range(size):
                for word in range(1, words.randint(2, 6) + 1):
                    wrong = side != "gold" and errors.random() < 0.3
                    relation = "dep" if wrong else "root" if word == 1 else "obj"
                    lines.append(f"{word}\tw{word}\t_\tX\t_\t_\t{int(word > 1)}\t{relation}\t_\t_\n")
                lines.append("\n")
            (folder / side).mkdir(exist_ok=True)
            (folder / side / f"{treebank}.conllu").write_text("".join(lines), "utf-8")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_buckets_have_the_intervals_of_the_scores(tmp_path: Path) -> None:
    write_treebanks(tmp_path)
    systems = [tmp_path / "a", tmp_path / "b"]
    tables = treesql.report("dependency", gold=tmp_path / "gold", systems=systems, metric="las").tables
    scores = {
        (row["treebank"], row["system"]): (row["las"], row["las_low"], row["las_high"])
        for row in tables["scores"].rows()
    }
    buckets = {
        (row["value"], row["system"]): (row["score"], row["low"], row["high"])
        for row in tables["buckets"].rows()
        if row["attribute"] in ("Treebank", "Part of speech")
    }
    assert len(buckets) == 6
    for system in ("a", "b"):
        assert buckets["X", system] == scores["micro", system]  # all words are in one bucket
        for treebank in SIZES:
            assert buckets[treebank, system] == scores[treebank, system]
