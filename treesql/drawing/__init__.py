"""Drawings: charts, bars and trees, as SVG and as text for the terminal."""
