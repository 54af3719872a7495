"""Lattices and n-best lists."""
