"""Speed of reading CoNLL-U to Arrow and to a database, compared with pyconll, udapi and conllu.

python benchmarks/loading.py FILE.conllu [--large LARGE.conllu] [--repetitions 5]

Prints Markdown. Readers run on one core, loading on all, as `treesql load` does. --large: a file of about 5 million
words, which treesql alone loads.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import measure
from measure import Cost, Reported

Reader = Callable[[str], object]

STANDING_IN_THE_FILE = ("words", "sentences", "tokens", "empty_nodes")
TREE_INDEX = frozenset({"depth", "enter", "leave", "projective"})
SPANS = frozenset({"span_start", "span_end"})


def main() -> None:
    given = _arguments()
    words = measure.count_words(given.file)
    print(measure.machine(*PACKAGES), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        _reading(given.file, words, given.repetitions, Path(folder))
        _loading(given.file, words, given.repetitions, Path(folder))
        if given.large:
            _loading(given.large, measure.count_words(given.large), min(given.repetitions, 3), Path(folder))


def _reading(path: Path, words: int, repetitions: int, folder: Path) -> None:
    first = measure.first_sentence(path, folder)
    costs = measure.in_turn({name: measure.child("read", name, path, first) for name in READERS}, repetitions)
    reading = {name: cost.reported["reading"] for name, cost in costs.items()}
    ours = reading["treesql"]
    print(f"Reading {words:,} words.\n")
    header = ["", "CPU s, process", "start", "reading", "words/s, reading", "against treesql", "peak MB"]
    print(measure.table(header, [_reading_row(name, cost, words, ours) for name, cost in costs.items()]))
    print(measure.target("at least 1.5 M words/s", f"{words / ours / 1e6:.2f} M", words / ours >= 1.5e6))
    for name, wanted in (("udapi", 8), ("conllu", 12), ("pyconll", 4)):
        ratio = reading[name] / ours
        print(measure.target(f"at least {wanted} times {name}", f"{ratio:.1f} times", ratio >= wanted))
    print()


def _reading_row(name: str, cost: Cost, words: int, ours: float) -> list[str]:
    seconds = cost.reported["reading"]
    return [
        name, f"{cost.cpu:.2f}", f"{cost.reported['start']:.2f}", f"{seconds:.3f}", f"{words / seconds:,.0f}",
        f"{seconds / ours:.1f}", f"{cost.peak:.0f}",
    ]  # fmt: skip


def _loading(path: Path, words: int, repetitions: int, folder: Path) -> None:
    first = measure.first_sentence(path, folder)
    contenders = {name: measure.child("load", name, path, first, folder) for name in LEFT_OUT}
    costs = measure.in_turn(contenders, repetitions, one_core=False)
    print(f"Loading {words:,} words into a new database.\n")
    header = [
        "", "CPU s, process", "start", "load()", "of it trees.py", "words/s, load()", "words/s, process",
        "database MB", "peak MB",
    ]  # fmt: skip
    print(measure.table(header, [_loading_row(name, cost, words) for name, cost in costs.items()]))
    whole, without = costs.values()
    seconds, kernel = whole.reported["load"], whole.reported["trees"]
    print(measure.target("at least 0.4 M words/s", f"{words / seconds / 1e6:.2f} M", words / seconds >= 0.4e6))
    print(measure.target("within 1.5 GB", f"{whole.peak / 1e3:.2f} GB", whole.peak <= 1500))
    share = 1 - without.reported["load"] / seconds
    shares = f"trees.py is {kernel / seconds:.0%} of load(); with its columns left out, load() takes {share:.0%} less"
    print(measure.target("the tree index takes at most a third", shares, max(kernel / seconds, share) <= 1 / 3))
    print()


def _loading_row(name: str, cost: Cost, words: int) -> list[str]:
    reported = cost.reported
    return [
        name, f"{cost.cpu:.2f}", f"{reported['start']:.2f}", f"{reported['load']:.2f}", f"{reported['trees']:.3f}",
        f"{words / reported['load']:,.0f}", f"{words / cost.cpu:,.0f}",
        f"{reported['megabytes']:.1f}", f"{cost.peak:.0f}",
    ]  # fmt: skip


def read(name: str, path: str, first: str) -> Reported:
    """Read a file; before, its first sentence, since libraries import some of their parts when these are needed."""
    reported: Reported = {}
    with measure.cpu(reported, "start"):
        reader = READERS[name]()
        reader(first)
    with measure.cpu(reported, "reading"):
        kept = reader(path)  # noqa: F841 (what a reader returns stays in memory until the end)
    return reported


def _treesql() -> Reader:
    from treesql.catalog import schemas

    columns = {name: frozenset(schemas.table(name).names) for name in STANDING_IN_THE_FILE}
    columns["words"] -= TREE_INDEX | SPANS
    return _reader_of_columns(columns)


def _treesql_everything() -> Reader:
    return _reader_of_columns(None)


def _reader_of_columns(columns: dict[str, frozenset[str]] | None) -> Reader:
    from treesql import readers
    from treesql.readers.source import Source

    return lambda path: list(readers.read(Source(path), "conllu", readers.State(), readers.Options(columns=columns)))


def _pyconll() -> Reader:
    from pyconll.load import iter_from_file

    return lambda path: deque(iter_from_file(path), maxlen=0)


def _udapi() -> Reader:
    from udapi.core.document import Document

    return Document  # type: ignore[no-any-return]


def _conllu() -> Reader:
    from conllu import parse_incr

    def reader(path: str) -> None:
        with open(path, encoding="utf-8") as file:
            deque(parse_incr(file), maxlen=0)

    return reader


def load(name: str, path: str, first: str, folder: str) -> Reported:
    """Load a file into a new database; before, its first sentence into another one."""
    reported: Reported = {"trees": 0}
    with measure.cpu(reported, "start"):
        from treesql.catalog import schemas
        from treesql.engines.connections import MEMORY
        from treesql.engines.duckdb_files import open_database, open_or_make
        from treesql.kernels.trees import trees
        from treesql.readers import Options
        from treesql.storage import loading
        from treesql.storage.corpus_plans import CorpusPlan, plan_loads

        columns = {name: frozenset(table.names) for name, table in schemas.all_tables().items()}
        columns["words"] -= LEFT_OUT[name]
        options = Options(columns=columns)
        with open_database(MEMORY) as engine:
            loading.load_into_engine(engine, CorpusPlan(tuple(plan_loads([first], "a")), together=True), options)
    for function in ("jumps", "index"):
        _clock(trees, function, reported)
    with tempfile.TemporaryDirectory(dir=folder) as inner:
        database = Path(inner, "new.duckdb")
        with measure.cpu(reported, "load"), open_or_make(str(database)) as engine:
            loading.load_into_engine(engine, CorpusPlan(tuple(plan_loads([path], "a")), together=True), options)
        reported["megabytes"] = database.stat().st_size / measure.MEGABYTE
    return reported


def _clock(module: ModuleType, name: str, reported: Reported) -> None:
    """Have the CPU seconds of a function of trees.py counted."""
    function = getattr(module, name)

    def clocked(*arguments: object) -> object:
        with measure.cpu(reported, "trees"):
            return function(*arguments)

    setattr(module, name, clocked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--large", type=Path)
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


PACKAGES = ("pyconll", "udapi", "conllu")

READERS: dict[str, Callable[[], Reader]] = {
    "treesql": _treesql,
    "treesql, everything": _treesql_everything,
    "pyconll": _pyconll,
    "udapi": _udapi,
    "conllu": _conllu,
}

LEFT_OUT = {"everything": frozenset[str](), "without the tree index": TREE_INDEX}

if __name__ == "__main__":
    measure.start(main, {"read": read, "load": load})
