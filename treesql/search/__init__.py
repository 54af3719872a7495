"""Search by patterns: text to clauses to one SQL statement.

grew/ parses requests of Grew's language and compiles them. The other modules run requests within limits, and explain
their costs and empty results.
"""
