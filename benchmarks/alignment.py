"""Time of scoring word alignments, compared with a scorer that works line by line in Python.

python benchmarks/alignment.py GOLD SYSTEM [--times 100] [--script COMMAND ...] [--wpt COMMAND ...] [--repetitions 5]

GOLD and SYSTEM are files in Pharaoh's notation, which are repeated --times times. --script: other scorers, each a
command that is given both files; --wpt: scorers that are given them in the format of the WPT shared tasks. Prints
Markdown; one core.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

import measure
from measure import Command, Cost, Reported

PLAIN = "plain_alignment.py"
TREESQL = "treesql score alignment"
WPT = "treesql score alignment, of WPT files"
WORK = "treesql score alignment, imports and a first small call left out"
SYMMETRISE = "treesql align symmetrise"
IMPORTS = "importing DuckDB and pyarrow, nothing else"
JOIN = "the join alone, in DuckDB, of links in memory"
BAR = 20


def main() -> None:
    given = _arguments()
    print(measure.machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "gold.pharaoh"), Path(folder, "system.pharaoh")]
        for path, file in zip((given.gold, given.system), files, strict=True):
            file.write_bytes(path.read_bytes() * given.times)
        columns = [measure.as_wpt(file) for file in files]
        n_links = [len(file.read_bytes().split()) for file in files]
        n_lines = files[0].read_bytes().count(b"\n")
        commands: dict[str, Command] = {
            TREESQL: measure.treesql("score", "alignment", *files),
            WPT: measure.treesql("score", "alignment", *columns),
            WORK: measure.child("work", *files, given.gold),
            JOIN: measure.child("join", *files),
            IMPORTS: measure.child("imports"),
            SYMMETRISE: measure.treesql("align", "symmetrise", *files, "-o", Path(folder, "out.pharaoh")),
        }
        plain = Path(__file__).with_name(PLAIN)
        scripts = {PLAIN: ["/usr/bin/env", sys.executable, str(plain)]}
        scripts |= {command: ["/usr/bin/env", *shlex.split(command)] for command in given.script}
        commands |= {name: [*command, *map(str, files)] for name, command in scripts.items()}
        for command in given.wpt:
            commands[command] = ["/usr/bin/env", *shlex.split(command), *map(str, columns)]
        costs = measure.in_turn(commands, given.repetitions)
    print(f"{n_lines:,} sentences, {n_links[0]:,} gold links, {n_links[1]:,} links of the system.\n")
    _print(costs, sum(n_links))


def work(gold: str, system: str, small: str) -> Reported:
    """Score the large files, after a first run on a small one."""
    import treesql

    reported: Reported = {}
    treesql.score("alignment", gold=small, systems=[small])
    with measure.cpu(reported, "work"):
        treesql.score("alignment", gold=gold, systems=[system])
    return reported


def join(gold: str, system: str) -> Reported:
    """Count common links by a join on one column, which is less than scoring does."""
    import duckdb
    import numpy as np
    import pyarrow as pa

    from treesql.readers import Options
    from treesql.storage import corpus_plans, loading

    reported: Reported = {}
    with duckdb.connect() as connection:
        for corpus, path in (("gold", gold), ("system", system)):
            keys: list[np.ndarray] = []

            [request] = corpus_plans.plan_loads([path], corpus, kind="alignment")
            for _, rows in loading.rows_of_corpus(request, Options()):
                if "source" in rows.column_names:
                    sentence, source, target = (
                        rows[name].to_numpy().astype(np.int64) for name in ("sentence", "source", "target")
                    )
                    keys.append(sentence << 32 | source << 16 | target)
            connection.register(corpus, pa.table({"key": np.concatenate(keys)}))
        with measure.cpu(reported, "work"):
            connection.execute("SELECT count(*) FROM gold JOIN system ON gold.key = system.key").fetchall()
    return reported


def imports() -> Reported:
    """Import DuckDB and pyarrow, the start of any program that uses them."""
    import duckdb
    import pyarrow

    assert duckdb.__version__
    assert pyarrow.__version__
    return {}


def _print(costs: dict[str, Cost], n_links: int) -> None:
    seconds = {name: cost.reported.get("work", cost.cpu) for name, cost in costs.items()}
    rows = [
        (name, f"{taken:.2f}", f"{n_links / taken:,.0f}", f"{taken / seconds[TREESQL]:.1f}", f"{costs[name].peak:.0f}")
        for name, taken in seconds.items()
    ]
    print(measure.table(("", "CPU s", "links/s", "against treesql", "peak MB"), rows))
    for peer in (name for name in seconds if name not in (TREESQL, WPT, WORK, JOIN, IMPORTS, SYMMETRISE)):
        for name in (TREESQL, WPT, WORK):
            ratio = seconds[peer] / seconds[name]
            bar = f"{BAR} times {peer}, which is {seconds[peer] / BAR:.3f} s"
            print(measure.target(f"{name}, {bar}", f"{ratio:.1f} times", ratio >= BAR))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("system", type=Path)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--script", action="append", default=[])
    parser.add_argument("--wpt", action="append", default=[])
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    measure.start(main, {"work": work, "join": join, "imports": imports})
