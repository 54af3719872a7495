"""The server: what it refuses, its headers, and requests that are stopped."""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import quote, urlencode

import httpx
import pytest
import uvicorn

import treesql
from tests.conftest import ROOT, thorough_but
from tests.house.rules import in_turn
from tests.web.servers import DEAF, ENDLESS, become_busy, served, serving
from treesql.web.pool import Pool
from treesql.web.server import Application, Server, _bind, _is_heavy
from treesql.web.site import Site

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about the client library that it would rather have
    from starlette.testclient import TestClient


@pytest.fixture(scope="module")
def client(web_database: Path) -> Iterator[TestClient]:
    pool = Pool(str(web_database), seconds=20.0, memory="1GB", size=2)
    with TestClient(Application(pool, seconds=20.0), base_url="http://127.0.0.1:8000") as made:
        yield made


def test_answers_pass_through_workers(client: TestClient) -> None:
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/").text.startswith("<!DOCTYPE html>")
    assert client.get("/sql.json", params={"q": "SELECT 42 AS a"}).json()["rows"] == [[42]]
    rows = client.get("/sql.json", params={"q": "SELECT i FROM range(200000) AS r(i)"}).json()
    assert (rows["total"], rows["rows"][-1]) == (200_000, [199_999])
    assert client.get("/corpora/nope.json").status_code == 404
    assert client.get("/static/script.js").headers["content-type"].startswith("text/javascript")


def test_the_answer_in_the_page_is_what_is_served(client: TestClient) -> None:
    page = (ROOT / "docs" / "serve.md").read_text("utf-8")
    [(address, answer)] = re.findall(r"^\$ curl '(\S+)'\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert client.get(address).text == answer


def test_every_answer_forbids_scripts_of_others(client: TestClient) -> None:
    for path in (
        "/",
        "/health",
        "/search.json",
        "/nope",
        "/static/style.css",
        "/corpora/a%0Ab",
        "/%0A",
        "/" + "x" * 30_000,
    ):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


@in_turn(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200), ("localhost", 200), ("[::1]:8000", 200), ("evil.example", 400),
        ("127.0.0.1.evil.example", 400), ("", 400), ("10.0.0.1", 400), ("127.0.0.1:80@evil.com", 400),
        ("127.0.0.1:abc", 400), ("[localhost]", 400), ("[127.0.0.1]", 400), ("127.0.0.1]", 400), ("[::1", 400),
        ("::1", 400), ("127.0.0.1:80:80", 400), ("localhost/a", 400), ("localhost ,a", 400), ("localhost%00", 400),
        ("LOCALHOST:1", 200), ("localhost.:8000", 200), ("127.0.0.1:", 200), ("[0:0::1]", 200),
    ],
)  # fmt: skip
def test_foreign_names_are_refused(host: str, status: int, client: TestClient) -> None:
    assert client.get("/health", headers={"host": host}).status_code == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_is_changed(method: str, client: TestClient) -> None:
    assert client.request(method, "/").status_code == 405


def test_other_sites_cannot_embed_or_read(client: TestClient) -> None:
    asked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    assert client.get("/", headers=asked).status_code == 403
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.get("/", headers=followed).status_code == 200


@in_turn(
    ("path", "query", "heavy"),
    [
        ("/", "", False), ("/corpora/gold", "", False), ("/corpora/gold.json", "", False), ("/nope", "", False),
        ("/sentences/gold/tea", "system=parser-a", False), ("/sentences/gold/tea.conllu", "", False),
        ("/search", "q=x", True), ("/sql.csv", "q=x", True), ("/score/dependency", "", True), ("/report/x", "", True),
        ("/corpora/gold", "table=features", True), ("/corpora/gold.conllu", "", True), ("/%73ql", "q=x", True),
        ("/corpora/gold", "format=conllu", True), ("/corpora", "part=..&format=conllu", True),
    ],
)  # fmt: skip
def test_what_may_take_long_is_heavy(path: str, query: str, heavy: bool) -> None:
    assert _is_heavy(path, query) is heavy


def test_long_addresses_are_refused(client: TestClient) -> None:
    found = client.get("/sql.json", params={"q": "SELECT " + "1" * 30_000})
    assert (found.status_code, list(found.json())) == (413, ["error", "hint"])
    page = client.get("/sql", params={"q": "SELECT " + "1" * 30_000})
    assert (page.status_code, page.headers["content-type"]) == (413, "text/html; charset=utf-8")
    assert "the address is too long" in page.text


def test_a_limit_of_time_stops_what_can_be_interrupted(client: TestClient) -> None:
    began = time.monotonic()
    found = client.get("/sql.json", params={"q": ENDLESS, "timeout": "0.2"})
    assert (found.status_code, list(found.json())) == (408, ["error", "hint"])
    assert time.monotonic() - began < 5
    assert client.get("/sql.json", params={"q": "SELECT 1 AS a"}).json()["rows"] == [[1]]


FAILS = "SELECT CASE WHEN i > 3000000 THEN error('boom') ELSE 'x,\"' END AS a FROM range(3500000) AS r(i)"
"""A statement that fails later than DuckDB computes ahead of the rows that it gives out, a million and more."""


def test_rows_that_fail_end_with_the_error(client: TestClient) -> None:
    table = client.get("/sql.csv", params={"q": FAILS})
    last = table.text.split("\n")[-2]
    assert table.status_code == 200
    assert re.fullmatch('error: [^,"]*boom,"error: [^"]*boom', last)
    for form in ("parquet", "html"):
        assert client.get("/sql", params={"q": FAILS, "format": form}).status_code == 400
    assert client.get("/sql.json", params={"q": f"{FAILS} LIMIT 1"}).json()["total"] == 1


def test_rows_without_end_are_stopped(client: TestClient) -> None:
    began = time.monotonic()
    found = client.get("/sql.json", params={"q": "SELECT * FROM range(1000000000000)", "timeout": "0.2"})
    assert time.monotonic() - began < 10
    assert found.status_code in (200, 408)  # by whether there were rows in this time
    assert found.json()["error"] == "stopped after 0.2 seconds"
    assert client.get("/health").json()["ready"] == 2


def test_a_head_without_end_is_answered_at_once(client: TestClient) -> None:
    found = client.head("/sql.csv", params={"q": "SELECT * FROM range(1000000000000)"})
    assert (found.status_code, found.content, found.elapsed.total_seconds() < 10) == (200, b"", True)
    assert found.headers["content-type"].startswith("text/csv")


@pytest.mark.slow
def test_a_temporary_view_of_a_request_that_was_stopped_is_gone(client: TestClient) -> None:
    made = client.get("/sql.json", params={"q": f"CREATE TEMP TABLE words AS {ENDLESS}", "timeout": "0.2"})
    assert made.status_code == 408
    client.get("/sql.json", params={"q": "CREATE TEMP VIEW words AS SELECT 1 AS a"})
    for _ in range(4):
        assert client.get("/sql.json", params={"q": "SELECT form FROM words LIMIT 1"}).status_code == 200


@pytest.fixture(scope="module")
def address(web_database: Path) -> Iterator[str]:
    """A server as a process of its own."""
    with serving(web_database) as found:
        yield found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no signals")
@pytest.mark.parametrize(
    ("clients", "name"),
    thorough_but(
        [
            (("waits", "reads", "has stopped reading"), "SIGTERM"),
            (("waits",), "SIGHUP"),
            (("reads",), "SIGINT"),
            (("reads",), "SIGHUP"),
            (("has stopped reading",), "SIGTERM"),
        ],
        (("waits", "reads", "has stopped reading"), "SIGTERM"),
    ),
)
def test_the_server_ends_within_a_second(clients: Sequence[str], name: str, web_database: Path) -> None:
    """Whatever its clients do, and without a traceback."""
    with served(web_database) as server, contextlib.ExitStack() as stack:
        url = httpx.URL(server.address)
        for client in clients:
            tab = stack.enter_context(socket.create_connection((url.host, url.port or 80)))
            if client == "waits":
                continue
            asked = f"GET /sql.csv?q=SELECT+*+FROM+range(1000000000000) HTTP/1.1\r\nHost: {url.host}\r\n\r\n"
            tab.sendall(asked.encode())
            assert tab.recv(1000).startswith(b"HTTP/1.1 200")
            if client == "reads":
                reading = threading.Thread(target=_read_all, args=[tab])
                reading.start()
                stack.callback(reading.join, 10)
        time.sleep(0.5)  # so that what is not read fills the sockets
        by = getattr(signal, name)
        seconds, code = server.end(by)
        assert (code, server.faults()) == (128 + by, [])
        assert seconds < 1


def _read_all(tab: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while tab.recv(65536):
            pass


def test_a_second_signal_ends_the_server_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, end = Mock(), Mock()
    monkeypatch.setattr("treesql.web.server.os._exit", end)
    server = Server(uvicorn.Config(Mock()), pool)
    server.handle_exit(signal.SIGTERM, None)
    assert not pool.end.called
    server.handle_exit(signal.SIGINT, None)
    assert (pool.end.call_count, end.call_args.args) == (1, (130,))


@pytest.mark.slow
def test_what_is_no_request_gets_an_answer_with_all_headers(address: str) -> None:
    url = httpx.URL(address)
    for sent in (b"nonsense\r\n\r\n", b"GET /" + b"x" * 3_000_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"):
        with socket.create_connection((url.host, url.port or 80), timeout=10) as tab:
            tab.sendall(sent)
            got = b"".join(iter(lambda: tab.recv(65536), b""))
        head, _, body = got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"x-content-type-options: nosniff" in head
        assert list(json.loads(body)) == ["error", "hint"]


@pytest.mark.slow
def test_too_much_memory_is_refused(client: TestClient) -> None:
    found = client.get("/sql.json", params={"q": "SELECT list(i) FROM range(1000000000) AS r(i)"})
    assert (found.status_code, list(found.json())) == (413, ["error", "hint"])
    assert client.get("/sql.json", params={"q": "SELECT 1 AS a"}).json()["rows"] == [[1]]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("statement", [ENDLESS, pytest.param(DEAF, marks=pytest.mark.thorough)])
def test_a_closed_tab_stops_its_query_and_disturbs_no_other(statement: str, address: str) -> None:
    url = httpx.URL(f"{address}sql.json?{urlencode({'q': statement})}")
    with socket.create_connection((url.host, url.port or 80)) as tab:
        tab.sendall(f"GET {url.raw_path.decode()} HTTP/1.1\r\nHost: {url.host}\r\n\r\n".encode())
        assert become_busy(1)
        assert httpx.get(f"{address}corpora/gold.json", timeout=30).status_code == 200
    assert become_busy(0) or statement == DEAF
    assert httpx.get(f"{address}sql.json?q=SELECT+1", timeout=10).json()["rows"] == [[1]]


@pytest.mark.slow
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, gold_database: Path, run) -> None:  # type: ignore[no-untyped-def]
    missing = run("serve", tmp_path / "none.duckdb")
    assert missing.code == 2
    assert "there is no such database" in missing.err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = run("serve", gold_database, "--port", taken.getsockname()[1])
    assert found.code == 2
    assert "choose another --port" in found.err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, run) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("treesql.web.find_spec", lambda name: None if name == "uvicorn" else object())
    found = run("serve", "x.duckdb")
    assert (found.code, found.err) == (2, "treesql serve needs uvicorn; pip install 'treesql[web]'\n")


def test_an_address_that_is_named_takes_connections() -> None:
    with _bind("127.0.0.1", 0) as bound:  # as it is when `is served at` is printed and --open opens the browser
        socket.create_connection(bound.getsockname(), timeout=10).close()
        with pytest.raises(treesql.UsageError, match="choose another --port"):
            _bind(*bound.getsockname())


@pytest.mark.slow
def test_a_hostile_corpus_is_harmless(tmp_path: Path) -> None:
    markup = "<script>alert(1)</script>\"'><img/src=x/onerror=alert(1)>"
    name = markup.replace("/", ".")
    text = f"# sent_id = {markup}\n# text = {markup}\n# {markup} = x\n"
    word = f"1\t{markup}\t{markup}\tNOUN\t{markup}\tX={markup.replace('=', '')}\t0\t{markup}\t_\t{markup}\n\n"
    (tmp_path / "x.conllu").write_text(text + word, "utf-8")
    with treesql.connect(tmp_path / "x.duckdb") as made:
        made.load(tmp_path / "x.conllu", corpus=name)
    with Site(str(tmp_path / "x.duckdb"), seconds=10.0) as site:
        query = {"q": "pattern { e: H -> X }", "corpus": name}
        for path, parameters in (
            ("/", {}), ("/corpora/" + quote(name), {}),
            ("/search", query), ("/search", {**query, "by": "X.lemma"}), ("/search", {**query, "show": "concordance"}),
            ("/search", {**query, "by": "X.lemma,e.label", "grid": "1"}),
            ("/sql", {"q": f"SELECT '{markup[:25]}' FROM words"}),
            ("/sql", {"q": markup}), ("/search", {"q": markup}), ("/" + markup.replace("/", ""), {}),
        ):  # fmt: skip
            answer, body = site.answer(path, urlencode(parameters)), io.BytesIO()
            answer.write(body)
            page = body.getvalue().decode()
            site.renew()
            assert "<script>alert" not in page, path
            assert "<img/src" not in page, path
            assert answer.status != 200 or "&lt;script&gt;" in page, path
