"""Sums, and samples of them."""
