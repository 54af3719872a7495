"""Significance: tests, bootstrap intervals, and comparisons of systems."""
