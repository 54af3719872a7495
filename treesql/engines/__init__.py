"""Engines that run SQL statements."""
