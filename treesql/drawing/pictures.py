"""SVG documents as PNG and PDF files, by resvg and svg2pdf (vl-convert, from the extra `treesql[charts]`).

Texts use the fonts of this machine, and Liberation Sans, which comes with vl-convert; characters that no font has are
boxes.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

from treesql.errors import UsageError
from treesql.results.tables import PICTURES, format_by_ending, open_whole
from treesql.runtime.failures import convert_errors, missing_package

SCALE = 2.0
"""Pixels of a PNG for each pixel of the SVG document: 192 of an inch."""

MAX_PIXELS = 100_000_000
"""Maximum number of pixels of a PNG, of four bytes each in memory. The converter aborts the process for want of it."""

_LENGTH = r'\b{}="([\d.]+)(px|pt)?"'
_PIXELS_OF_UNIT = {None: 1.0, "px": 1.0, "pt": 4 / 3}


@convert_errors
def png(svg: str, *, scale: float = SCALE) -> bytes:
    """Return an SVG document of treesql as a PNG file on white. The same document and fonts give the same bytes.

    scale: pixels for each pixel of the document. Raises UsageError if there are more than MAX_PIXELS, or the extra
    `treesql[charts]` is not installed.
    """
    converter = _converter()
    head = re.search(r"<svg\b[^>]*>", svg)
    if head is None:
        raise UsageError("this is not an SVG document; give what `svg()` returns")
    across, down = (round(scale * _pixels(head[0], side)) for side in ("width", "height"))
    if across * down > MAX_PIXELS:
        size = f"a PNG of {across:,} by {down:,} pixels is larger than {MAX_PIXELS:,} pixels"
        raise UsageError(f"{size}; choose .svg or .pdf, or draw less")
    on_white = f'{head[0]}<rect width="100%" height="100%" fill="white"/>'
    return _convert(converter.svg_to_png, svg[: head.start()] + on_white + svg[head.end() :], scale)


@convert_errors
def pdf(svg: str) -> bytes:
    """Return an SVG document of treesql as a PDF file of one page, without a date; its texts can be selected.

    Its objects are in the order of a hash table of the converter, so that bytes differ between calls. Raises
    UsageError if the extra `treesql[charts]` is not installed.
    """
    return _convert(_converter().svg_to_pdf, svg, 1.0)


@convert_errors
def write(svg: str, out: str | Path) -> None:
    """Write an SVG document of treesql to a file, whole or not at all: as it is, as PNG or as PDF.

    out: the path, whose ending determines the format: .svg, .png or .pdf, SVG if it has none. Raises UsageError.
    """
    form = format_by_ending(out, PICTURES)
    content = png(svg) if form == "png" else pdf(svg) if form == "pdf" else svg.encode()
    with open_whole(out) as file:
        file.write(content)


@convert_errors
def check_format(out: str | Path) -> None:
    """Raise UsageError if pictures cannot be written to this file: for its ending, or as the extra is missing."""
    if format_by_ending(out, PICTURES) not in (None, "svg"):
        _converter()


def _pixels(head: str, side: str) -> float:
    match = re.search(_LENGTH.format(side), head)
    if match is None:
        raise UsageError(f"this SVG document has no {side} in pixels; give what `svg()` returns")
    return float(match[1]) * _PIXELS_OF_UNIT[match[2]]


def _convert(convert: object, svg: str, scale: float) -> bytes:
    assert callable(convert)
    try:
        return bytes(convert(svg, scale=scale))
    except RuntimeError as error:  # its message ends with a trace of the library
        raise UsageError(f"this picture cannot be converted ({str(error).splitlines()[0]}); choose .svg") from None


def _converter() -> ModuleType:
    """Return the library. Raises UsageError."""
    try:
        import vl_convert
    except ImportError as error:
        use, install = "PNG and PDF files are made by vl-convert", "pip install 'treesql[charts]'"
        raise missing_package(error, ("vl_convert",), use, install) from None
    return vl_convert
