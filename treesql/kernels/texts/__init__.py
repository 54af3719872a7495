"""Texts and their references: edits and n-grams."""
