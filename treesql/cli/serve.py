"""treesql serve."""

from __future__ import annotations

import click

from treesql.errors import UsageError


@click.command()
@click.argument("db", type=click.Path())
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
              help="The port to listen on; 0 for any free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="The address to listen on; others than the loopback are seen by other machines.")  # fmt: skip
@click.option("--open", "open_", is_flag=True, help="Open the first page in a browser.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              metavar="SECONDS", help="Stop a request after this many seconds.")  # fmt: skip
@click.option("--memory", default="2GB", show_default=True, metavar="SIZE",
              help="Stop a request that needs more memory than this: 500MB, 2GB, 1GiB.")  # fmt: skip
def command(db: str, port: int, host: str, open_: bool, timeout: float, memory: str) -> None:
    """Serve pages of the database DB to a browser: corpora, search, sentences, scores, SQL.

    The pages need the extra treesql[web]. Every address has the same rows as JSON, CSV, TSV and Parquet. The database
    is opened for reading, and no other file is read. The server stops at Ctrl-C.
    """
    from treesql import process
    from treesql.web import serve

    try:
        process.check_size(memory)
    except UsageError as error:
        raise click.BadParameter(str(error), param_hint="--memory") from None
    serve(db, port=port, host=host, open=open_, timeout=timeout, memory=memory)
