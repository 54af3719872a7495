"""Findings of checks that a maintainer has accepted: a list of them, which leaves them out of the next check."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from treesql.errors import Diagnostic, InvalidInput, UsageError, issue, why_unreadable
from treesql.readers.fields import Faults
from treesql.results.result import Result
from treesql.results.tables import open_whole, write_tsv

ALL_CHECKS = "all_checks"
"""The statistic whose rows are findings."""

KEY = ("name", "sent_id", "word", "form")
"""The columns by which a finding is known again, in whatever file and order its sentence stands."""

_WRITTEN = (*KEY, "what")


def check_files(accepted: str | Path | None, accept: str | Path | None) -> None:
    """Raise UsageError if the list of accepted findings would be replaced by the others."""
    if accepted is not None and accept is not None and Path(accepted).resolve() == Path(accept).resolve():
        raise UsageError(f"--accept would replace the rows of {accept}, which are accepted; name another file for it")


def leave_out_accepted(findings: Result, path: str | Path) -> Result:
    """Return the findings that are not in a file. Warns of those of the file that are no findings any more.

    path: tab-separated values with the columns of KEY and any others, as `write_accepted` and `-o FILE.tsv` write them;
    lines that begin with # are comments. Raises InvalidInput.
    """
    accepted = _read(str(path))
    keys = list(_keys(findings))
    found = set(keys)
    if gone := [line for key, line in accepted.items() if key not in found]:
        what = f"{len(gone)} accepted row{'s' if len(gone) > 1 else ''} no longer occur{'' if len(gone) > 1 else 's'}"
        issue(Diagnostic.warning(str(path), min(gone), what, "delete what is mended"))
    left = pa.array([key not in accepted for key in keys], pa.bool_())
    return replace(findings, _table=findings.arrow().filter(left))


def write_accepted(findings: Result, path: str | Path) -> None:
    """Write findings to a file that `leave_out_accepted` reads. Raises UsageError."""
    with open_whole(path) as file:
        file.write(_as_tsv(findings, _WRITTEN))


def _as_tsv(findings: Result, columns: tuple[str, ...]) -> bytes:
    lines = io.BytesIO()
    rows = findings.arrow().select(list(columns))
    write_tsv(rows.schema, [rows], lines)
    return lines.getvalue()


def _keys(findings: Result) -> Iterator[str]:
    """Yield the key of every finding as it is written."""
    yield from _as_tsv(findings, KEY).decode().split("\n")[1:-1]


def _read(path: str) -> Mapping[str, int]:
    """Return the keys of a file with their lines. Raises InvalidInput."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise InvalidInput([Diagnostic.error(path, 0, why_unreadable(error), "name a file that can be read")]) from None
    except UnicodeDecodeError:
        raise InvalidInput([Diagnostic.error(path, 0, "this file is not UTF-8", "save it as UTF-8")]) from None
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
    cells = [(number, line.split("\t")) for number, line in lines if line and not line.startswith("#")]
    faults, keys = Faults(path), dict[str, int]()
    heads = cells[0][1] if cells else []
    if missing := [name for name in KEY if name not in heads]:
        number = cells[0][0] if cells else 0
        hint = f"begin with a line of {', '.join(_WRITTEN)}, with tabs between, as --accept writes it"
        faults.add(number, f"the columns {', '.join(missing)} are missing", hint)
    places = [heads.index(name) for name in KEY if name in heads]
    for number, values in cells[1:] if not missing else ():
        if len(values) != len(heads):
            faults.add(
                number, f"this line has {len(values)} cells, and the first {len(heads)}", "write a cell for each"
            )
            continue
        keys.setdefault("\t".join(values[place] for place in places), number)
    faults.raise_any()
    return keys
