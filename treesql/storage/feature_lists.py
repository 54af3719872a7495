"""The table feature_lists: the attributes of every distinct FEATS and MISC string.

A string is stored once, whatever the number of its attributes: 180 kB of strings would be 8 GB as a row per attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from treesql.readers import Options

_SOURCES = tuple((table, column) for table in ("words", "tokens", "empty_nodes") for column in ("feats", "misc"))


def fill_feature_lists(connection: duckdb.DuckDBPyConnection, corpora: Sequence[str], options: Options) -> None:
    """Add the FEATS and MISC strings of corpora, as far as they were read, that the table does not have yet."""
    values = {f"corpus{at}": corpus for at, corpus in enumerate(corpora)}
    chosen = f"corpus IN ({', '.join(f'${name}' for name in values)})"
    strings = " UNION ".join(
        f"SELECT {column} AS feats FROM {table} WHERE {chosen}"
        for table, column in _SOURCES
        if options.wants(table, column)
    )
    if not strings:
        return
    connection.execute(
        f"""
        INSERT INTO feature_lists
        SELECT p.feats, list_transform(p.parts, lambda part: split_part(part, '=', 1)),
               list_transform(p.parts, lambda part: CASE WHEN contains(part, '=')
                                                    THEN substr(part, strpos(part, '=') + 1) END)
        FROM (SELECT s.feats, list_sort(list_distinct(list_filter(string_split(s.feats, '|'), lambda part: part <> '')))
                              AS parts
              FROM ({strings}) AS s
              WHERE s.feats IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM feature_lists AS f WHERE f.feats = s.feats)) AS p
        ORDER BY p.feats
        """,
        values,
    )


def delete_unused(connection: duckdb.DuckDBPyConnection) -> None:
    """Delete the strings that no row has any more."""
    connection.execute(
        """
        DELETE FROM feature_lists AS f
        WHERE NOT EXISTS (SELECT 1 FROM words AS w WHERE w.feats = f.feats)
          AND NOT EXISTS (SELECT 1 FROM words AS w WHERE w.misc = f.feats)
          AND NOT EXISTS (SELECT 1 FROM tokens AS t WHERE t.feats = f.feats OR t.misc = f.feats)
          AND NOT EXISTS (SELECT 1 FROM empty_nodes AS e WHERE e.feats = f.feats OR e.misc = f.feats)
        """
    )
