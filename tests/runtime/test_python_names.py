"""Names: parameters in messages, public names imported at first use, and packages that are missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import treesql
from tests.conftest import FIXTURES, Run
from tests.house.rules import in_turn
from treesql.errors import Diagnostic, issue, of_command_line, rename_options
from treesql.runtime import lazy_names
from treesql.runtime.failures import missing_package

RENAMED = {
    "name at least one reference: --reference FILE": "name at least one reference: reference=FILE",
    "choose one with --corpus NAME": "choose one with corpus=NAME",
    "load with --replace, or leave --min-count out": "load with replace=True, or leave min_count= out",
    "give --gold-base 0, --limit N.": "give gold_base=0, limit=N.",
    "read it with --from openfst; --reference-from text": "read it with format='openfst'; reference_format='text'",
    "name one with --from: conllu, penn": "name one with format=: conllu, penn",
    "name the format with --from if it is none": "name the format with format= if it is none",
    "--ids none reads them, add --measure bleu": "ids='none' reads them, add measure='bleu'",
    "name another file: -o OUT, or --to": "name another file: out=OUT, or to=",
    "raise --timeout (timeout= in Python)": "raise timeout=",
    "open it with --write (in Python without safe=True)": "open it without safe=True",
    "`treesql load --help` lists them; a-o, x--y and - stay": "`treesql load --help` lists them; a-o, x--y and - stay",
    "in 'he --and me' and \"--or you\" nothing is --strict": "in 'he --and me' and \"--or you\" nothing is strict=True",
    "/data/--out x.duckdb is gold's, --replace it's": "/data/--out x.duckdb is gold's, replace=True it's",
    "": "",
}
"""By message its words in Python."""


@in_turn("message", RENAMED)
def test_messages(message: str) -> None:
    assert rename_options(message) == RENAMED[message]
    assert rename_options(RENAMED[message]) == RENAMED[message], "what is renamed stays so"
    with of_command_line():
        assert rename_options(message) == message


def test_parameters_of_the_function() -> None:
    assert rename_options("--system a=A and --whole", {"systems": (), "whole": False}) == "systems='a=A' and whole=True"
    assert rename_options("--links-from and --tree-from", {"links_from": None}) == "links_from= and tree_format="


def test_names_and_paths_stay_as_they_were_given(tmp_path: Path) -> None:
    gold = FIXTURES / "gold.conllu"
    with pytest.raises(treesql.UnknownName, match="unknown column to group by '--ci'") as unknown:
        treesql.score("dependency", gold, gold, by="--ci")
    assert unknown.value.name == "--ci"
    with pytest.raises(treesql.DatabaseError, match=r"--out x\.duckdb: there is no such database"):
        treesql.connect(tmp_path / "--out x.duckdb", read_only=True)
    with pytest.warns(treesql.TreesqlWarning, match="^--from: what; leave strict=True out$"):
        issue(Diagnostic.warning("--from", 0, "what", "leave --strict out"))


def test_errors_and_warnings(run: Callable[..., Run], tmp_path: Path) -> None:
    """The same error in both: what is raised, warned of and returned."""
    gold = FIXTURES / "gold.conllu"
    with pytest.raises(treesql.UsageError, match=r"^name at least one reference: reference=FILE$"):
        treesql.lattices.oracle(FIXTURES / "lattices.plf")
    assert "reference: --reference FILE" in run("lattice", "oracle", FIXTURES / "lattices.plf").err
    (tmp_path / "trees.txt").write_bytes((FIXTURES / "gold.mrg").read_bytes())
    with pytest.raises(treesql.InvalidInput) as caught:
        treesql.load(tmp_path / "x.duckdb", tmp_path / "trees.txt", corpus="x", format="conllu")
    assert caught.value.faults[0].hint == "read it with format='penn'"
    assert "read it with --from penn" in run("check", tmp_path / "trees.txt", "--from", "conllu").err
    (tmp_path / "notes").write_text("some words\n")
    assert "name one with format=: conllu" in str(treesql.check(tmp_path / "notes"))
    assert "name one with --from: conllu" in run("check", tmp_path / "notes").err
    with treesql.connect() as db:
        db.load(gold, corpus="gold")
        with pytest.raises(treesql.UsageError, match="or load with replace=True"):
            db.load(gold, corpus="gold")
    assert str(Diagnostic.warning("--from", 0, "what", "leave --strict out")) == "--from: what; leave strict=True out"


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package with a name of `string`, and the module `string` itself."""
    made = ModuleType("made")
    monkeypatch.setitem(sys.modules, "made", made)
    made.__getattr__, made.__dir__ = lazy_names("made", {"string": ("digits",)}, {"text": "string"})  # type: ignore[method-assign]
    return made


def test_names_and_modules_are_found_and_kept(package: ModuleType) -> None:
    assert "digits" not in vars(package)
    assert package.digits == "0123456789"
    assert vars(package)["digits"] == package.digits
    assert package.text is sys.modules["string"]


def test_all_names_are_listed(package: ModuleType) -> None:
    assert {"digits", "text", "__name__"} <= set(dir(package))


def test_other_names_are_missing(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'made' has no attribute 'letters'"):
        _ = package.letters


INSTALL = "pip install x"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModuleNotFoundError("No module named 'sklearn'", name="sklearn"), "fitted by x: pip install x"),
        (ModuleNotFoundError("No module named 'sklearn.base'", name="sklearn.base"), "fitted by x: pip install x"),
        (ModuleNotFoundError("No module named 'scipy'", name="scipy"), "installed but cannot be imported (No module"),
        (ImportError("numpy.core failed\nmore lines"), "installed but cannot be imported (numpy.core failed); repair"),
    ],
)
def test_what_is_missing(error: ImportError, told: str) -> None:
    assert told in str(missing_package(error, ("sklearn",), "fitted by x", INSTALL))
