"""treesql info."""

from __future__ import annotations

import click

from treesql.cli._output import output_options, print_result

CORPORA = """
SELECT c.corpus, c.kind, c.treebank, c.language, c.format, c.n_sentences AS sentences, c.n_words AS words,
       len(c.files) AS files, left(c.sha256, 12) AS sha256, c.treesql_version AS treesql,
       strftime(c.loaded_at, '%Y-%m-%d %H:%M') AS loaded
FROM corpora AS c ORDER BY c.loaded_at, c.corpus
"""


@click.command()
@click.argument("db", type=click.Path())
@output_options
def command(db: str, form: str | None, out: str | None) -> None:
    """List the corpora of the database DB: sizes, files, origin."""
    import treesql

    with treesql.connect(db, read_only=True) as database:
        print_result(database.sql(CORPORA), form, out)
