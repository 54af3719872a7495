"""The web page: the same in a browser as on the command line. Its packages are the extra `treesql[web]`.

An address is answered by a process of its own with a safe read-only connection (`worker`), which calls the front door,
`treesql`, and renders what it returns (`site`, `pages`). The server (`server`) checks requests, passes them to workers
(`pool`), and stops these when a client leaves or a limit is hit.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from treesql.errors import UsageError

SECONDS = 60.0
"""Maximum number of seconds of a request, by default."""

MEMORY = "2GB"
"""Maximum memory of a request, by default."""


def serve(
    db: str | Path,
    *,
    port: int = 8000,
    host: str = "127.0.0.1",
    open: bool = False,
    timeout: float = SECONDS,
    memory: str | int = MEMORY,
) -> None:
    """Serve the pages of a database until the process is interrupted.

    db: a database, or a folder of Parquet. port: 0 for any free one. host: the address to listen on; others than the
    loopback are seen by other machines. open: whether to open the first page in a browser. timeout: maximum number of
    seconds of a request; memory: its maximum memory, in bytes or as `500MB`, `2GB`. Raises UsageError, DatabaseError.
    """
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(f"treesql serve needs {', '.join(missing)}; pip install 'treesql[web]'")
    from treesql.web import server

    server.run(str(db), port=port, host=host, show=open, seconds=timeout, memory=memory)
