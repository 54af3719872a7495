"""The catalogue: queries, macros and tables as objects, read from queries/, macros/ and schemas/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.catalog.queries import Query as Query
    from treesql.catalog.queries import absent_from_files as absent_from_files
    from treesql.catalog.queries import all_queries as all_queries
    from treesql.catalog.queries import clear_cache as clear_cache
    from treesql.catalog.queries import columns_read as columns_read
    from treesql.catalog.queries import contains_query as contains_query
    from treesql.catalog.queries import cross_sentences as cross_sentences
    from treesql.catalog.queries import crossing_queries as crossing_queries
    from treesql.catalog.queries import digest as digest
    from treesql.catalog.queries import expand_together as expand_together
    from treesql.catalog.queries import names as names
    from treesql.catalog.queries import needs_words_of_lines as needs_words_of_lines
    from treesql.catalog.queries import note_of_old_name as note_of_old_name
    from treesql.catalog.queries import query as query
    from treesql.catalog.queries import query_of as query_of
    from treesql.catalog.queries import reads_tables as reads_tables
    from treesql.catalog.queries import tables_of as tables_of
    from treesql.catalog.queries import words_of_queries as words_of_queries
    from treesql.catalog.sql_text import Statement as Statement
    from treesql.catalog.sql_text import words as words
else:  # imported when they are first used: help texts need formats alone
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "treesql.catalog.queries": (
                "Query", "absent_from_files", "all_queries", "clear_cache", "columns_read", "contains_query",
                "cross_sentences", "crossing_queries", "digest", "expand_together", "names", "needs_words_of_lines",
                "note_of_old_name", "query", "query_of", "reads_tables", "tables_of", "words_of_queries",
            ),
            "treesql.catalog.sql_text": ("Statement", "words"),
        },
    )  # fmt: skip
