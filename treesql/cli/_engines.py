"""The options that choose where the queries of a command run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treesql.cli._options import Command
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql import Database

SPARK = "spark"


def engine_options(command: Command) -> Command:
    """`--engine` and `--master`."""
    engine = click.option(
        "--engine", type=click.Choice(["duckdb", SPARK]), default="duckdb",
        help="What runs the queries. spark: Apache Spark, on a folder of Parquet.  [default: duckdb]",
    )  # fmt: skip
    master = click.option(
        "--master", metavar="URL",
        help="With --engine spark: local[4], spark://host:7077 or another.  [default: spark-submit's, or local[*]]",
    )  # fmt: skip
    return engine(master(command))


def check_engine(engine: str, master: str | None) -> bool:
    """Whether queries run on Spark. Raises UsageError for an address without it."""
    if master is not None and engine != SPARK:
        raise UsageError("--master is the address of a Spark cluster; add --engine spark")
    return engine == SPARK


def connect_to_spark(db: str | None, master: str | None, *, existing: bool = True, **how: Any) -> Database:
    """The database of a folder on Spark. existing: whether it has to exist. Raises UsageError without a folder."""
    import treesql

    if db is None:
        raise UsageError("--engine spark reads a folder of Parquet: name it by --db, and corpora in place of files")
    return treesql.connect(db, spark=master or "", existing=existing, **how)
