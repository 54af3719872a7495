"""SVG documents as PNG and PDF."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.extras import require_extra
from treesql.drawing import charts
from treesql.drawing.dependencies import Tree
from treesql.errors import UsageError

TREE = Tree(["Ann", "drinks"], [2, 0], ["nsubj", "root"]).svg(standalone=True)
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="3"></svg>'


def size(png: bytes) -> tuple[int, int]:
    """Width and height, from the first chunk of a PNG file."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])  # type: ignore[return-value]


@pytest.fixture
def converter() -> None:
    require_extra("charts")


@pytest.mark.usefixtures("converter")
def test_png_and_pdf() -> None:
    for svg in (TREE, charts.bars([("a<b", 0.2, "x")], title="Bars & <more>", value="v", groups=["x"])):
        small, large = treesql.drawing.png(svg, scale=1), treesql.drawing.png(svg)
        assert all(abs(2 * one - two) <= 1 for one, two in zip(size(small), size(large), strict=True))
        assert large == treesql.drawing.png(svg)
        pdf = treesql.drawing.pdf(svg)
        assert pdf.startswith(b"%PDF-")
        assert pdf.rstrip().endswith(b"%%EOF")
        assert b"Date" not in pdf


@pytest.mark.usefixtures("converter")
def test_points_are_not_pixels() -> None:
    assert size(treesql.drawing.png(EMPTY.format("10"), scale=3)) == (30, 9)
    assert size(treesql.drawing.png(EMPTY.format("9pt"), scale=1)) == (12, 3)


@pytest.mark.usefixtures("converter")
def test_a_png_is_on_white() -> None:
    import io

    from matplotlib import image

    pixels = image.imread(io.BytesIO(treesql.drawing.png(EMPTY.format("4"))))
    assert pixels.min() == 1.0


@pytest.mark.usefixtures("converter")
@pytest.mark.parametrize(
    ("svg", "message"),
    [
        ("", "this is not an SVG document"),
        ("<svg>", "no width in pixels"),
        (EMPTY.format("100000000"), "200,000,000 by 6 pixels is larger than 100,000,000 pixels; choose .svg or .pdf"),
        (EMPTY.format("4").replace("</svg>", "<"), "this picture cannot be converted"),
    ],
)
def test_what_no_png_is_made_of(svg: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        treesql.drawing.png(svg)


@pytest.mark.usefixtures("converter")
def test_files(tmp_path: Path) -> None:
    for name, start in (("a.svg", b"<svg"), ("a.PNG", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a", b"<svg")):
        treesql.drawing.write(TREE, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    with pytest.raises(
        UsageError, match=r"nothing is written as \.jpg; name a file that ends in \.svg, \.png or \.pdf"
    ):
        treesql.drawing.write(TREE, tmp_path / "a.jpg")
    assert len(list(tmp_path.iterdir())) == 4


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for call in (treesql.drawing.png, treesql.drawing.pdf):
        with pytest.raises(UsageError, match=r"vl-convert: pip install 'treesql\[charts\]'"):
            call(TREE)
    with pytest.raises(UsageError, match="pip install"):
        treesql.drawing.check_format(tmp_path / "a.pdf")
    treesql.drawing.check_format(tmp_path / "a.svg")
    treesql.drawing.write(treesql.show(FIXTURES / "gold.conllu", "tea").svg(), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").exists()
