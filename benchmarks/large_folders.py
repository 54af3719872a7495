"""Folders of Parquet of 1, 10 and 100 million words: loading, scores, requests; DuckDB and Spark on the same folder.

python benchmarks/large_folders.py FILE.conllu[.gz] SCRATCH [--millions 1 10 100] [--steps load score find spark]

FILE is repeated as in enlarge.py, with forms, lemmas and sent_ids changed, until a corpus has so many million words:
the corpora gold, parser-a and parser-b, whose words differ from gold in every 11th and every 7th relation and in some
heads. They stay in SCRATCH/Nm for other steps, about 3 GB for 100 million words with both systems, and as much as 7 GB
of text for a time. All measured commands run on all cores; CPU seconds are those of all their processes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import measure
from enlarge import repeated

QUESTIONS = Path(__file__).parents[1] / "docs" / "questions.md"
REQUEST = re.compile(r"^## \((\w)\) .*?^```grew\n(.*?)^```", re.MULTILINE | re.DOTALL)
SYSTEMS = {"parser-a": 11, "parser-b": 7}
LAS = ("score", "dependency", "gold", "parser-a", "parser-b", "--metric", "attachment.las", "--format", "csv")
LARGEST_FILE = 10
"""Maximum size in million words of the DuckDB file that loading is compared with."""


def main() -> None:
    given = _arguments()
    print(measure.machine(), end="\n\n")
    for step in given.steps:
        print(STEPS[step](given), flush=True)


def load(given: argparse.Namespace) -> str:
    """Load the corpora, gold also into a DuckDB file."""
    rows = []
    for millions in given.millions:
        place = Path(given.scratch, f"{millions}m")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        text = place / "gold.conllu"
        words = write_corpus(given.file, text, millions * 1_000_000, 0)
        costs = {"folder": cost(measure.treesql("load", f"{place}/corpora/", text, "--corpus", "gold"))}
        if millions <= LARGEST_FILE:
            costs["DuckDB file"] = cost(measure.treesql("load", place / "file.duckdb", text, "--corpus", "gold"))
            (place / "file.duckdb").unlink()
        for system, step in SYSTEMS.items():
            write_corpus(given.file, text, millions * 1_000_000, step)
            measure.run(measure.treesql("load", f"{place}/corpora/", text, "--corpus", system), one_core=False)
        text.unlink()
        size = sum(file.stat().st_size for file in place.rglob("gold/*.parquet")) / words
        rows += [[f"{words:,}", into, *_cells(spent), f"{words / spent[0]:,.0f}"] for into, spent in costs.items()]
        print(f"{words:,} words: {size:.1f} bytes a word in the folder", file=sys.stderr)
    return measure.table(["words", "loaded into", "CPU s", "s", "peak MB", "words / CPU s"], rows)


def score(given: argparse.Namespace) -> str:
    """LAS of two systems by DuckDB."""
    rows = []
    for millions in given.millions:
        spent = cost([*measure.treesql(*LAS), "--db", f"{_folder(given, millions)}"])
        rows.append([f"{millions} million", *_cells(spent), f"{spent[0] / millions:.2f}"])
    return measure.table(["LAS of two systems, DuckDB", "CPU s", "s", "peak MB", "CPU s / million"], rows)


def find(given: argparse.Namespace) -> str:
    """`find --count` of the questions of the page, in gold."""
    rows = []
    for letter, request in REQUEST.findall(QUESTIONS.read_text("utf-8")):
        cells = []
        for millions in given.millions:
            folder = _folder(given, millions)
            asked = [*measure.treesql("find", folder, request, "--count", "--corpus", "gold", "--timeout", "600")]
            spent = cost(asked)
            cells += [f"{spent[0]:.1f}", f"{spent[1]:.1f}", f"{spent[2]:.0f}"]
            print(letter, millions, cells[-3:], file=sys.stderr, flush=True)
        rows.append([f"({letter})", *cells])
    header = [f"{name}, {millions} M" for millions in given.millions for name in ("CPU s", "s", "peak MB")]
    return measure.table(["`find --count`", *header], rows)


def spark(given: argparse.Namespace) -> str:
    """LAS of two systems by Spark local[2], with the times of its tasks, and where it would overtake DuckDB."""
    rows, sums = [], []
    for millions in given.millions:
        by_duckdb = cost([*measure.treesql(*LAS), "--db", _folder(given, millions)])
        with tempfile.TemporaryDirectory() as events:
            seconds, wall, peak = cost(measure.child("on_spark", _folder(given, millions), events))
            times = list(task_times(Path(events)))
            reported = json.loads(Path(events, "reported.json").read_text("utf-8"))
        inside, overhead = sum(run for run, _ in times), sum(rest for _, rest in times)
        in_tasks = (inside + overhead) / 2
        besides = reported["start"] + reported["first"] - in_tasks / 2
        sums.append((millions, by_duckdb[0], in_tasks, besides))
        rows.append(
            [f"{millions} million", f"{by_duckdb[0]:.1f}", f"{seconds:.1f}", f"{reported['start']:.1f}",
             f"{reported['first']:.1f}", f"{reported['again']:.1f}", len(times) // 2, f"{inside / 2:.1f}",
             f"{1000 * overhead / len(times):.0f}", f"{wall:.0f}", f"{peak:.0f}"]
        )  # fmt: skip
    header = ["DuckDB, CPU s", "Spark, CPU s", "start, s", "score, s", "again, s", "tasks", "CPU s in tasks",
              "overhead a task, ms", "all, s", "peak MB"]  # fmt: skip
    text = measure.table(["LAS of two systems, once by DuckDB, twice by Spark local[2]", *header], rows)
    return text + (f"\n{crossings(sums[0], sums[-1])}" if len(sums) > 1 else "")


Sums = tuple[float, float, float, float]
"""Million words; CPU seconds of DuckDB; those of Spark's tasks with their overhead; its seconds besides these."""


def crossings(small: Sums, large: Sums) -> str:
    """From how many words Spark with so many cores is faster than DuckDB with others, by lines through two sizes.

    Assumes that both divide their work evenly among cores, disks keep up, and Spark starts and plans as for the small
    size.
    """
    per_million = [(large[at] - small[at]) / (large[0] - small[0]) for at in (1, 2)]
    start = small[1] - small[0] * per_million[0]
    rows = []
    for cores in (2, 16, 160):
        cells = []
        for duckdb_cores in (2, 16, 64):
            gain = per_million[0] / duckdb_cores - per_million[1] / cores
            cells.append(f"{(small[3] - start / duckdb_cores) / gain:,.0f} million" if gain > 0 else "never")
        rows.append([f"{cores} cores", *cells])
    header = [f"DuckDB, {n} cores" for n in (2, 16, 64)]
    return (
        f"DuckDB {per_million[0]:.3f}, Spark {per_million[1]:.3f} CPU s per million words; Spark {small[3]:.1f} s "
        f"besides.\n\n{measure.table(['Spark is faster from so many words', *header], rows)}"
    )


def on_spark(folder: str, events: str) -> measure.Reported:
    """Score twice with one session, and keep its events."""
    from pyspark.sql import SparkSession

    import treesql

    os.environ["PYSPARK_PYTHON"] = sys.executable
    began = time.perf_counter()
    builder = SparkSession.builder.master("local[2]")
    for name, value in {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{events}",
                        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                        "spark.eventLog.compress": "false"}.items():  # fmt: skip
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    reported = {"start": time.perf_counter() - began}
    with treesql.connect(folder, spark=session) as db:
        for name in ("first", "again"):
            began = time.perf_counter()
            db.score("dependency", gold="gold", systems=list(SYSTEMS), metric="attachment.las")
            reported[name] = time.perf_counter() - began
    session.stop()
    Path(events, "reported.json").write_text(json.dumps(reported), encoding="utf-8")
    return reported


def task_times(events: Path) -> Iterator[tuple[float, float]]:
    """CPU seconds of every task of a session, and the seconds in which it was sent, unpacked and returned."""
    for file in events.rglob("*"):
        if not file.is_file() or file.name == "reported.json":
            continue
        for line in file.read_text("utf-8").splitlines():
            if '"SparkListenerTaskEnd"' not in line:
                continue
            event: dict[str, Any] = json.loads(line)
            info, metrics = event["Task Info"], event["Task Metrics"]
            took, ran = info["Finish Time"] - info["Launch Time"], metrics["Executor Run Time"]
            yield metrics["Executor CPU Time"] / 1e9, (took - ran) / 1000


def write_corpus(source: Path, target: Path, words: int, step: int) -> int:
    """Write FILE until it has so many words; every step-th one gets another relation, or the head of its head."""
    n = 0
    with target.open("w", encoding="utf-8", newline="\n") as file:
        for text in repeated(source):
            changed = text if not step else _changed(text, step)
            file.write(changed)
            n += len(re.findall(r"^\d+\t", changed, re.MULTILINE))
            if n >= words:
                return n
    return n


def _changed(text: str, step: int) -> str:
    """A parser's output: words of every step-th line differ. A word that moves to its head's head leaves a tree."""
    sentences = []
    n = 0
    for sentence in text.split("\n\n"):
        rows = [line.split("\t") for line in sentence.split("\n")]
        heads = {row[0]: row[6] for row in rows if len(row) == 10 and row[0].isdigit()}
        for row in rows:
            if len(row) != 10 or not row[0].isdigit():
                continue
            n += 1
            above = heads.get(row[6], "0")
            if n % step == 0 and row[6] != "0":
                if n % (2 * step) and above != "0":
                    row[6] = above
                else:
                    row[7] = "dep"
        sentences.append("\n".join("\t".join(row) for row in rows))
    return "\n\n".join(sentences)


def cost(command: measure.Command) -> tuple[float, float, float]:
    """CPU seconds, seconds and the peak MB of a command and all processes that it starts, by their group."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True, stdin=subprocess.DEVNULL
        )
        seen: dict[int, float] = {}
        peak = 0.0
        while process.poll() is None:
            members = dict(_members(process.pid))
            seen.update({pid: used for pid, (used, _) in members.items()})
            peak = max(peak, sum(resident for _, resident in members.values()))
            time.sleep(0.05)
        wall = time.perf_counter() - began
        if process.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{errors.read().decode()}")
    return sum(seen.values()), wall, peak


def _members(group: int) -> Iterator[tuple[int, tuple[float, float]]]:
    """The CPU seconds and resident MB of the processes of a session, from /proc."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended
                continue
            if int(fields[3]) == group:
                yield int(entry.name), ((int(fields[11]) + int(fields[12])) / ticks, int(fields[21]) * page / 1e6)


def _cells(spent: tuple[float, float, float]) -> list[str]:
    return [f"{spent[0]:.1f}", f"{spent[1]:.1f}", f"{spent[2]:.0f}"]


def _folder(given: argparse.Namespace, millions: int) -> str:
    return str(Path(given.scratch, f"{millions}m", "corpora"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--steps", nargs="+", choices=list(STEPS), default=list(STEPS))
    return parser.parse_args()


STEPS = {"load": load, "score": score, "find": find, "spark": spark}

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    measure.start(main, {"on_spark": on_spark})
