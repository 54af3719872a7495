"""Reports of studies: one HTML page and its data files."""

CURVE_TABLES = ("points", "numbers", "line", "pruned", "growth")
"""The tables of lattices of several densities."""
