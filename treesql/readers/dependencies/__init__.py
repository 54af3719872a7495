"""Dependency trees in columns."""
