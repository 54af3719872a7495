"""Spark sessions: one of the user's, or one that is started for a database."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from treesql.errors import DatabaseError, UsageError
from treesql.runtime import interrupts
from treesql.runtime.failures import missing_package

MASTER = "local[*]"
"""Where a session runs that is started without the address of a cluster: in this process."""

CONNECT = "sc://"
"""How addresses of servers of Spark Connect begin, which need no Java here."""

ANSWERS_WITHIN = 10
"""Seconds in which a server of Spark Connect has to answer at first."""

OLDEST = (4, 1)
"""Version of Spark that has had functions over Arrow batches since."""

JAVA_OLDEST = 17
"""Version of Java that Spark needs."""

_INSTALL = f"install it (Debian, Ubuntu: apt install openjdk-{JAVA_OLDEST}-jre-headless)"

JAVA = f"Spark needs Java {JAVA_OLDEST} or later: {_INSTALL}, or set JAVA_HOME"

JAVA_ENDED = f"Java ended at once (it has to be {JAVA_OLDEST} or later, and that of JAVA_HOME if this is set)"

ADDRESSES = "check the address: local[4], spark://HOST:7077, yarn or sc://HOST"

SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    "spark.sql.legacy.charVarcharAsString": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2048",
    "spark.sql.autoBroadcastJoinThreshold": "1m",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "1m",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.RemoveRedundantAliases",
}
"""Settings of the session of a database: that of the user's session may differ, and stays as it is.

An overflow or a failing cast is an error, as in DuckDB. A batch has as many rows as one of DuckDB's, as rows with lists
are long. What Spark takes for 10 MB of words, by its compressed columns, is some hundred in memory: a driver with a
heap of 1 GB cannot broadcast several such tables at a time. The rule that is left out makes plans of Spark 4.3 invalid
where a relation is joined with itself.
"""


def check_session(spark: Any) -> None:
    """Raise UsageError or DatabaseError, before anything starts, unless a session can be had.

    spark: a SparkSession, or the address of a master. It needs PySpark, sqlglot and, unless a server has it, Java.
    """
    _check_installed()
    if isinstance(spark, str):
        if not spark.startswith(CONNECT):
            _check_java()
    elif not hasattr(spark, "newSession"):
        raise UsageError(f"spark is {type(spark).__name__}; pass a SparkSession, or the address of a master")


def own_session(spark: Any) -> Any:
    """Return a session with the settings of treesql, which shares the executors of one of the user's.

    spark: what `check_session` has checked: a SparkSession, or the address of a master (`local[4]`,
    `spark://host:7077`, `sc://host`), which starts one. Raises UsageError, DatabaseError.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    session = start(spark) if isinstance(spark, str) else spark
    try:
        _check_version(str(session.version))
        separate = session.newSession()
        for name, value in SETTINGS.items():
            separate.conf.set(name, value)
    except (PySparkException, Py4JError, AttributeError, OSError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DatabaseError(f"this Spark session does not answer ({what}); start another one") from None
    return separate


def is_remote(session: Any) -> bool:
    """Whether a session is one of Spark Connect, on a server."""
    return not hasattr(session, "_jsparkSession")


def close_remote(session: Any) -> None:
    """Close the connection of a session of Spark Connect: left to the end of Python, that can wait for ever."""
    if is_remote(session):
        with suppress(Exception):  # the server has gone
            session.client.close()


def start(master: str = "") -> Any:
    """Start a session, or return the one that runs. master: an address; if empty, that of spark-submit, or MASTER.

    Raises DatabaseError, UsageError.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        session = _start(master)
    if is_remote(session):
        atexit.register(close_remote, session)
    return session


def _start(master: str) -> Any:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("treesql")
    if master.startswith(CONNECT):
        _check_server(master)
        builder = builder.remote(master)
    else:  # a server has its own settings
        builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
        if master or "SPARK_ENV_LOADED" not in os.environ:
            builder = builder.master(master or MASTER)
    with nullcontext() if master.startswith(CONNECT) else _ending_java():
        try:
            return builder.getOrCreate()
        except (PySparkException, Py4JError, OSError, RuntimeError) as error:  # whose text Java has, while it runs
            lines = str(error).splitlines() or [type(error).__name__]
            of_java = [line.removeprefix(": ") for line in lines if line.startswith(": ")]
            what = JAVA_ENDED if "JAVA_GATEWAY" in lines[0] else next(iter(of_java), lines[0])
            raise DatabaseError(f"no Spark session starts at {master or MASTER}: {what}; {ADDRESSES}") from None


_java_starting: list[Any] = []
"""Processes of Java that are being started."""


@contextmanager
def _ending_java() -> Iterator[None]:
    """End the process of Java that the block starts if the block raises: while it starts, Java does not notice that
    Python has ended. Signals stay those of treesql: Spark sets a handler of its own."""
    from pyspark import java_gateway

    launcher: Any = java_gateway
    start = launcher.Popen

    def start_and_keep(*given: Any, **named: Any) -> Any:
        _java_starting.append(start(*given, **named))
        return _java_starting[-1]

    launcher.Popen = start_and_keep
    try:
        yield
    except BaseException:
        _end_java()
        raise
    finally:
        launcher.Popen = start
        _java_starting.clear()
        interrupts.listen_again()


def _end_java() -> None:
    """End the processes of Java that are being started."""
    for process in tuple(_java_starting):
        process.kill()


interrupts.at_sudden_end(_end_java)


def _check_server(address: str) -> None:
    """Raise DatabaseError unless a server of Spark Connect answers: PySpark would ask again for minutes."""
    from pyspark.errors import PySparkException

    try:
        import grpc
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError as error:
        use, install = "Spark Connect is used through PySpark's client", "pip install 'pyspark[connect]'"
        raise missing_package(error, ("grpc", "google", "grpc_status", "pandas"), use, install) from None
    try:
        channel = DefaultChannelBuilder(address).toChannel()
    except (PySparkException, ValueError) as error:
        raise UsageError(
            f"{address} is no address of Spark Connect ({error}); write sc://HOST or sc://HOST:PORT"
        ) from None
    with channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=ANSWERS_WITHIN)
        except grpc.FutureTimeoutError:
            raise DatabaseError(
                f"no server of Spark Connect answers at {address} within {ANSWERS_WITHIN} seconds; start one, or "
                "correct the address"
            ) from None


def _check_installed() -> None:
    """Raise UsageError unless PySpark and sqlglot are installed."""
    try:
        import pyspark  # noqa: F401
        import sqlglot  # noqa: F401
    except ImportError as error:
        use, install = "Spark is used through PySpark and sqlglot", "pip install 'treesql[spark]'"
        raise missing_package(error, ("pyspark", "sqlglot"), use, install) from None


def _check_java() -> None:
    """Raise DatabaseError if there is no Java."""
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise DatabaseError(JAVA)


def _check_version(version: str) -> None:
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise UsageError(f"this session is of Spark {version}; functions over Arrow batches need {needed} or later")
