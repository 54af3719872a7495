"""The paths of lattices that are nearest to references."""

from __future__ import annotations

from tests.evaluation.lines import PLF, REFERENCES
from treesql.catalog import kinds
from treesql.evaluation.files import make_task
from treesql.lattices.oracle_paths import find_oracle_paths


def test_of_several_references_the_nearest_counts() -> None:
    task = make_task(kinds.kind("lattice"), PLF, {"reference": REFERENCES, "phrases": True})
    rows = find_oracle_paths(task, "ger").rows()
    assert [one["reference"] for one in rows] == ["lattices.txt", "lattices.txt", "lattices-2.txt"]
    assert [" ".join(one["path_forms"]) for one in rows] == ["the cat sat", "it was a big red house", "I don't know"]
