"""Lattices: nearest paths, pruning, arbiters and curves of performance over density.

The names of this package are its functions on files and databases; its modules work on tasks and arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.lattices.arbiter import Arbiter as Arbiter
    from treesql.lattices.curve_fitting import fit_curve as fit_curve
    from treesql.lattices.curve_fitting import fit_line as fit_line
    from treesql.lattices.curve_fitting import integrate as integrate
    from treesql.lattices.curve_fitting import interpolate as interpolate
    from treesql.lattices.curve_names import CURVE_TABLES as CURVE_TABLES
    from treesql.lattices.curve_tables import CurveStudy as CurveStudy
    from treesql.lattices.files import apply as apply
    from treesql.lattices.files import curve as curve
    from treesql.lattices.files import examples as examples
    from treesql.lattices.files import fit as fit
    from treesql.lattices.files import oracle as oracle
    from treesql.lattices.files import prune as prune
    from treesql.lattices.files import show as show
    from treesql.lattices.files import tune as tune
    from treesql.lattices.oracle_paths import LatticeView as LatticeView
    from treesql.lattices.pruning import EdgeDecisions as EdgeDecisions
    from treesql.lattices.pruning import PruningInput as PruningInput
    from treesql.lattices.pruning import decide_edges as decide_edges
    from treesql.lattices.weight_tuning import TuningStep as TuningStep
else:
    _NAMES = {
        "treesql.lattices.arbiter": ("Arbiter",),
        "treesql.lattices.curve_fitting": ("fit_curve", "fit_line", "integrate", "interpolate"),
        "treesql.lattices.curve_names": ("CURVE_TABLES",),
        "treesql.lattices.curve_tables": ("CurveStudy",),
        "treesql.lattices.files": ("apply", "curve", "examples", "fit", "oracle", "prune", "show", "tune"),
        "treesql.lattices.oracle_paths": ("LatticeView",),
        "treesql.lattices.pruning": ("EdgeDecisions", "PruningInput", "decide_edges"),
        "treesql.lattices.weight_tuning": ("TuningStep",),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)

__all__ = [
    "CURVE_TABLES", "Arbiter", "CurveStudy", "EdgeDecisions", "LatticeView", "PruningInput", "TuningStep", "apply",
    "curve", "decide_edges", "examples", "fit", "fit_curve", "fit_line", "integrate", "interpolate", "oracle", "prune",
    "show", "tune",
]  # fmt: skip
