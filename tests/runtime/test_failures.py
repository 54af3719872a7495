"""What other libraries raise, told in one line."""

from __future__ import annotations

import errno
from functools import cached_property

import duckdb
import pyarrow as pa
import pytest

from tests.house.rules import in_turn
from treesql.errors import DatabaseError, QueryError, TreesqlError, UsageError
from treesql.runtime.failures import (
    as_treesql_error,
    convert_errors,
    convert_errors_of_class,
    describe_error,
    was_interrupted,
)


@in_turn(
    ("error", "kind", "line"),
    [
        (
            duckdb.ConstraintException('Constraint Error: CHECK failed on "words"\nmore'), DatabaseError,
            'CHECK failed on "words"; the rows break a rule of their table; fix them, nothing was changed',
        ),
        (
            duckdb.TransactionException("TransactionContext Error: Failed to commit: No space left on device"),
            DatabaseError, "Failed to commit: No space left on device; make room on the disk, and try again",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"), UsageError,
            "output: No space left on device; make room on the disk, or name another place",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "a.csv"), UsageError,
            "a.csv: No such file or directory; name one that can be read and written",
        ),
        (pa.ArrowInvalid("odd\nmore"), UsageError, "odd; check whether the arguments fit"),
        ("a\udce9".encode, UsageError, r"'a\udce9' is not UTF-8; write it in UTF-8"),
        (b"ab\xff".decode, UsageError, "byte 3 of a text is not UTF-8; write it in UTF-8"),
        (MemoryError(), UsageError, "out of memory; process less at a time"),
        (RecursionError("x"), UsageError, "this is nested too deeply; simplify it"),
        (OverflowError("x"), UsageError, "a number is out of range (x); name a smaller one"),
        (ValueError("embedded null byte"), UsageError, "a name has a NUL character in it; leave it out"),
    ],
)  # fmt: skip
def test_known_errors(error: object, kind: type[TreesqlError], line: str) -> None:
    if callable(error):
        with pytest.raises(UnicodeError) as caught:
            error()
        error = caught.value
    assert isinstance(error, Exception)
    found = as_treesql_error(error)
    assert (type(found), str(found)) == (kind, line)


def test_faults_of_treesql_are_not_explained() -> None:
    assert as_treesql_error(KeyError("x")) is None
    assert as_treesql_error(ValueError("x")) is None
    own = UsageError("x")
    assert as_treesql_error(own) is own


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error: Interrupted!")]
)
def test_interruptions(error: Exception) -> None:
    assert was_interrupted(error)
    assert isinstance(as_treesql_error(error), KeyboardInterrupt)


def test_interruptions_inside_of_functions_of_c() -> None:
    """Compiled kernels raise an error for each function that was called meanwhile."""
    inner, outer = (SystemError(f"{name} returned a result with an exception set") for name in ("inner", "outer"))
    inner.__cause__, outer.__cause__ = KeyboardInterrupt(), inner
    assert was_interrupted(outer)
    assert isinstance(as_treesql_error(outer), KeyboardInterrupt)
    assert as_treesql_error(SystemError("x")) is None


def test_a_message_of_a_thread_of_its_own() -> None:
    inner = r'{"exception_type":"IO","exception_message":"Could not write \"x.csv\": No space left on device"}'
    error = duckdb.IOException(f"IO Error: Async write failed for range [offset=1]: {inner}")
    assert (
        describe_error(error)
        == 'Could not write "x.csv": No space left on device; make room on the disk, and try again'
    )


def test_the_front_door_keeps_what_happened() -> None:
    @convert_errors
    def fails() -> None:
        raise ValueError("odd")

    with pytest.raises(UsageError, match="odd") as caught:
        fails()
    assert isinstance(caught.value.__cause__, ValueError)

    @convert_errors
    def broken() -> None:
        raise KeyError("a fault of treesql")

    with pytest.raises(KeyError):
        broken()


def test_all_that_a_class_shows_is_its_front_door() -> None:
    @convert_errors_of_class
    class Fails:
        def method(self) -> None:
            raise ValueError("odd")

        @classmethod
        def of_class(cls) -> None:
            raise ValueError("odd")

        @property
        def computed(self) -> None:
            raise ValueError("odd")

        @cached_property
        def cached(self) -> None:
            raise ValueError("odd")

    for use in (Fails().method, Fails.of_class, lambda: Fails().computed, lambda: Fails().cached):
        with pytest.raises(UsageError, match="odd"):
            use()


def test_damaged_parts_that_spark_reads() -> None:
    """Where the message does not name the file."""
    said = "com.github.luben.zstd.ZstdIOException: Data corruption detected"
    told = str(as_treesql_error(QueryError(f"Caused by: {said}", "SELECT 1", "words")))
    assert told == f"a Parquet file is damaged ({said}); `treesql check` of its folder says which"
