"""Attacks on `treesql serve`: pages of hostile names, statements without end, fifty clients, folders that change.

Each takes a folder, a seed and a size, and returns the faults that it found, one line each; none is what is promised.
`crawl` needs no process; the others start a server of their own.

    python -m tests.robustness.server_attacks SEED crawl=300 limits=55 clients=12 changes=12
"""

from __future__ import annotations

import csv
import http.client
import io
import json
import random
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pyarrow.parquet as pq
from markupsafe import escape

import treesql
from tests.conftest import FIXTURES
from tests.web.pages import Links
from tests.web.servers import DEAF, ENDLESS, Served, memory_of_workers, served
from treesql.web.deliveries import PATIENCE
from treesql.web.pool import STOPPING
from treesql.web.server import GRACE_SECONDS
from treesql.web.site import Site

SECONDS = 3.0
"""Limit of time of the servers."""

MEMORY = 1_000_000_000
"""Limit of memory of their workers, in bytes."""

OVERSHOOT = 600_000_000
"""Maximum number of bytes that a worker takes beyond its limit between two looks at it."""

THINKING = 2.0
"""Maximum number of seconds between two requests of a client."""

LIGHT = ("/", "/corpora/gold", "/corpora/parser-a", "/sentences/gold/tea")

MARKUP = "<script>alert(1)</script>\"'&amp;"

NAMES = (
    ".", "..", "...", " ", " a ", "a\nb", "a\r\nb", "a\rb", "a\tb", "a/b", "/", "//", "%2F", "%00", "%0A", "a.json",
    ".csv", "..json", "a?b=c&d#e", "#1", "+", "a+b", ";", "\\", "\x01", "\x7f", "\x85", "\u2028", "\ufeff", "ü",
    "e\u0301", "😀", "~", "'", '"', "<b>", MARKUP, "{{ 7 * 7 }}", "health", "static", "x" * 150,
    "&#10;", "javascript:alert(1)",
)  # fmt: skip
"""Names of corpora, and of sentences unless there are line ends in them."""

HOSTILE = (
    "SELECT array_agg({'a': i, 'b': repeat('x', 60)}) OVER () AS a FROM range(200000) AS r(i)",
    "SELECT range(50000000) AS a",
    "SELECT * FROM range(1000000000000)",
    "SELECT i, repeat('x', 1000) AS a FROM range(100000000) AS r(i)",
    "SELECT list(i) FROM range(1000000000) AS r(i)",
    "SELECT repeat('x', 100000000) AS a",
    "SELECT i, CASE WHEN i > 300000 THEN error('boom') ELSE 'x,\"' END AS a FROM range(4000000) AS r(i)",
    "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT max(i) FROM t",
    ENDLESS,
    DEAF,
    "SELECT",
)
"""Statements that take too long, take too much memory, or fail before their first row or after many."""

FORMS = ("", ".json", ".csv", ".tsv", ".parquet")

STATUSES = (200, 400, 404, 408, 413, 503)


@dataclass(frozen=True)
class Reply:
    """What a server has answered, and after how many seconds. cut: whether the connection ended before the answer."""

    status: int
    headers: dict[str, str]
    body: bytes
    cut: bool
    seconds: float


def ask(address: str, path: str, *, host: str | None = None, seconds: float = 120.0) -> Reply:
    """Ask a server for a path."""
    began, place = time.monotonic(), urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=seconds)
    try:
        connection.request("GET", path, headers={"Host": host or place.netloc})
        got = connection.getresponse()
        headers = {name.lower(): value for name, value in got.getheaders()}
        try:
            body, cut = got.read(), False
        except (http.client.IncompleteRead, ConnectionError) as error:
            body, cut = getattr(error, "partial", b""), True
        return Reply(got.status, headers, body, cut, time.monotonic() - began)
    finally:
        connection.close()


def fault_of(reply: Reply, form: str) -> str | None:
    """What is wrong with an answer, None if its reader sees whether it is whole."""
    if reply.cut:
        return f"cut off after {len(reply.body)} bytes"
    if "content-security-policy" not in reply.headers or reply.headers.get("x-content-type-options") != "nosniff":
        return "no headers of safety"
    if reply.status not in STATUSES:
        return f"status {reply.status}"
    if b"Traceback" in reply.body:
        return "a traceback"
    text = reply.body.decode("utf-8", "replace") if form != ".parquet" or reply.status != 200 else ""
    if not form:
        return None if text.rstrip().endswith("</html>") else "no whole page"
    if reply.status != 200 or form == ".json":
        try:
            names = list(json.loads(text))
        except ValueError as error:
            return f"no JSON ({error})"
        if reply.status == 200:
            ends = (["total", "next"], ["hint", "error"])
            return None if names[:2] == ["columns", "rows"] and names[2:] in ends else f"keys {names}"
        return None if names == ["error", "hint"] else f"keys {names}"
    if form == ".parquet":
        pq.read_table(io.BytesIO(reply.body))
    elif not text.endswith("\n"):
        return "no whole last line"
    return None


def is_broken(text: str, form: str) -> bool:
    """Whether rows of CSV or TSV end with a line that is none."""
    lines = text.split("\n")
    if form == ".tsv":
        return lines[-2].count("\t") != lines[0].count("\t")
    try:
        rows = list(csv.reader(lines[:1] + lines[-3:-1], strict=True))
    except csv.Error:
        return True
    return len({len(row) for row in rows}) > 1


def make_database(path: Path) -> Path:
    """A database of a gold corpus and two parsers."""
    with treesql.connect(path) as made:
        for name in ("gold", "parser-a", "parser-b"):
            made.load(FIXTURES / f"{name}.conllu", corpus=name)
    return path


def crawl(folder: Path, seed: int, size: int) -> list[str]:
    """Follow links through `size` pages of a database of hostile names; every corpus and sentence has one."""
    chosen = random.Random(seed)
    names = chosen.sample(NAMES, min(len(NAMES), max(size // 4, 4)))
    with treesql.connect(folder / "t.duckdb") as made:
        for at, name in enumerate(names):
            shown = "".join(one for one in name if one not in "\n\r\t").strip() or "x"
            word = f"1\t{shown}\t{shown}\tNOUN\t{shown.replace(' ', '')}\t_\t0\troot\t_\t_\n\n"
            text = f"# sent_id = {shown}\n# text = {shown}\n# note = {shown}\n{word}"
            (folder / f"{at}.conllu").write_bytes(text.encode())
            made.load(folder / f"{at}.conllu", corpus=name)
    with Site(str(folder / "t.duckdb"), seconds=20.0) as site:
        faults = _faults_of_names(site, names)
        waiting, seen = ["/"], {"/"}
        for _ in range(size):
            if not waiting:
                break
            address = waiting.pop(chosen.randrange(len(waiting)))
            status, text = _visit(site, address)
            is_page = text.startswith("<!DOCTYPE")
            if status != 200 and not (status == 400 and address.startswith("/search")):  # a request without words
                faults.append(f"{address}: status {status}")
            if is_page and MARKUP[:13] in text:
                faults.append(f"{address}: markup of a name")
            for _, link in Links(text).found if is_page else []:
                if link.startswith("/") and link not in seen:
                    seen.add(link)
                    waiting.append(link)
    return faults


def _visit(site: Site, address: str) -> tuple[int, str]:
    """The status and the text of an address, as a browser asks for it."""
    place = urlsplit(address)
    answer, body = site.answer(place.path, place.query), io.BytesIO()
    answer.write(body)
    site.finish()
    site.renew()
    return answer.status, body.getvalue().decode("utf-8", "replace")


def _faults_of_names(site: Site, names: Sequence[str]) -> list[str]:
    """What is wrong with the pages of corpora, and with those of their sentences, by the links to them."""
    links = [link for _, link in Links(_visit(site, "/")[1]).found if link.startswith("/corpora")]
    pages = {link: _visit(site, link)[1] for link in links}
    faults = []
    for name in names:
        title = f"<h1>{escape(name)}</h1>"
        own = next((link for link, text in pages.items() if title in text), None)
        if own is None:
            faults.append(f"{name!r}: no page of the corpus")
        elif any(part in (".", "..") for part in urlsplit(own).path.split("/")):
            faults.append(f"{name!r}: {own} is another address in a browser")
        else:
            _, listed = _visit(site, f"{own}{'&' if '?' in own else '?'}table=sentences")
            sentences = [link for _, link in Links(listed).found if link.startswith("/sentences")]
            if not sentences or _visit(site, sentences[0])[0] != 200:
                faults.append(f"{name!r}: no page of its sentence at {sentences[:1]}")
    return faults


def limits(folder: Path, seed: int, size: int) -> list[str]:
    """Ask for hostile statements in all formats, `size` of them: each ends in time and memory, with a whole answer."""
    chosen = random.Random(seed)
    asked = [(statement, form) for statement in HOSTILE for form in FORMS]
    chosen.shuffle(asked)
    asked = (asked * (size // len(asked) + 1))[:size]
    database = make_database(folder / "t.duckdb")
    faults = []
    with served(database, "--timeout", f"{SECONDS:g}", "--memory", f"{MEMORY // 10**6}MB") as server:
        with _Peak(server) as peak:
            for statement, form in asked:
                reply = ask(server.address, f"/sql{form}?{urlencode({'q': statement})}")
                fault = fault_of(reply, form) or _fault_of_end(reply, form, statement)
                if reply.seconds > 2 * (SECONDS + GRACE_SECONDS) + STOPPING + PATIENCE:
                    fault = f"{reply.seconds:.1f} seconds"
                faults += [f"{statement[:60]!r} as {form or 'a page'}: {fault}"] if fault else []
                again = [ask(server.address, "/sql.json?q=SELECT+1+AS+a")]
                while again[-1].status == 408 and len(again) < 10:  # on a busy machine
                    again.append(ask(server.address, "/sql.json?q=SELECT+1+AS+a"))
                if again[-1].status != 200:
                    faults.append(f"after {statement[:60]!r}: status {again[-1].status}")
        if peak.bytes > MEMORY + OVERSHOOT:
            faults.append(f"a worker took {peak.bytes:,} bytes")
        faults += server.faults()
    return faults


def _fault_of_end(reply: Reply, form: str, statement: str) -> str | None:
    """What is wrong where rows have no end that says that they are not all."""
    endless = statement in HOSTILE[2:4] or "boom" in statement
    if endless and reply.status == 200:
        text = reply.body[-10_000:].decode("utf-8", "replace")
        if form in (".csv", ".tsv"):
            head = reply.body.partition(b"\n")[0].decode()
            return None if is_broken(f"{head}\n{text}", form) else "the last line could be a row"
        return None if form == ".json" and '"error": ' in text else "no error"
    return None


def clients(folder: Path, seed: int, size: int, *, clients: int = 50) -> list[str]:
    """Have clients send `size` requests each, at the same time: quick, wrong, endless, given up, or read slowly."""
    database = make_database(folder / "t.duckdb")
    faults: list[str] = []
    waits: list[float] = []
    with served(database, "--timeout", "8", "--memory", f"{MEMORY // 10**6}MB") as server:

        def run(client: int) -> None:
            chosen = random.Random(seed * 1000 + client)
            for _ in range(size):
                try:
                    fault = chosen.choices(_ACTS, _WEIGHTS)[0](server.address, chosen, waits)
                except Exception as error:
                    fault = f"{type(error).__name__}: {error}"
                time.sleep(chosen.random() * THINKING)
                faults.extend([fault] if fault else [])

        with _Peak(server) as peak:
            threads = [threading.Thread(target=run, args=(client,)) for client in range(clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if peak.bytes > MEMORY + OVERSHOOT:
            faults.append(f"a worker took {peak.bytes:,} bytes")
        if waits and sorted(waits)[len(waits) // 2] > 2:
            faults.append(f"half of the light pages took more than {sorted(waits)[len(waits) // 2]:.1f} seconds")
        if (last := ask(server.address, "/sql.json?q=SELECT+1+AS+a")).status != 200:
            faults.append(f"at the end: status {last.status}")
        faults += server.faults()
    return faults


def _see_light(address: str, chosen: random.Random, waits: list[float]) -> str | None:
    path = chosen.choice(LIGHT)
    reply = ask(address, path)
    waits.append(reply.seconds)
    if reply.status != 200:
        return f"{path}: status {reply.status}"
    return fault_of(reply, "")


def _search(address: str, chosen: random.Random, waits: list[float]) -> str | None:
    form = chosen.choice(("", ".json", ".csv"))
    request = chosen.choice(("pattern{V-[obj]->O}", "pattern{X [upos=NOUN]}", "pattern{V-[obj]-O", "NP < NN"))
    return fault_of(ask(address, f"/search{form}?{urlencode({'q': request, 'corpus': 'gold'})}"), form)


def _attack(address: str, chosen: random.Random, waits: list[float]) -> str | None:
    statement, form = chosen.choice(HOSTILE), chosen.choice(FORMS)
    fault = fault_of(ask(address, f"/sql{form}?{urlencode({'q': statement})}"), form)
    return f"{statement[:60]!r} as {form or 'a page'}: {fault}" if fault else None


def _get_wrong(address: str, chosen: random.Random, waits: list[float]) -> str | None:
    """Ask for random bytes."""
    path = "/" + "".join(quote(chr(chosen.randrange(1, 256))) for _ in range(chosen.randrange(1, 40)))
    reply = ask(address, path)
    form = "" if b"<!DOCTYPE" in reply.body else ".json"
    fault = f"status {reply.status}" if reply.status >= 500 else fault_of(reply, form)
    return f"{path}: {fault}" if fault else None


def _leave(address: str, chosen: random.Random, waits: list[float]) -> str | None:
    with _asked(address, chosen.choice(HOSTILE)):
        time.sleep(chosen.random())
    return None


def _read_slowly(address: str, chosen: random.Random, waits: list[float]) -> str | None:
    with _asked(address, HOSTILE[3]) as tab:
        tab.settimeout(1.0)
        for _ in range(5):
            try:
                tab.recv(1000)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            time.sleep(0.5)
    return None


def _asked(address: str, statement: str) -> socket.socket:
    place = urlsplit(address)
    tab = socket.create_connection((place.hostname, place.port or 80))
    path = f"/sql.csv?{urlencode({'q': statement})}"
    tab.sendall(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
    return tab


Act = Callable[[str, random.Random, list[float]], str | None]

_ACTS: Sequence[Act] = (_see_light, _search, _attack, _get_wrong, _leave, _read_slowly)
_WEIGHTS = (40, 30, 3, 20, 4, 3)


def changes(folder: Path, seed: int, size: int) -> list[str]:
    """Replace, add and remove corpora of a folder `size` times while clients read it: each sees one state."""
    chosen = random.Random(seed)
    data = folder / "data"
    texts = {n: FIXTURES.joinpath("gold.conllu").read_text("utf-8") * n for n in (1, 3)}
    for n, text in texts.items():
        (folder / f"{n}.conllu").write_text(re.sub("# sent_id = .*\n", "", text), "utf-8")
    treesql.load(f"{data}/", folder / "1.conllu", corpus="c")
    treesql.load(data, FIXTURES / "parser-a.conllu", corpus="other")
    faults: list[str] = []
    over = threading.Event()
    with treesql.connect(data) as db:
        words = len(db.sql("SELECT form FROM words WHERE corpus = 'c'"))
    states = [[n * words] * 2 for n in texts]
    with served(data) as server:
        asked: dict[str, Callable[[Reply], bool]] = {
            "/sql.json?q=" + quote(_COUNTS): lambda reply: json.loads(reply.body)["rows"][0] in states,
            "/corpora/other": lambda reply: True,
            "/corpora/other.conllu": lambda reply: reply.body == (FIXTURES / "parser-a.conllu").read_bytes(),
            "/search.csv?q=pattern{V-[obj]->O}": lambda reply: not is_broken(reply.body.decode(), ".csv"),
        }

        def run(client: int) -> None:
            while not over.wait(0.05):
                path = list(asked)[client % len(asked)]
                reply = ask(server.address, path)
                if reply.cut or reply.status != 200 or not asked[path](reply):
                    faults.append(f"{path}: status {reply.status}, {reply.body[-200:]!r}")

        threads = [threading.Thread(target=run, args=(client,)) for client in range(len(asked))]
        for thread in threads:
            thread.start()
        for at in range(size):
            n = chosen.choice(list(texts)) if at else 3
            treesql.load(data, folder / f"{n}.conllu", corpus="c", replace=True)
            found = json.loads(ask(server.address, "/sql.json?q=" + quote(_COUNTS)).body).get("rows")
            if found != [[n * words] * 2]:
                faults.append(f"after a load: {found}, not {n * words}")
            if at % 3 == 0:
                treesql.load(data, folder / "1.conllu", corpus="new")
                added = ask(server.address, "/corpora/new.json").status
                with treesql.connect(data) as db:
                    db.drop("new")
                removed = ask(server.address, "/corpora/new.json").status
                faults += [] if (added, removed) == (200, 404) else [f"a new corpus: {added}, removed: {removed}"]
        over.set()
        for thread in threads:
            thread.join()
        faults += server.faults()
    return faults


_COUNTS = (
    "SELECT (SELECT count(*) FROM words WHERE corpus = 'c') AS n, "
    "(SELECT sum(n_words) FROM sentences WHERE corpus = 'c') AS m"
)


class _Peak:
    """The memory of the worker that takes most in a block."""

    def __init__(self, server: Served) -> None:
        self._server, self._over = server, threading.Event()
        self.bytes = 0
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            self.bytes = max(self.bytes, memory_of_workers(self._server.process))

    def __enter__(self) -> _Peak:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()


ATTACKS = {"crawl": crawl, "limits": limits, "clients": clients, "changes": changes}


def run(folder: Path, seed: int, sizes: dict[str, int]) -> dict[str, list[str]]:
    """The faults of every attack of `sizes`, each in a folder of its own."""
    found = {}
    for name, size in sizes.items():
        place = folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        found[name] = ATTACKS[name](place, seed, size)
    return found


def main(words: Sequence[str]) -> int:
    """Run the attacks of a command line; returns 1 if something gave way."""
    seed, *sizes = words or ["1"]
    n = 0
    with tempfile.TemporaryDirectory() as made:
        for word in sizes or ["crawl=300", "limits=55", "clients=12", "changes=12"]:
            attack, _, number = word.partition("=")
            began = time.monotonic()
            listed = run(Path(made), int(seed), {attack: int(number)})[attack]
            print(f"{attack}: {len(listed)} faults, {time.monotonic() - began:.0f} s", flush=True)
            for fault, times in Counter(listed).most_common(20):
                print(f"  {times} times: {fault[:300]}", flush=True)
            n += len(listed)
    return int(n > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
