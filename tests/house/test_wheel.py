"""The built package: what it holds, and that it works from any folder."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = out.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_with_its_queries_and_schemas(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"treesql", "treesql-0.1.0.dist-info"}
    for folder in ("macros", "queries", "schemas"):
        expected = {f"treesql/{p.relative_to(ROOT)}" for p in (ROOT / folder).rglob("*.*") if p.is_file()}
        assert {name for name in names if name.startswith(f"treesql/{folder}/")} == expected
    assert "treesql/py.typed" in names


def test_the_package_index_shows_no_broken_link(wheel: Path) -> None:
    """The README is the description; without an address of the source, words stand in the place of links."""
    text = zipfile.ZipFile(wheel).read("treesql-0.1.0.dist-info/METADATA").decode().partition("\n\n")[2]
    assert "## Five examples" in text
    assert not re.findall(r"\]\((?!https?:)", text)
    for_index = runpy.run_path(str(ROOT / "hatch_build.py"))["for_package_index"]
    page = "![a tree](docs/a.svg) [pages](docs/index.md#a), [below](#b), [DuckDB](https://duckdb.org)"
    assert for_index(page, None, "v1") == " pages, below, [DuckDB](https://duckdb.org)"
    assert for_index(page, "https://example.org/x", "v1") == (
        "![a tree](https://example.org/x/raw/v1/docs/a.svg) [pages](https://example.org/x/blob/v1/docs/index.md#a), "
        "[below](https://example.org/x/blob/v1/README.md#b), [DuckDB](https://duckdb.org)"
    )


@pytest.mark.slow
def test_an_installed_wheel_works_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    """Unpacked where the checkout is out of sight."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "import treesql, treesql.catalog.header\nfrom treesql.cli import main\n"
        f"assert treesql.__file__.startswith({str(tmp_path)!r}), treesql.__file__\n"
        f"assert str(treesql.catalog.header.folder('queries')).startswith({str(tmp_path)!r})\n"
        f"main(['score', 'dependency', {str(FIXTURES / 'gold.conllu')!r}, {str(FIXTURES / 'parser-a.conllu')!r}])"
    )
    (tmp_path / "elsewhere").mkdir()
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path / "elsewhere", capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "83.33%" in run.stdout


def test_constraints_are_the_lower_bounds_of_the_dependencies() -> None:
    """`pip install -c tests/oldest.txt` installs the oldest versions that pyproject.toml allows."""
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    bounds = dict(one.split(">=") for one in dependencies)
    pinned = dict(re.findall(r"^([a-z0-9]+)==(.*)$", (ROOT / "tests" / "oldest.txt").read_text("utf-8"), re.MULTILINE))
    assert bounds.keys() == pinned.keys()
    for name, bound in bounds.items():
        assert f"{pinned[name]}.0.0".startswith(f"{bound}."), name
        assert set(pinned[name].removeprefix(bound)) <= {".", "0"}, name
