"""Asking by pattern: text to clauses to one SQL statement."""
