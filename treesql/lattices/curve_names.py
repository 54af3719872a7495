"""The names of the tables of a density curve, without what computes them: help texts need them."""

CURVE_TABLES = ("points", "numbers", "line", "differences", "pruned", "growth", "spans", "quantiles")
"""The tables of lattices of several densities."""
