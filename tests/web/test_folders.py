"""Folders of Parquet that change while they are served: the next answer is that of the new state."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.engines import manifests
from treesql.web import messages
from treesql.web.messages import state_of
from treesql.web.site import Site

WORDS = "q=SELECT+count(*)+AS+n+FROM+words"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with gold, to be copied."""
    path = tmp_path_factory.mktemp("made") / "data"
    load(path, "c", "gold")
    return path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "data"))


def load(folder: Path, corpus: str, name: str, *, replace: bool = False) -> None:
    """Load a fixture into a folder, as another process would."""
    treesql.load(f"{folder}/", FIXTURES / f"{name}.conllu", corpus=corpus, replace=replace)


def answer(site: Site, path: str, query: str = "") -> tuple[int, Any]:
    found, body = site.answer(path, query), io.BytesIO()
    found.write(body)
    assert found.status == 200 or not site.has_changed()
    site.finish()
    site.renew()
    return found.status, json.loads(body.getvalue())


def test_what_changes_is_seen_by_the_next_request(folder: Path) -> None:
    with Site(str(folder), seconds=20.0) as site:
        before = answer(site, "/sql.json", WORDS)[1]["rows"]
        load(folder, "new", "parser-a")
        assert answer(site, "/corpora/new.json")[0] == 200
        assert answer(site, "/sql.json", WORDS)[1]["rows"] == [[2 * before[0][0]]]
        with treesql.connect(folder) as other:
            other.drop("new")
        assert answer(site, "/corpora/new.json")[0] == 404
        load(folder, "c", "reference", replace=True)
        with treesql.connect(folder) as other:
            now = other.sql("SELECT count(*) AS n FROM words")["n"]
        assert answer(site, "/sql.json", WORDS)[1]["rows"] == [now] != before


def test_numbers_of_hits_are_those_of_the_state(folder: Path) -> None:
    query = "q=pattern{X+[upos=VERB]}&limit=1"
    with Site(str(folder), seconds=20.0) as site:
        before = answer(site, "/search.json", query)[1]["total"]
        load(folder, "new", "gold")
        assert answer(site, "/search.json", query)[1]["total"] == 2 * before > 0


def test_an_answer_that_a_change_has_broken_is_not_given(folder: Path) -> None:
    with Site(str(folder), seconds=20.0) as site:
        site.connect()
        parts = set(folder.glob("*/c/*.parquet"))
        assert not site.has_changed()
        load(folder, "c", "reference", replace=True)
        assert site.has_changed()
        load(folder, "c", "gold", replace=True)
        assert not parts & set(folder.glob("*/c/*.parquet")), "no part has the name of another one"


def test_an_error_that_needs_no_folder_is_the_answer_whatever_changes(folder: Path) -> None:
    with Site(str(folder), seconds=20.0) as site:
        site.connect()
        load(folder, "new", "gold")
        for path in ("/nonsense", "/search.nonsense", "/search.json?q=pattern{X}&limit=nonsense"):
            name, _, query = path.partition("?")
            assert site.answer(name, query).status in (400, 404)
            assert not site.has_changed()


def test_a_damaged_folder_is_one_line_until_it_is_whole(folder: Path) -> None:
    [part] = folder.glob("words/c/*.parquet")
    with Site(str(folder), seconds=20.0) as site:
        assert answer(site, "/sql.json", WORDS)[0] == 200
        shutil.move(part, folder / "kept")
        manifest = next(folder.glob("_manifest/*.json"))
        manifest.touch()
        site.prepare()
        status, error = answer(site, "/sql.json", WORDS)
        assert status == 503
        assert part.name in error["error"]
        shutil.move(folder / "kept", part)
        assert answer(site, "/sql.json", WORDS)[0] == 200


def test_a_folder_that_is_gone_is_reported_by_requests(folder: Path) -> None:
    """And ends no worker that waits for one."""
    with Site(str(folder), seconds=20.0) as site:
        site.prepare()
        shutil.move(folder, folder.parent / "moved")
        site.prepare()
        assert answer(site, "/sql.json", WORDS)[0] == 503
        shutil.move(folder.parent / "moved", folder)
        site.prepare()
        assert answer(site, "/sql.json", WORDS)[0] == 200


def test_the_state_of_a_database_is_that_of_its_files(folder: Path, tmp_path: Path) -> None:
    assert folder / messages.MANIFEST == manifests.manifest_path(folder)
    before = state_of(str(folder))
    assert before == state_of(str(folder)) is not None
    next(folder.glob("_manifest/*.json")).touch()
    assert state_of(str(folder)) != before
    assert state_of(str(tmp_path / "none")) is None
    (tmp_path / "file").write_text("a")
    first = state_of(str(tmp_path / "file"))
    (tmp_path / "file").write_text("ab")
    assert state_of(str(tmp_path / "file")) != first
