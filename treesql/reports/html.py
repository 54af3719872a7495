"""Write results to a folder of Parquet, CSV and SVG files with one self-contained HTML page, whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from treesql._version import __version__
from treesql.errors import UsageError
from treesql.results.result import Result
from treesql.runtime import atomic_files

PAGE = "report.html"

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2 { line-height: 1.2; }
section { margin: 3rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.6rem; border-bottom: 1px solid #ddd; text-align: left; }
thead th { border-bottom: 2px solid #888; }
tbody th { font-weight: normal; }
figure, .wide { margin: 1rem 0; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
code { font-size: 0.75rem; overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class Exhibit:
    """A table of a report, and its picture.

    name: of its files; text: the meaning and computation of the table; limit: maximum number of rows on the page.
    """

    name: str
    title: str
    text: str
    result: Result
    svg: str | None = None
    limit: int | None = None


def write_report(
    folder: Path,
    title: str,
    exhibits: Sequence[Exhibit],
    provenance: Mapping[str, Sequence[str]],
    summary: str = "",
) -> list[Path]:
    """Write NAME.parquet, NAME.csv and NAME.svg for every exhibit, and report.html; returns the files.

    provenance: headings and lines for the end of the page. Raises UsageError if the folder cannot be made.
    """
    from pyarrow import csv, parquet

    check_free(folder)
    with atomic_files.write_whole(folder) as made:
        made.mkdir()
        for exhibit in exhibits:
            table, path = exhibit.result.arrow(), made / exhibit.name
            signature = {"signature": exhibit.result.signature} if exhibit.result.signatures else {}
            signed = table.replace_schema_metadata({"treesql": __version__, **signature})
            parquet.write_table(signed, path.with_suffix(".parquet"), compression="zstd")
            csv.write_csv(table, path.with_suffix(".csv"), csv.WriteOptions(quoting_style="needed"))
            if exhibit.svg is not None:
                path.with_suffix(".svg").write_text(exhibit.svg, "utf-8")
        (made / PAGE).write_text(page(title, exhibits, provenance, summary), "utf-8")
        written = sorted(folder / file.name for file in made.iterdir())
    return written


def check_free(folder: Path) -> None:
    """Raises UsageError if the folder is not empty or cannot be made, or a file has its name."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty; remove it, or name another folder")
    if not folder.resolve().parent.is_dir():
        raise UsageError(f"{folder}: there is no folder {folder.resolve().parent}; make it, or name another place")


def page(title: str, exhibits: Sequence[Exhibit], provenance: Mapping[str, Sequence[str]], summary: str = "") -> str:
    """One self-contained HTML page."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        f'<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>',
        f"<body>\n<h1>{escape(title)}</h1>",
    ]
    if summary:
        parts.append(f"<p>{escape(summary)}</p>")
    for exhibit in exhibits:
        parts.append(f'<section id="{escape(exhibit.name)}">\n<h2>{escape(exhibit.title)}</h2>')
        parts.append(f"<p>{escape(exhibit.text)}</p>")
        if exhibit.svg is not None:
            parts.append(f"<figure>\n{_inline(exhibit.svg, exhibit.name)}\n</figure>")
        shown = exhibit.result if exhibit.limit is None else exhibit.result.head(exhibit.limit)
        parts.append(f'<div class="wide">{shown.html()}</div>')
        if len(shown) < len(exhibit.result):
            parts.append(f"<p>{len(exhibit.result) - len(shown)} more rows: {escape(exhibit.name)}.csv</p>")
        parts.append("</section>")
    parts.append('<section id="provenance">\n<h2>What this was computed from</h2>')
    for heading, lines in provenance.items():
        items = "\n".join(f"<li><code>{escape(line)}</code></li>" for line in lines)
        parts.append(f"<h3>{escape(heading)}</h3>\n<ul>\n{items}\n</ul>")
    return "\n".join([*parts, "</section>\n</body>\n</html>\n"])


def _inline(svg: str, name: str) -> str:
    """A drawing to embed in a page: a prefix makes its ids unique."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
