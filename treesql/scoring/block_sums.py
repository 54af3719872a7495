"""Counts over two files of the same text, summed block by block, so that memory does not grow with the files.

A block ends where sentences of both files end at the same character. A statistic takes the sums of counts from every
block, and these are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query
from treesql.engines import Engine
from treesql.errors import Warn
from treesql.readers import Options
from treesql.results.result import Result
from treesql.scoring import statistics, treebank_warnings, word_alignments
from treesql.scoring.audits import add_defaults, check_audit
from treesql.scoring.signatures import signature
from treesql.scoring.sql import with_clause
from treesql.storage import file_blocks, in_memory, loading
from treesql.storage.corpus_plans import CorpusFiles
from treesql.storage.loading import CorpusSummary


def score_blocks(
    gold: CorpusFiles, system: CorpusFiles, tables: Sequence[Query], options: Options, warn: Warn
) -> Result:
    """Return the rows of statistics of two corpora, computed with one block of their files in memory at a time.

    Raises what `sum_blocks` raises.
    """
    counted, summaries = sum_blocks(gold, system, tables, options, warn)
    values = {"gold_corpus": gold.corpus, "system_corpus": system.corpus}
    found, cited = [], {}
    with in_memory.connect_to_rows({}, options, frozenset()) as engine:
        for files, summary in zip((gold, system), summaries, strict=True):
            loading.write_records(engine, [(files, summary)], options)
        for query, totals in zip(tables, counted, strict=True):
            found.append(statistic_table(engine, query, totals))
            cited[query.name] = signature(engine, query, query.name, query.values(values), None)
    return Result(pa.concat_tables(found), cited, statistics.share_columns(tables[0]))


def sum_blocks(
    gold: CorpusFiles,
    system: CorpusFiles,
    tables: Sequence[Query],
    options: Options,
    warn: Warn,
) -> tuple[list[dict[str, int]], tuple[CorpusSummary, CorpusSummary]]:
    """Return for each statistic its counts for two corpora, summed over blocks, and summaries of the corpora.

    The audits of the statistics run on every block. Warns of files without enhanced edges where these are scored.
    Raises InvalidInput, Incomparable.
    """
    sides = [file_blocks.open_corpus(one, options) for one in (gold, system)]
    values = {"gold_corpus": gold.corpus, "system_corpus": system.corpus}
    queries = [catalog.query(statistic.sums or "") for statistic in tables]
    totals = [
        dict.fromkeys((one.name for one in query.columns if one.name in catalog.words(statistic.body)), 0)
        for query, statistic in zip(queries, tables, strict=True)
    ]
    audits = list({audit.name: audit for statistic in tables for audit in statistic.audit_queries}.values())
    expressions, names = catalog.expand_together([*queries, *audits])
    faults = " + ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) :])
    sums = [f"SELECT {', '.join(f'CAST(sum({one}) AS BIGINT) AS {one}' for one in total)}" for total in totals]
    joined = ", ".join(f"({one} FROM {name}) AS c{at}" for at, (one, name) in enumerate(zip(sums, names, strict=False)))
    columns = [f"c{at}.{column}" for at, total in enumerate(totals) for column in total]
    sql = f"{with_clause(expressions)}SELECT {faults}, {', '.join(columns)}\nFROM {joined}"
    whole = catalog.Statement((), sql)
    named = catalog.words_of_queries([*queries, *audits])
    edges = {request.corpus: [0, 0] for request in (gold, system)} if "enhanced_edges" in whole.identifiers else {}
    bound = whole.bind(add_defaults(audits, values))
    # Rows of feature_lists stay for later blocks: no query counts them.
    with in_memory.connect_to_rows({}, options, named) as engine:
        for block in file_blocks.blocks_of_text(sides):
            in_memory.register_block(engine, block, options)
            word_alignments.pair_block(engine, values)
            [(n_faults, *row)] = engine.rows(sql, bound)
            if n_faults:
                for audit in audits:
                    check_audit(engine, audit, values)
            for corpus, counts in edges.items():
                counted = treebank_warnings.count_enhanced_edges(engine, corpus)
                counts[:] = map(sum, zip(counts, counted, strict=True))
            found = iter(row)
            totals = [{name: value + (next(found) or 0) for name, value in total.items()} for total in totals]
            in_memory.unregister_rows(engine, block)
            del block  # free its memory before the next block is read
    for warning in file_blocks.distinct_warnings(sides):
        warn(warning)
    for corpus, counts in edges.items():
        for warning in treebank_warnings.find_uncompared_edges(corpus, *counts):
            warn(warning)
    [of_gold, of_system] = (side.summary() for side in sides)
    return totals, (of_gold, of_system)


def statistic_table(engine: Engine, query: Query, totals: Mapping[str, int]) -> pa.Table:
    """Return the rows of a statistic that is computed from sums."""
    literals = ", ".join(f"CAST({value} AS BIGINT) AS {name}" for name, value in totals.items())
    return engine.table(f"WITH {query.sums} AS (SELECT {literals})\n{query.body}")
