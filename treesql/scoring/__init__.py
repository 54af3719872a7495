"""Scoring: items to sums to scores; statistics."""
