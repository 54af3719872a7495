"""Lattices: what is told of scores that are not defined or not proven, the least redundancy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import heard
from tests.evaluation.lines import lattices, written
from treesql.errors import UsageError
from treesql.evaluation.hooks.lattice import HOOK
from treesql.kernels.lattices import position_independent


def test_lattices_without_a_distance_are_told_of(tmp_path: Path) -> None:
    plf = written(tmp_path / "a.plf", "((('a',1,1),),)", "()", "((('a',1,1),),)")
    other = written(tmp_path / "b.plf", "((('b',1,1),),)", "()", "()")
    reference = written(tmp_path / "a.txt", "a", "", "")
    with heard() as told:
        treesql.score("lattice", systems=[plf], reference=reference, metric="word_count_distance")
    assert told == ["a.plf: 2 lattices have empty references, for which swcd is not defined; it is that of the others"]
    with heard() as compared:
        treesql.compare("lattice", systems=[plf, other], reference=reference, metric="swcd", runs=10)
    assert compared[:2] == [told[0], told[0].replace("a.plf", "b.plf")]


def test_scores_that_are_not_proven_are_told_of() -> None:
    nothing: Any = None  # corpora are not looked at
    [told] = HOOK.find_warnings(nothing, "a", [], {"unproven": 1, "gper_unproven": 0, "gbleu_unproven": 0})
    assert told.what == "pmed of 1 lattice is the best found, and not proven"
    assert "treesql score lattice --by sentence --metric pmed,unproven" in told.hint
    assert not [*HOOK.find_warnings(nothing, "a", [], {"proven": 2})]
    [told] = HOOK.find_warnings(nothing, "a", [], {"gbleu_unproven": 3})
    assert told.what == "gbleu of 3 lattices is the best found, and not proven"


def test_a_condition_leaves_no_unproven_lattice_untold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three lattices none is proven here, of which the condition chooses two, for `score` and for `compare`."""
    real = position_independent.nearest_paths_as_bags

    def without_proof(*given: Any, **how: Any) -> position_independent.BagPaths:
        found = real(*given, **how)
        return found._replace(proven=found.proven & False)

    monkeypatch.setattr(position_independent, "nearest_paths_as_bags", without_proof)
    plf, other = (written(tmp_path / name, *["((('a',1,1),),)"] * 3) for name in ("a.plf", "b.plf"))
    given = {"systems": [plf, other], "reference": written(tmp_path / "a.txt", "a", "b", "b")}
    expected = [f"{score} of 2 lattices is the best found, and not proven" for score in ("pmed", "gper")]
    with heard() as told:
        treesql.score("lattice", **given, metric=["pmed", "gper"], where="sentence > 0")
    assert [one.split(": ", 1)[1].split(";")[0] for one in told] == expected * 2
    with heard() as told:
        treesql.compare("lattice", **given, metric=["pmed_rate", "gper"], where="sentence > 0", runs=10)
    unproven = [one.split(": ", 1)[1].split(";")[0] for one in told if "not proven" in one]
    assert sorted(unproven) == sorted(expected * 2)
    treesql.score(
        "lattice", **given, metric=["pmed", "lattice_size"], where="n_nodes > 0"
    )  # of which pmed knows nothing


@pytest.mark.parametrize("least", [-0.5, float("nan")])
def test_the_least_redundancy_is_not_negative(least: float) -> None:
    with pytest.raises(UsageError, match=r"min_redundancy is .*; it is a number, 0 or more"):
        lattices(metric="swcd", min_redundancy=least)
