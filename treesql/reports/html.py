"""Pages of studies: exhibits in the frame of all reports, with their tables and pictures as files beside the page."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from treesql._version import __version__
from treesql.drawing import charts
from treesql.drawing.measures import xml
from treesql.drawing.svg import as_element
from treesql.drawing.whiskers import Scale
from treesql.errors import UsageError
from treesql.reports.score_charts import Panel, looks_of
from treesql.results import pages
from treesql.results.pages import Figure
from treesql.results.result import Result
from treesql.results.tables import format_by_ending
from treesql.runtime import atomic_files

_TITLE = re.compile(rf'<g id="{charts.TITLE}">.*?>([^<>]+)</text>\s*</g>', re.DOTALL)

PAGE = "report.html"
"""Name of a page in a folder."""

ENDINGS = {".html": "html", ".htm": "html"}
"""Endings of the files of pages."""

ANSWER, SCORES, DIFFERENCES = PARTS = ("answer", "scores", "differences")
"""Parts of a page that exhibits belong to; they have the ids and titles that evaluations have."""

TITLES = {ANSWER: "Answer", SCORES: "Scores", DIFFERENCES: "Where they differ"}

PROVENANCE = {"how": "How this was computed"}
"""The last part of a page, and its title."""

MAX_COPIED = 200
"""Maximum number of rows of a table to copy; the files have all."""


MAX_ROWS = 8
"""Maximum number of rows of a table that is not folded."""

MAX_COLUMNS_BESIDE = 4
"""Maximum number of columns of a table that has another beside it."""

MAX_CHARTS = 4
"""Maximum number of charts of an exhibit that are not folded."""

MAX_WIDTH = 480
"""Maximum width of a chart that shrinks on narrow pages, in points; a wider one, whose letters would be too small,
scrolls."""


@dataclass(frozen=True)
class StudyAnswer:
    """What a page says first: its heading, and whether one may conclude it, in sentences. Its pictures are the exhibits
    of that part."""

    heading: str
    sentences: Sequence[str] = ()


class Lanes(NamedTuple):
    """A chart of lanes in place of a picture. names: of its marks, in their order."""

    names: Sequence[str]
    panel: Panel
    scale: Scale | None

    @property
    def looks(self) -> set[str]:
        """The looks of marks that a legend explains."""
        return looks_of(self.panel.lanes)


@dataclass(frozen=True)
class Exhibit:
    """A table of a report, and its picture.

    name: of its files; text: the meaning and computation of the table; limit: maximum number of rows on the page;
    part: of the page, one of PARTS; words: what the table says, a line each; lanes: what the page shows instead of the
    picture; group: exhibits that are folded together, by the line that they are folded under.
    """

    name: str
    title: str
    text: str
    result: Result
    svg: str | None = None
    limit: int | None = None
    part: str = SCORES
    words: Sequence[str] = ()
    lanes: Lanes | None = None
    group: str = ""

    @property
    def figures(self) -> list[Figure]:
        """The picture, or its panels, as elements of a page, whose style sheet has the colours of their lines."""
        return [self._figure(panel) for panel in charts.panels_of(self.svg)] if self.svg and not self.lanes else []

    @property
    def is_wide(self) -> bool:
        """Whether no other exhibit has room beside it."""
        if self.figures:
            return len(self.figures) > 1 or self.figures[0].scrolls
        return not self.is_folded and len(self.shown.columns) > MAX_COLUMNS_BESIDE

    @property
    def is_folded(self) -> bool:
        """Whether the table is folded: below a picture, and where it is long."""
        return bool(self.svg or self.lanes) or len(self.shown) > MAX_ROWS

    def _figure(self, panel: str) -> Figure:
        title = _TITLE.search(panel)
        if title is not None and xml(self.title).startswith(title[1]):  # the page has it as a heading
            panel = panel.replace(title[0], "")
        width = re.search(r' width="([\d.]+)pt"', panel)
        element = as_element(panel, f"{self.name}-")
        for number, (light, _) in enumerate(pages.PALETTE, 1):
            element = element.replace(light, f"var(--s{number}, {light})")
        return Figure(svg=element, scrolls=width is not None and float(width[1]) > MAX_WIDTH)

    @property
    def shown(self) -> Result:
        """The rows on the page."""
        return self.result if self.limit is None else self.result.head(self.limit)

    @property
    def is_copied(self) -> bool:
        """Whether the page has the table as text to copy."""
        return len(self.shown) <= MAX_COPIED


def write_report(
    out: Path,
    title: str,
    exhibits: Sequence[Exhibit],
    provenance: Mapping[str, Sequence[str]],
    summary: str = "",
    data: Path | None = None,
    answer: StudyAnswer | None = None,
) -> list[Path]:
    """Write a page of exhibits with their tables and pictures, as `write_files` does.

    provenance: headings and lines for the end of the page. answer: its heading; the title if omitted.
    """
    tables = {exhibit.name: exhibit.result for exhibit in exhibits}
    pictures = {exhibit.name: exhibit.svg for exhibit in exhibits if exhibit.svg is not None}
    with_data = data is not None or not _is_page(out)
    return write_files(out, page(title, exhibits, provenance, summary, answer, with_data), tables, pictures, data)


def write_files(
    out: Path, text: str, tables: Mapping[str, Result], pictures: Mapping[str, str], data: Path | None = None
) -> list[Path]:
    """Write a page, NAME.parquet and NAME.csv of tables, NAME.svg of pictures, whole or not at all; return the files.

    out: a file that ends in .html, with `data` as the new folder of the others, or none of them without it; or a new
    folder for all, with report.html. Raises UsageError if a place cannot be written.
    """
    check_place(out, data)
    is_page = _is_page(out)
    place, files = data if is_page else out, list[Path]()
    with ExitStack() as stack:
        if place is not None:
            folder = stack.enter_context(atomic_files.write_whole(place, final=not is_page))
            folder.mkdir()
            for name, table in tables.items():
                write_table(table, folder / name)
            for name, svg in pictures.items():
                (folder / f"{name}.svg").write_text(svg, "utf-8")
            if not is_page:
                (folder / PAGE).write_text(text, "utf-8")
            files += sorted(place / file.name for file in folder.iterdir())
        if is_page:
            made = stack.enter_context(atomic_files.write_whole(out))
            made.write_text(text, "utf-8")
            files.append(out)
    return files


def check_place(out: Path, data: Path | None = None) -> None:
    """Raise UsageError for a place that `write_report` cannot write to."""
    if _is_page(out):
        check_page_place(out, data)
    elif data is not None:
        raise UsageError(
            f"the folder {out} receives the data as well; name a page that ends in .html, or leave out data"
        )
    else:
        check_free(out)


def check_page_place(out: Path, data: Path | None = None) -> None:
    """Raise UsageError for a page that is not HTML or cannot be made, and a folder of data that exists."""
    if format_by_ending(out, ENDINGS) is None:
        raise UsageError(f"{out}: a report is a page; name a file that ends in .html")
    folder = out.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"{out}: there is no folder {folder}; make it, or name another place")
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name a file that ends in .html")
    if data is not None:
        check_free(data)


def check_free(folder: Path) -> None:
    """Raises UsageError if the folder is not empty or cannot be made, or a file has its name."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty; remove it, or name another folder")
    if not folder.resolve().parent.is_dir():
        raise UsageError(f"{folder}: there is no folder {folder.resolve().parent}; make it, or name another place")


def page(
    title: str,
    exhibits: Sequence[Exhibit],
    provenance: Mapping[str, Sequence[str]],
    summary: str = "",
    answer: StudyAnswer | None = None,
    with_data: bool = False,
) -> str:
    """One self-contained HTML page with the look and the parts of an evaluation's. with_data: whether files of the
    tables are written as well, which have the rows that the page has not."""
    sections = {part: TITLES[part] for part in PARTS if any(exhibit.part == part for exhibit in exhibits)}
    return pages.render(
        "study.html", title=title, summary=summary, sections=sections | PROVENANCE, exhibits=exhibits, how=provenance,
        answer=answer or StudyAnswer(title), most_charts=MAX_CHARTS, with_data=with_data,
    )  # fmt: skip


def versions(*engines: str) -> list[str]:
    """What a page was computed with: treesql, engines, each with its version, and Python."""
    return [f"treesql {__version__}", *engines, f"Python {platform.python_version()}"]


def command_line(words: Iterable[str], options: Mapping[str, object]) -> str:
    """A command line. options: by name without dashes, a value, several, or whether it is set; empty ones are left out.

    A tuple of numbers is one value of several words.
    """
    command = list(words)
    for name, value in options.items():
        command += _written(name if name.startswith("-") else f"--{name}", value)
    return " ".join(map(_quoted, command))


def is_given(value: object) -> bool:
    """Whether an option has a value: False is that of a flag that is not set."""
    return not (value is None or value is False or value in ((), [], ""))


def _quoted(word: str) -> str:
    """A word of a shell command; one with single quotes, as SQL has them, in double quotes where that is the same."""
    return f'"{word}"' if "'" in word and not {*'"$`\\!'} & {*word} else shlex.quote(word)


def _written(option: str, value: object) -> Iterator[str]:
    if not is_given(value):
        return
    if isinstance(value, list):
        for item in value:
            yield from _written(option, item)
        return
    yield option
    if isinstance(value, tuple):
        yield from map(str, value)
    elif value is not True:
        yield str(value)


def _is_page(out: Path) -> bool:
    return out.suffix.lower() in ENDINGS


def write_table(table: Result, path: Path) -> None:
    """Write a table as Parquet with its signature, and as CSV, where lists have blanks between their elements."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    signed = {"treesql": __version__} | ({"signature": table.signature} if table.signatures else {})
    rows = table.arrow()
    parquet.write_table(rows.replace_schema_metadata(signed), f"{path}.parquet", compression="zstd")
    lists = [name for name, kind in zip(rows.column_names, rows.schema.types, strict=True) if pa.types.is_list(kind)]
    for name in lists:
        texts = pa.array([" ".join(map(str, items or ())) for items in rows[name].to_pylist()], pa.string())
        rows = rows.set_column(rows.schema.get_field_index(name), name, texts)
    csv.write_csv(rows, f"{path}.csv", csv.WriteOptions(quoting_style="needed"))
