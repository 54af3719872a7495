"""What a worker sends for a request: its answer, an error, or the answer of another state of a folder."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any, BinaryIO, cast

import pytest

from treesql.web import answers, messages, worker
from treesql.web.answers import Answer
from treesql.web.site import Site

ROW = b"x" * 100_000


class OneAnswerSite:
    """A site that gives an answer, and whose files change `changes` times while it is written."""

    begin_at = 1

    def __init__(self, write: Callable[[BinaryIO], object], *, form: str = "json", changes: int = 0) -> None:
        self._answer = Answer(write, form, columns=1)
        self._changes = changes
        self.asked = 0

    def answer(self, path: str, query: str) -> Answer:
        self.asked += 1
        return self._answer

    def failure(self, error: BaseException) -> Answer:
        return answers.of_error(str(error), "a hint", 418)

    def has_changed(self) -> bool:
        self._changes -= 1
        return self._changes >= 0

    def finish(self) -> None: ...


def sent(site: OneAnswerSite) -> list[tuple[bytes, Any]]:
    """The messages for a request; contents but those of parts as JSON has them."""
    out = io.BytesIO()
    worker._answer(cast(Site, site), "/", "", out)
    out.seek(0)
    listed = iter(lambda: messages.read(out), None)
    return [
        (kind, content if kind in (messages.PART, messages.END) else json.loads(content)) for kind, content in listed
    ]


def write(file: BinaryIO) -> None:
    file.write(ROW)
    file.flush()


def fail(file: BinaryIO) -> None:
    file.write(ROW)
    raise ValueError("no")


def fail_later(file: BinaryIO) -> None:
    write(file)
    fail(file)


def kinds(found: list[tuple[bytes, Any]]) -> bytes:
    return b"".join(kind for kind, _ in found)


def test_an_answer_has_a_head_its_rows_and_an_end() -> None:
    found = sent(OneAnswerSite(write))
    assert kinds(found) == b"hpe"
    assert found[1][1] == ROW


def test_an_error_before_the_first_row_is_another_answer() -> None:
    found = sent(OneAnswerSite(fail))
    assert kinds(found) == b"hpe"
    assert found[0][1]["status"] == 418
    assert json.loads(found[1][1]) == {"error": "no", "hint": "a hint"}


def test_an_error_after_rows_is_said_after_them() -> None:
    found = sent(OneAnswerSite(fail_later))
    assert kinds(found) == b"hpfe"
    assert (found[1][1], found[2][1]) == (ROW, ["no", "a hint"])


@pytest.mark.parametrize("written", [fail, fail_later])
def test_an_error_that_has_not_begun_is_made_again(written: Callable[[BinaryIO], object]) -> None:
    site = OneAnswerSite(written, form="conllu", changes=2)
    found = sent(site)
    assert site.asked == 3
    assert kinds(found).count(messages.HEAD) == 1
    assert found[0][1]["status"] == 418


@pytest.mark.parametrize("written", [fail, fail_later])
def test_a_folder_that_changes_all_the_time_is_not_read_without_end(written: Callable[[BinaryIO], object]) -> None:
    site = OneAnswerSite(written, form="conllu", changes=100)
    found = sent(site)
    assert (site.asked, kinds(found), found[0][1]["status"]) == (3, b"hpe", 418)


def test_rows_of_a_folder_that_changes_end_with_an_error() -> None:
    site = OneAnswerSite(fail_later, changes=1)
    found = sent(site)
    assert (site.asked, kinds(found)) == (1, b"hpfe")
    assert found[2][1] == list(answers.CHANGED.said)


class InterruptedPipe(io.RawIOBase):
    """A pipe to which nothing is written at once: a signal comes in the middle, and what it raises loses the rest."""

    def __init__(self) -> None:
        self.got = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.got += data[: len(data) // 2]
        worker._interrupt(2, None)
        self.got += data[len(data) // 2 :]
        return len(data)


def test_an_interrupt_leaves_whole_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows, that the worker is ready, is read as a message."""
    monkeypatch.setattr(worker, "_interrupts", [])
    pipe = InterruptedPipe()
    with pytest.raises(KeyboardInterrupt):
        worker._send(cast(BinaryIO, worker.Messages(cast(BinaryIO, pipe))), messages.PART, ROW)
    assert worker._interrupts == [2]
    assert messages.read(io.BytesIO(pipe.got)) == (messages.PART, ROW)
    with pytest.raises(KeyboardInterrupt):
        worker._interrupt(2, None)
