"""Lattices: their structure, oracle paths, pruning."""
