"""Speed of `treesql serve`: first pages of the twenty requests of docs/questions.md, and fifty clients at once.

python benchmarks/serving.py pages DATABASE CORPUS
python benchmarks/serving.py clients DATABASE CORPUS [--clients 50] [--every 5] [--seconds 60]

DATABASE is one that `treesql load` made, with a corpus of about 5 million words. pages: prints Markdown, CPU and wall
seconds of the first page of hits or of the grid of every request, asked for the first time; exit code 1 if one takes
300 ms or more. clients: starts a server, and clients that send a request every few seconds each; prints the median,
the slowest, errors, and the largest memory and the processor time of the server with its workers; exit code 1 if
there is an error, or the median is 1 s or more. Linux, as memory is read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import httpx
import measure

from treesql.web.examples import EXAMPLES
from treesql.web.site import Site

MAX_PAGE = 0.3
"""Bound of a first page, in seconds."""

MAX_MEDIAN = 1.0
"""Bound of the median of all answers to many clients, in seconds."""

PORT = 8765
START = 60.0
"""Maximum number of seconds until the server answers."""

Address = tuple[str, dict[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["pages", "clients"])
    parser.add_argument("database", type=Path)
    parser.add_argument("corpus")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--every", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    print(measure.machine(), end="\n\n")
    if given.what == "pages":
        sys.exit(0 if _time_pages(given.database, given.corpus) else 1)
    with _server(given.database) as process:
        reached = asyncio.run(_visit(process, given.corpus, given.clients, given.every, given.seconds))
    sys.exit(0 if reached else 1)


def _time_pages(database: Path, corpus: str) -> bool:
    """Print the seconds of every request; return whether all are below the bound."""
    rows, walls = [], []
    with Site(str(database), seconds=60.0) as site:
        _answer(site, "/", {})
        _answer(site, "/search", {"q": "pattern { X [upos=NOUN] }", "corpus": corpus})
        for example in EXAMPLES:
            query = {"q": example.request, "by": example.by, "corpus": corpus}
            cpu, began = _cpu(), time.perf_counter()
            _answer(site, "/search", query)
            walls.append(time.perf_counter() - began)
            rows.append((example.question, f"{_cpu() - cpu:.2f}", f"{walls[-1]:.2f}"))
    print(measure.table(["request", "CPU s", "wall s"], rows))
    print(f"{sum(seconds < MAX_PAGE for seconds in walls)} of {len(walls)} in less than {MAX_PAGE} s.")
    return max(walls) < MAX_PAGE


def _answer(site: Site, path: str, query: dict[str, str]) -> None:
    """Answer a request to its last byte. Raises RuntimeError for an error."""
    answer = site.answer(path, urlencode(query))
    answer.write(io.BytesIO())
    site.finish()
    site.renew()
    if answer.status != 200:
        raise RuntimeError(f"{path} {query}: status {answer.status}")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def _server(database: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server of the database, which has started."""
    process = subprocess.Popen([*measure.treesql("serve", database), "--port", str(PORT)])
    try:
        end = time.monotonic() + START
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{PORT}/health").raise_for_status()
                break
            except httpx.HTTPError:
                if time.monotonic() > end or process.poll() is not None:
                    raise
                time.sleep(0.2)
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


async def _visit(process: subprocess.Popen[bytes], corpus: str, n: int, every: float, seconds: float) -> bool:
    """Let clients visit the server, and print what they saw; return whether it is within the bounds."""
    pages, end = _pages(corpus), time.monotonic() + seconds
    times: list[float] = []
    errors: list[str] = []
    peak = used = 0.0

    async def visit_again_and_again(number: int, client: httpx.AsyncClient) -> None:
        choose = random.Random(number)
        await asyncio.sleep(choose.random() * every)
        while time.monotonic() < end:
            path, query = choose.choice(pages)
            began = time.monotonic()
            try:
                response = await client.get(path, params=query)
                times.append(time.monotonic() - began)
                if response.status_code != 200:
                    errors.append(f"{response.status_code}: {path} {query}")
            except httpx.HTTPError as error:
                errors.append(f"{error!r}: {path} {query}")
            await asyncio.sleep(max(0.0, every - (time.monotonic() - began)))

    async def watch_memory() -> None:
        nonlocal peak, used
        while time.monotonic() < end:
            memory, used = _memory_and_cpu(process.pid)
            peak = max(peak, memory)
            await asyncio.sleep(1.0)

    limits = httpx.Limits(max_connections=2 * n)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=60, limits=limits) as client:
        await asyncio.gather(watch_memory(), *(visit_again_and_again(number, client) for number in range(n)))
    median = statistics.median(times)
    slow = statistics.quantiles(times, n=20)[-1]
    print(
        f"{len(times)} requests of {n} clients in {seconds:g} s: median {median:.2f} s, 95% below {slow:.2f} s, "
        f"slowest {max(times):.2f} s, {len(errors)} errors, {peak:,.0f} MB at most, {used:.0f} s of processor time."
    )
    for message in errors[:5]:
        print(message)
    return not errors and median < MAX_MEDIAN


def _pages(corpus: str) -> list[Address]:
    """The pages that clients visit: all of the requests, and others beside them."""
    pages: list[Address] = [("/", {}), (f"/corpora/{corpus}", {}), (f"/corpora/{corpus}", {"table": "relations"})]
    pages.append(("/sql", {"q": "SELECT upos, count(*) AS words FROM words GROUP BY upos"}))
    pages += [("/search", {"q": example.request, "by": example.by, "corpus": corpus}) for example in EXAMPLES]
    pages += [
        ("/search", {"q": f"pattern {{ V [lemma={lemma}]; V -[obj]-> O }}", "corpus": corpus, "show": "concordance"})
        for lemma in ("take", "make", "go", "see", "have", "give")
    ]
    return pages + [(f"/sentences/{corpus}/{number}", {}) for number in range(0, 400, 20)]


def _memory_and_cpu(process: int) -> tuple[float, float]:
    """The resident memory of a process and of those below it, in MB, and the seconds of processors that they used."""
    parents: dict[int, int] = {}
    sizes: dict[int, tuple[float, float]] = {}
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()  # from the third of proc(5) on
        except OSError:  # it has ended
            continue
        number = int(stat.parent.name)
        parents[number] = int(fields[1])
        sizes[number] = int(fields[21]) * page / measure.MEGABYTE, sum(map(int, fields[11:13])) / tick

    def is_below(number: int) -> bool:
        while number not in (0, process):
            number = parents.get(number, 0)
        return number == process

    sizes_below = [size for number, size in sizes.items() if is_below(number)]
    return sum(memory for memory, _ in sizes_below), sum(cpu for _, cpu in sizes_below)


if __name__ == "__main__":
    main()
