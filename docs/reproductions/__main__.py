"""Make the tables and figures of a source, and a page with our numbers beside its own.

    python -m docs.reproductions 003 -o OUT [--data DIR] [--cases DIR] [--further DIR]

A source is a file of this folder, NNN.toml: `prepare` names functions of inputs.py, which write files of the data at
hand; `steps` are commands of treesql, run in OUT, with the words {fixtures}, {cases}, {ud}, those of `prepare`, and the
columns of the row that SQL on tables of earlier steps returns, `given`; `items` are all tables, figures and numbers of
the source, `correlations` matrices of them, where "" is no number. An item has

place, shows    where it stands in the source, and what it shows
source          what the source says: numbers as it prints them, or a text
ours            SQL on the tables that steps wrote: our values, as many as the source has numbers
holds           SQL that returns truth values: whether what the source says holds, of each of our inputs
other           how our data differ from those of the source
remark          what else is to be said; of an item without `ours` and `holds`, why it is not reproducible

Its state is computed: equal, if the numbers have the digits that the source prints, or all holds; near, if they differ
by the `tolerance` of the source at most; other data, if the source used other data than ours, with in how many of our
inputs holds what it says; differs, on the same data; not reproducible.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from click.testing import CliRunner

from docs.reproductions import inputs
from treesql.cli import group
from treesql.errors import TreesqlError
from treesql.reports import html
from treesql.reports.html import Exhibit
from treesql.results.result import Result

FOLDER = Path(__file__).parent
STATES = ("equal", "near", "other data", "differs", "not reproducible")
MAX_ROWS = 60
"""Maximum number of rows of a table on the page; the file beside it has all."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a source's steps, write the page, and return the exit code."""
    given = _parse(arguments)
    source = read(given.source)
    folders = {"fixtures": FOLDER.parent.parent / "fixtures", "cases": given.cases, "further": given.further}
    folders["ud"] = given.data and given.data / "ud"
    missing = [name for name in source.get("needs", ()) if not (folders[name] and folders[name].is_dir())]
    if missing:
        print(f"{given.source} needs {' and '.join(_OPTIONS[name] for name in missing)}", file=sys.stderr)
        return 2
    if given.out.exists():
        print(f"{given.out} exists; name a new folder", file=sys.stderr)
        return 2
    given.out.mkdir(parents=True)
    with chdir(given.out):
        page, items = make(given.source, source, {name: path for name, path in folders.items() if path})
        Path("index.html").write_text(page, "utf-8")
    counts = Counter(row["state"] for row in items.rows())
    print(f"{given.out / 'index.html'}: {', '.join(f'{counts[state]} {state}' for state in STATES if counts[state])}")
    return 0


_OPTIONS = {"cases": "--cases DIR or TREESQL_CASES", "ud": "--data DIR or TREESQL_DATA, with a folder ud"}


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m docs.reproductions", description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("source", choices=sorted(path.stem for path in FOLDER.glob("*.toml")))
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="OUT", help="a new folder")
    for name, text in (("data", "treebanks"), ("cases", "conformance cases"), ("further", "further inputs like these")):
        variable = f"TREESQL_{name.upper()}"
        default = Path(os.environ[variable]).resolve() if os.environ.get(variable) else None
        parser.add_argument(f"--{name}", type=lambda path: Path(path).resolve(), default=default, metavar="DIR",
                            help=f"folder of {text} [default: {variable}]")  # fmt: skip
    return parser.parse_args(arguments)


def read(source: str) -> dict[str, Any]:
    """What a source declares."""
    return tomllib.loads((FOLDER / f"{source}.toml").read_text("utf-8"))


def make(name: str, source: Mapping[str, Any], folders: Mapping[str, Path]) -> tuple[str, Result]:
    """Run the steps in the current folder; return the page, and the table of items."""
    words = dict(folders)
    for function in source.get("prepare", ()):
        words |= getattr(inputs, function)(folders)
    ran, exhibits = [], []
    steps = [step for step in source["steps"] if set(step.get("needs", ())) <= folders.keys()]
    for at, step in enumerate(steps, start=1):
        given = query(step["given"]).to_pylist()[0] if "given" in step else {}
        command = step["run"].format_map(words | given)
        start = time.perf_counter()
        printed = run(command)
        if "prints" in step:
            Path(step["prints"]).write_text(printed, "utf-8")
        print(f"[{at}/{len(steps)}] {time.perf_counter() - start:.1f} s  {step['shows']}", flush=True)
        ran.append(f"treesql {command}")
        exhibits += list(exhibits_of(step))
    items = table_of(list(expanded(source, folders)), source)
    first = Exhibit("items", "All items", source["data"], items)
    counts = Counter(row["state"] for row in items.rows())
    summary = f"{len(items)} items: {', '.join(f'{counts[state]} {state}' for state in STATES if counts[state])}."
    page = html.page(f"{name}: {source['title']}", [first, *exhibits], {"Commands": ran}, summary)
    html.write_table(items, Path("items"))
    return page, items


def run(command: str) -> str:
    """Run a command of treesql in this process, and return what it prints. Raises SystemExit if it fails."""
    result = CliRunner().invoke(group, shlex.split(command))
    if result.exit_code:
        raise SystemExit(f"treesql {command}\n{result.output}{result.exception or ''}")
    return result.stdout


def exhibits_of(step: Mapping[str, Any]) -> Iterator[Exhibit]:
    """The table and the picture that a step wrote, if it wrote some."""
    words = [*shlex.split(step["run"]), *step.get("files", ()), step.get("prints", "")]
    written = [Path(word) for word in words if Path(word).suffix in (".csv", ".svg") and Path(word).is_file()]
    tables = {path.stem: path for path in written if path.suffix == ".csv"}
    pictures = {path.stem: path.read_text("utf-8") for path in written if path.suffix == ".svg"}
    for stem in dict.fromkeys([*tables, *pictures]):
        rows = query(f"FROM '{tables[stem]}'") if stem in tables else pa.table({"picture": [f"{stem}.svg"]})
        name = stem.replace(".", "-")
        yield Exhibit(name, step["shows"], step.get("text", ""), Result(rows), pictures.get(stem), MAX_ROWS)


def query(sql: str) -> pa.Table:
    """The rows of a query on the files of this folder."""
    relation = duckdb.sql(sql)
    if relation is None:
        raise SystemExit(f"no query: {sql}")
    return relation.to_arrow_table()


def expanded(source: Mapping[str, Any], folders: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    """All items: those that are named, and one for each pair of columns of matrices of correlations."""
    for item in source["items"]:
        lacking = sorted(set(item.get("needs", ())) - folders.keys())
        values = {name: value for name, value in item.items() if name not in ("ours", "holds", "other")}
        yield {**values, "remark": f"needs --{' and --'.join(lacking)}"} if lacking else dict(item)
    for matrix in source.get("correlations", ()):
        names = matrix["columns"]
        for at, (first, row) in enumerate(zip(names, matrix["source"], strict=False)):
            for second, value in zip(names[at + 1 :], row, strict=True):
                if not value:
                    continue
                where = f"metric_a = '{first}' AND metric_b = '{second}'"
                shows = f"r of {first} and {second}{matrix.get('shows', '')}"
                yield {
                    "place": matrix["place"], "shows": shows, "source": [value],
                    "ours": f"SELECT r FROM '{matrix['table']}' WHERE {where}", "other": matrix.get("other", ""),
                }  # fmt: skip


def table_of(items: Sequence[Mapping[str, Any]], source: Mapping[str, Any]) -> Result:
    """A row per item: its place, what it shows, the source's values, ours, differences, state and remark."""
    rows = [row_of(item, source) for item in items]
    return Result(pa.Table.from_pylist(rows, pa.schema({name: pa.string() for name in rows[0]})))


def row_of(item: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, str]:
    """The row of an item."""
    said = item["source"]
    numbers = [float(value) for value in said] if isinstance(said, list) else []
    ours, holds = (values_of(item[name]) if name in item else [] for name in ("ours", "holds"))
    if numbers and ours and len(numbers) != len(ours):
        raise SystemExit(f"{item['place']}, {item['shows']}: {len(numbers)} numbers of the source, {len(ours)} of ours")
    digits = [len(str(value).partition(".")[2]) for value in said] if numbers else [4] * len(ours)
    shown = [_shown(value, n) for value, n in zip(ours, digits, strict=True)]
    differences = [value - number for value, number in zip(ours, numbers, strict=False)]
    state = state_of(said, shown, differences, holds, item, source)
    verdict = f"holds in {sum(holds)} of {len(holds)}" if len(holds) > 1 else "holds" if holds else ""
    if holds and not any(holds):
        verdict = "does not hold"
    remarks = [verdict, item.get("other", ""), item.get("remark", "")]
    return {
        "place": item["place"], "shows": item["shows"],
        "source": ", ".join(map(str, said)) if isinstance(said, list) else said, "ours": ", ".join(shown),
        "difference": ", ".join(_shown(one, n) for one, n in zip(differences, digits, strict=False)), "state": state,
        "remark": "; ".join(remark for remark in remarks if remark),
    }  # fmt: skip


def values_of(sql: str) -> list[Any]:
    """All values that a query returns, row by row, without those that are missing."""
    values = [value for row in query(sql).to_pylist() for value in row.values() if value is not None]
    return [float(value) if isinstance(value, Decimal) else value for value in values]


def state_of(
    said: Sequence[str], shown: Sequence[str], differences: Sequence[float], holds: Sequence[bool],
    item: Mapping[str, Any], source: Mapping[str, Any],
) -> str:  # fmt: skip
    """The state of an item, one of STATES."""
    if not shown and not holds:
        return "not reproducible"
    others = "other data" if item.get("other") else "differs"
    if differences:
        if list(map(str, said)) == list(shown):
            return "equal"
        return "near" if max(map(abs, differences)) <= source.get("tolerance", 0) + 1e-9 else others
    if holds:
        return "equal" if all(holds) and not item.get("other") else others
    return "equal" if list(shown) == [said] else others


def _shown(value: Any, digits: int) -> str:
    """A value as text: numbers with as many digits as the source prints."""
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TreesqlError as error:
        sys.exit(str(error))
