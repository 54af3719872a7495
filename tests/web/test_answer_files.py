"""Bodies of answers: in parts of whole rows, or at once."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from treesql.web import answers, messages
from treesql.web.answer_files import AnswerFile

ROWS = 2000


def sent(form: str, *, begin_at: int, fails_after: int = ROWS) -> list[tuple[bytes, bytes]]:
    """The messages of an answer whose batches have ten rows of 1 kB with what separates cells and rows."""
    schema = pa.schema([("a", pa.int64()), ("b", pa.string())])

    def batches() -> Iterator[pa.RecordBatch]:
        for first in range(0, ROWS, 10):
            if first >= fails_after:
                raise ValueError("no more")
            numbers = range(first, first + 10)
            yield pa.record_batch([list(numbers), ['x,\n"\t' * 200] * 10], schema=schema)

    answer = answers.of_rows(pa.RecordBatchReader.from_batches(schema, batches()), form)
    out = io.BytesIO()
    with AnswerFile(out, answer, begin_at) as file, contextlib.suppress(ValueError):
        answer.write(cast(BinaryIO, file))
        file.end()
    out.seek(0)
    return list(iter(lambda: messages.read(out), None))


def body(found: list[tuple[bytes, bytes]]) -> bytes:
    return b"".join(content for kind, content in found if kind == messages.PART)


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize("form", ["json", "csv", "tsv"])
def test_rows_are_sent_as_they_come(form: str) -> None:
    found = sent(form, begin_at=100_000)
    head = json.loads(found[0][1])
    assert (head["form"], head["columns"], head["status"]) == (form, 2, 200)
    assert "content-length" not in head["headers"]
    assert len(found) > 10
    assert len(found[1][1]) >= 100_000


@pytest.mark.parametrize("form", ["json", "csv", "tsv"])
def test_what_is_sent_before_a_failure_are_whole_rows(form: str) -> None:
    begun = body(sent(form, begin_at=100_000, fails_after=1000)).decode()
    whole = begun + answers.broken_end(form, 2, "no more", "").decode()
    if form == "json":
        rows = json.loads(whole)["rows"]
        assert [row[0] for row in rows] == list(range(len(rows)))
        assert 500 < len(rows) <= 1000
    elif form == "tsv":
        assert {line.count("\t") for line in begun.split("\n")[:-1]} == {1}
    else:
        assert begun.endswith('"\n')
        assert begun.count('"') % 2 == 0


@pytest.mark.parametrize("form", ["json", "csv", "tsv", "parquet"])
def test_nothing_is_sent_before_a_failure_that_comes_soon(form: str) -> None:
    assert sent(form, begin_at=100_000_000, fails_after=1000) == []


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(("form", "begin_at"), [("parquet", 1), ("json", 100_000_000), ("csv", 100_000_000)])
def test_what_is_sent_at_once_has_its_length(form: str, begin_at: int) -> None:
    found = sent(form, begin_at=begin_at)
    head = json.loads(found[0][1])
    assert head["headers"]["content-length"] == str(len(body(found)))
    if form == "parquet":
        assert pq.read_table(io.BytesIO(body(found))).num_rows == ROWS
    if form == "json":
        assert json.loads(body(found))["total"] == ROWS


@pytest.mark.parametrize(
    ("name", "form", "what"), [("MAX_PART", "json", "a row"), ("MAX_WHOLE", "parquet", "the answer")]
)
def test_too_many_bytes_are_refused(name: str, form: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"treesql.web.answer_files.{name}", 1000)
    with pytest.raises(answers.AnswerTooLarge, match=what) as error:
        sent(form, begin_at=1)
    assert answers.status_of(error.value) == answers.TOO_LARGE


def test_what_waits_for_the_beginning_is_no_row() -> None:
    """Each of the rows is small, and together they have more bytes than a row may have."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("treesql.web.answer_files.MAX_PART", 100_000)
        assert len(body(sent("csv", begin_at=1_000_000))) > 1_500_000
