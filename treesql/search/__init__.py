"""Search by patterns: text to clauses to one SQL statement.

A query language is a folder, as grew/; preparation, limits, costs and reasons are shared.
"""
