"""What tests share: the worked examples of fixtures/, loaded."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import hypothesis
import pytest

import treesql
from tests import both_ways
from tests.house import rules
from treesql.cli import main
from treesql.errors import DatabaseError
from treesql.kernels import compiling

# Of what each test does not say itself; deadlines would measure the machine.
hypothesis.settings.register_profile("usual", max_examples=15, deadline=None)
hypothesis.settings.register_profile("many", max_examples=500, deadline=None)
hypothesis.settings.load_profile("usual")

ROOT = Path(__file__).parent.parent


def thorough_but(values: Iterable[Any], *kept: object) -> list[Any]:
    """Values of a parameter, or tuples of several, of which only those that are kept run without `-m thorough`."""
    by_hand = pytest.mark.thorough
    return [
        one if one in kept else pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=by_hand)
        for one in values
    ]


FIXTURES = ROOT / "fixtures"

ALIKE = frozenset({
    "hypotheses.txt", "hypothesis.conllu", "lattices-2.txt", "links-a.pharaoh", "parser-a.conllu", "parser-b.conllu",
    "reference.conllu", "test.mrg",
})  # fmt: skip
"""Fixtures that have no line or column of another kind than the first fixture of their format."""


LONGEST = (
    "tests/storage/test_precompiling.py",  # compiles all kernels, which the others find
    "tests/evaluation/test_repeated_calls.py",
    "tests/engines/test_spark.py",
    "tests/house/test_site.py",
    "tests/house/test_documentation.py",
    "tests/house/test_notebook.py",
    "tests/web/test_server.py",
    "tests/web/test_in_browser.py",
    "tests/web/test_kept_answers.py",
)
"""Files that processes are given first, so that none has a long one left when the others have nothing more to do, and
what waits for servers and browsers has others beside it."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `spread` leaves out of a test's values, before pytest deselects by marks: the same in every run of a
    file, in whatever order tests were put."""
    places = {file: at for at, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
    seen: Counter[str] = Counter()
    for item in sorted(items, key=lambda item: item.nodeid):
        spread = item.get_closest_marker("spread")
        if spread is not None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % spread.args[0]:
                item.add_marker(spread.kwargs.get("rest", "thorough"))
            seen[test] += 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Collect no garbage while tests are collected: next to nothing of what they are made of is.

    Processes that collect all tests at the same time import their modules first, each beginning with others, so that
    not all of them compile the same one, which each finds compiled later.
    """
    gc.disable()
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    first = int(worker["workerid"].removeprefix("gw")) * len(files) // worker["workercount"]
    for file in files[first:] + files[:first]:
        with suppress(Exception, pytest.skip.Exception):  # which collection meets again
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of every garbage collection: they stay, and are most of all objects."""
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say how kernels run, and what is checked beside every n-th value."""
    parser.addoption(
        "--kernels",
        choices=("interpreted", "both"),
        default="interpreted",
        help="how kernels run in tests that are neither slow nor compiled: both compares the two ways, call by call",
    )
    parser.addoption(
        "--check",
        action="append",
        default=[],
        metavar="NAME",
        help="check what has this name, such as a query, by all rules that by default are tried on every n-th",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Compare both ways of every call of a kernel, if that is asked for; otherwise note what is compiled. Note what is
    to be checked, before modules of tests are imported."""
    rules.ALWAYS_CHECKED.update(config.getoption("--check"))
    if config.getoption("--kernels") == "both":
        compiling.Kernel.__call__ = both_ways.call  # type: ignore[method-assign]
    else:
        compiling.Kernel.call_compiled = both_ways.note_compiled  # type: ignore[method-assign]
    compiling._room_like = both_ways.filled_room


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Interpret kernels, whose inputs in most tests are smaller than what is worth compiling; compile those of tests
    that are marked as compiled, and of the processes that they start. In slow tests treesql decides, as in a process
    of its own."""
    if any(item.get_closest_marker(mark) for mark in ("compiled", "thorough")):
        os.environ[compiling.INTERPRETED_SECONDS] = "0"
    elif item.get_closest_marker("slow"):
        os.environ.pop(compiling.INTERPRETED_SECONDS, None)
    else:
        os.environ[compiling.INTERPRETED_SECONDS] = "inf"
    compiling.Kernel.limit, compiling.Kernel.spent = compiling.read_limit(), 0.0
    both_ways.compiled.clear()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Fail a test in which a kernel differed, whatever the statement of SQL that called it made of that, or in which
    one was compiled that need not be."""
    differences, both_ways.differences[:] = list(both_ways.differences), []
    if both_ways.compiled and not _compiles(item):
        differences.append(f"compiled in a test without a mark that says so: {', '.join(sorted(both_ways.compiled))}")
    if differences:
        pytest.fail("\n".join(differences))


def _compiles(item: pytest.Item) -> bool:
    """Whether a test has inputs that are worth compiling kernels for."""
    return any(item.get_closest_marker(mark) for mark in ("slow", "compiled", "thorough"))


@pytest.fixture(scope="session")
def examples() -> Iterator[treesql.Database]:
    """A database with corpora of fixtures/, for reading only.

    gold, parser-a and parser-b; gold parses and test parses; the alignments links and links-a of gold with itself;
    reference and hypothesis and their alignment; lattices, n-best lists, the texts references, references-2 and
    hypotheses.
    """
    with treesql.connect() as db:
        for corpus in ("gold", "parser-a", "parser-b", "reference", "hypothesis"):
            db.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        for side in ("gold", "test"):
            db.load(FIXTURES / f"{side}.mrg", corpus=f"{side} parses")
        for corpus in ("links", "links-a"):
            db.load(FIXTURES / f"{corpus}.pharaoh", corpus=corpus, source_corpus="gold", target_corpus="gold")
        db.load(FIXTURES / "reference-hypothesis.align", corpus="reference-hypothesis")
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(FIXTURES / "lists.nbest", corpus="lists")
        for corpus, name in {
            "references": "lattices",
            "references-2": "lattices-2",
            "hypotheses": "hypotheses",
        }.items():
            db.load(FIXTURES / f"{name}.txt", corpus=corpus)
        yield db


@pytest.fixture(scope="session")
def gold_and_parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with gold and parser-a, to be copied."""
    path = tmp_path_factory.mktemp("made") / "t.duckdb"
    with treesql.connect(path) as made:
        for corpus in ("gold", "parser-a"):
            made.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
    return path


@pytest.fixture(scope="session")
def gold_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with gold, to be copied."""
    path = tmp_path_factory.mktemp("made") / "t.duckdb"
    with treesql.connect(path) as made:
        made.load(FIXTURES / "gold.conllu", corpus="gold")
    return path


@pytest.fixture
def gold_database(gold_alone: Path, tmp_path: Path) -> Path:
    """A database file with the corpus gold, for the test alone."""
    return Path(shutil.copy(gold_alone, tmp_path / "t.duckdb"))


@pytest.fixture
def long_sentence(tmp_path: Path) -> Path:
    """A file with a sentence in which a request for eight words matches more often than can be counted."""
    (tmp_path / "long.conllu").write_bytes(conllu(" ".join(f"a:{position}:dep" for position in range(40))))
    return tmp_path / "long.conllu"


@pytest.fixture
def db() -> Iterator[treesql.Database]:
    """An empty database in memory."""
    with treesql.connect() as empty:
        yield empty


@pytest.fixture
def treebank_folders(tmp_path: Path) -> tuple[str, str]:
    """A folder of gold treebanks and one of a parser's outputs."""
    from tests.treebanks.folders import put_folders  # which imports this module

    return put_folders(tmp_path)


class Run(NamedTuple):
    """What a command line has left: its exit code, standard output and standard error."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run a command line in this process."""

    def call(*arguments: object) -> Run:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        return Run(int(end.value.code or 0), *capfd.readouterr())

    return call


def conllu(*sentences: str) -> bytes:
    """CoNLL-U from sentences like `The:2:det cat:3:nsubj sat:0:root`: form, head, relation (and upos)."""
    lines = []
    for sentence in sentences:
        for position, word in enumerate(sentence.split(), 1):
            form, head, deprel, *upos = word.split(":")
            lines.append(f"{position}\t{form}\t_\t{upos[0] if upos else '_'}\t_\t_\t{head}\t{deprel}\t_\t_\n")
        lines.append("\n")
    return "".join(lines).encode()


@contextmanager
def heard() -> Iterator[list[str]]:
    """The warnings of treesql that the body causes, complete when it ends."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", treesql.TreesqlWarning)
        yield found
    found += [str(one.message) for one in caught]


def wait_until_free(db: treesql.Database) -> None:
    """Wait until a call that was stopped has ended in a database."""
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        try:
            bare(db)
        except DatabaseError:
            time.sleep(0.01)
        else:
            return
    raise AssertionError("the call has not ended")


def bare(db: treesql.Database) -> duckdb.DuckDBPyConnection:
    """The connection as it is. In memory `db.connection` first makes the macros of all queries, which takes a second;
    `db.sql` makes those that a statement names."""
    return db.engine.connection


def execute_plainly(path: Path, *statements: str) -> None:
    """Run statements on a database file as any DuckDB client does."""
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
