"""Writers: one module per file format, tables in, files out.

A format is a module of this package with `SUFFIXES`, `KIND` (of the corpora that it writes, of catalog.kinds.KINDS)
and `write(engine, corpus, sentences, out)`, and is found by these constants; `OPTIONS` names further keyword parameters
of `write`, `ALSO_WRITES` further kinds of corpora that it converts. `parquet` differs: it writes all tables of several
corpora into a folder.
"""

from __future__ import annotations

from collections.abc import Mapping

from treesql.catalog.kinds import FileFormat, formats_in


def formats() -> Mapping[str, FileFormat]:
    """All formats that are written, by name: sorted by kind."""
    return formats_in(__path__[0])
