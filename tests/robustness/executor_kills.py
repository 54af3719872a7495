"""Executors of Spark, ended by SIGKILL in the middle of scores: the numbers are those of DuckDB all the same.

    python -m tests.robustness.executor_kills --kills 20 --seed 1

starts a cluster of two executors in processes of their own (`local-cluster`), and prints what came of every kill; the
exit code is 1 if a number was wrong or a score failed, or if no kill met running tasks.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import treesql
from tests.conftest import FIXTURES
from tests.engines.spark_session import SETTINGS, start_session
from treesql.engines import manifests
from treesql.storage import folders
from treesql.writers import parquet

OF_CLUSTER = {
    **SETTINGS,
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.files.maxPartitionBytes": "1m",  # a task for every part
    "spark.sql.files.openCostInBytes": "1m",
    "spark.deploy.maxExecutorRetries": "-1",
    "spark.stage.maxConsecutiveAttempts": "100",
    "spark.task.maxFailures": "20",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
SYSTEMS = ["parser-a", "parser-b"]
REPETITIONS, BLOCK = 48, 60
"""Times that the fixtures are repeated, and sentences of a part."""

SECONDS = 600
"""Maximum duration of a score."""


@dataclass(frozen=True)
class Kill:
    """One kill. running: tasks of the score that ran at that moment; problem: what was wrong, empty if nothing was."""

    running: int
    seconds: float
    problem: str = ""


def start_cluster() -> Any:
    """Start a session whose two executors are processes of their own."""
    import pyspark

    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    return start_session("local-cluster[2,1,1024]", OF_CLUSTER)


def make_folder(folder: Path) -> str:
    """Make a folder whose corpora have dozens of parts, and so dozens of tasks."""
    made = f"{folder}/corpora/"
    usual = manifests.BLOCK_SENTENCES
    try:
        folders.BLOCK_SENTENCES = parquet.BLOCK_SENTENCES = BLOCK
        for corpus in ("gold", *SYSTEMS):
            text = (FIXTURES / f"{corpus}.conllu").read_text("utf-8")
            file = folder / f"{corpus}.conllu"
            repeated = (text.replace("# sent_id = ", f"# sent_id = {at}-") for at in range(REPETITIONS))
            file.write_text("".join(repeated), encoding="utf-8")
            treesql.load(made, file, corpus=corpus)
    finally:
        folders.BLOCK_SENTENCES = parquet.BLOCK_SENTENCES = usual
    return made


def executors(parent: int) -> list[int]:
    """The processes of executors that descend from a process."""
    parents, names = {}, {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(Path(entry.path, "stat").read_text().rpartition(")")[2].split()[1])
                names[int(entry.name)] = Path(entry.path, "cmdline").read_bytes()
            except OSError:  # it ended
                continue

    def descends(process: int) -> bool:
        while process in parents and process != parent:
            process = parents[process]
        return process == parent

    return [one for one, name in names.items() if b"CoarseGrainedExecutorBackend" in name and descends(one)]


def kill_in_scores(session: Any, folder: str, kills: int, seed: int) -> Iterator[Kill]:
    """Score again and again, each time with an executor ended at a random moment in which tasks run."""
    chance = random.Random(seed)
    asked = {"gold": "gold", "systems": SYSTEMS, "metric": "attachment.las"}
    with treesql.connect(folder) as db:
        expected = db.score("dependency", **asked).rows()
    with treesql.connect(folder, spark=session) as db:
        for _ in range(kills):
            found: list[Any] = []
            began = time.monotonic()
            score = threading.Thread(target=_score, args=(db, asked, found), daemon=True)
            score.start()
            running = _kill_one(session, score, chance)
            score.join(SECONDS)
            took = time.monotonic() - began
            if not found:
                yield Kill(running, took, "it hangs")
                return
            [rows] = found
            yield Kill(running, took, "" if rows == expected else f"{rows} is not {expected}")


def _score(db: treesql.Database, asked: dict[str, Any], found: list[Any]) -> None:
    try:
        found.append(db.score("dependency", **asked).rows())
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}")


def _kill_one(session: Any, score: threading.Thread, chance: random.Random) -> int:
    """Wait for tasks of a score and some time more, end an executor, and return how many tasks ran before."""
    skipped = chance.randrange(60)
    while score.is_alive():
        running = _running_tasks(session)
        if running and (skipped := skipped - 1) < 0:
            alive = executors(os.getpid())
            if len(alive) > 1:
                os.kill(chance.choice(alive), signal.SIGKILL)
                return running
        time.sleep(0.01)
    return 0


def _running_tasks(session: Any) -> int:
    tracker = session.sparkContext.statusTracker()
    stages = map(tracker.getStageInfo, tracker.getActiveStageIds())
    return sum(one.numActiveTasks for one in stages if one is not None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = make_folder(Path(scratch))
        session = start_cluster()
        killed = []
        for at, one in enumerate(kill_in_scores(session, folder, given.kills, given.seed), 1):
            what = one.problem or "the same numbers"
            print(f"{at}: {one.running} tasks ran, {one.seconds:.1f} s, {what}", flush=True)
            killed.append(one)
        session.stop()
    met = sum(one.running > 0 for one in killed)
    wrong = sum(bool(one.problem) for one in killed)
    print(f"{len(killed)} scores, {met} of them with an executor ended while tasks ran, {wrong} wrong")
    sys.exit(1 if wrong or not met else 0)


if __name__ == "__main__":
    main()
