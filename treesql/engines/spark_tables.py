"""Tables of a folder of Parquet as temporary views of a Spark session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Table
from treesql.engines.corpus_groups import FEATURES
from treesql.engines.duckdb_folders import CORPORA, NO_PATHS, PartsByTable
from treesql.engines.spark_types import arrow_type, passed_type, table_schema, with_type


def is_small(table: str) -> bool:
    """Whether a table is read on the driver: `corpora`, and tables that belong to no corpus."""
    large = table in (FEATURES, schemas.ALIGNMENTS) or "corpus" in schemas.table(table).names
    return table == CORPORA or not large


def show_parts(session: Any, parts: PartsByTable) -> None:
    """Create or replace the views of the tables that have parts."""
    for table in schemas.all_tables().values():
        if not is_small(table.name):
            own, shared = parts.get(table.name, NO_PATHS)
            _show(session, table, [*own, *shared])


def _show(session: Any, table: Table, paths: Sequence[str]) -> None:
    if not paths:
        show_rows(session, table, table.arrow_schema().empty_table())
        return
    rows = session.read.schema(table_schema(table)).parquet(*map(_as_address, paths))
    if table.name == FEATURES:  # corpora share strings
        rows = rows.dropDuplicates([table.columns[0].name])
    rows.createOrReplaceTempView(table.name)


def show_rows(session: Any, table: Table, rows: pa.Table) -> None:
    """Create or replace the view of a table that is small enough for every executor to have."""
    columns = {}
    for column in table.columns:
        kind = passed_type(arrow_type(column.type))
        found = rows[column.name] if column.name in rows.column_names else pa.chunked_array([], kind)
        chunks = found.chunks or [pa.array([], found.type)]  # PySpark makes no array of no chunks
        columns[column.name] = pa.chunked_array([with_type(one, kind) for one in chunks], kind)
    session.createDataFrame(pa.table(columns), table_schema(table)).createOrReplaceTempView(table.name)


def _as_address(path: str) -> str:
    """Return a path as Hadoop reads it; the paths of this machine have no scheme."""
    return path if "://" in path else f"file://{path}"


VIEWS = {
    "comments": """
SELECT s.corpus, s.sentence, CAST(c.place + 1 AS BIGINT) AS position, c.comment,
       trim(regexp_extract(c.comment, '^#([^=]*)', 1)) AS key,
       CASE WHEN contains(c.comment, '=') THEN trim(regexp_extract(c.comment, '=(.*)$', 1)) END AS value
FROM sentences AS s LATERAL VIEW posexplode(s.comments) c AS place, comment
""",
    "features": """
SELECT l.feats, v.pair.name_list AS name, v.pair.value_list AS value
FROM feature_lists AS l LATERAL VIEW explode(arrays_zip(l.name_list, l.value_list)) v AS pair
""",
    "link_lists": """
SELECT l.corpus, l.sentence, transform(l.links, x -> x.source) AS source_list,
       transform(l.links, x -> x.target) AS target_list
FROM (SELECT a.corpus, a.sentence,
             array_sort(collect_list(named_struct('source', a.source, 'target', a.target))) AS links
      FROM alignments AS a WHERE a.source > 0 AND a.target > 0
      GROUP BY a.corpus, a.sentence) AS l
""",
    "tree_lists": """
SELECT l.corpus, l.sentence, transform(l.words, x -> x.form) AS form_list, transform(l.words, x -> x.head) AS head_list,
       transform(l.words, x -> x.relation) AS relation_list
FROM (SELECT w.corpus, w.sentence,
             array_sort(collect_list(named_struct('word', w.word, 'form', w.form, 'head', w.head,
                                                  'relation', coalesce(w.deprel, '_')))) AS words
      FROM words AS w WHERE w.head IS NOT NULL
      GROUP BY w.corpus, w.sentence) AS l
""",
}
"""Views with lists, in Spark's SQL: their rows are those of the views of the same names in schemas/."""
