"""The site of a database of fixtures/, and what it answers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.web.site import Site


class Got(NamedTuple):
    """An answer: its status, media type and body."""

    status: int
    media: str
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> dict[str, Any]:
        assert self.media == "application/json"
        found: dict[str, Any] = json.loads(self.body)
        return found


Get = Callable[..., Got]


@pytest.fixture(scope="session")
def web_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with gold, parser-a, parser-b, two corpora of constituency trees, and an alignment."""
    path = tmp_path_factory.mktemp("web") / "t.duckdb"
    with treesql.connect(path) as made:
        for corpus in ("gold", "parser-a", "parser-b"):
            made.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        for side in ("gold", "test"):
            made.load(FIXTURES / f"{side}.mrg", corpus=f"{side}.mrg")
        made.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        made.load(FIXTURES / "links.pharaoh", corpus="links", source_corpus="gold", target_corpus="gold")
    return path


@pytest.fixture(scope="session")
def site(web_database: Path) -> Iterator[Site]:
    with Site(str(web_database), seconds=10.0) as made:
        yield made


@pytest.fixture(scope="session")
def get(site: Site) -> Get:
    """Ask the site for an address."""

    def ask(path: str, **parameters: object) -> Got:
        answer = site.answer(path, urlencode(parameters, doseq=True))
        body = io.BytesIO()
        answer.write(body)
        site.finish()
        site.renew()
        return Got(answer.status, answer.media, body.getvalue())

    return ask
