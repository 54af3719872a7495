"""Sentences read from the tables, and drawings of them."""
