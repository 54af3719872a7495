"""A Spark session for tests: one for a whole run, on this machine, small."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

OF_SHORT_RUNS = {
    "spark.buffer.pageSize": "1m",  # by default 64 MB for every sort, which have to be cleared
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""What makes Java cheap for a minute of work, and changes nothing of how statements are planned and run."""

SETTINGS = {
    "spark.driver.memory": "2g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",  # tables are tiny: planning and compiling take longer than running
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    **OF_SHORT_RUNS,
}

WITH_A_SERVER = {
    **SETTINGS,
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.port": "0",  # any free one
}
"""Of a session whose Java is a server of Spark Connect as well."""


def address_of_server(session: Any) -> str:
    """The address of Spark Connect of a session with a server."""
    service = getattr(session._jvm.org.apache.spark.sql.connect.service, "SparkConnectService$")
    return f"sc://127.0.0.1:{getattr(service, 'MODULE$').localPort()}"


def start_session(master: str = "local[2]", settings: Mapping[str, str] = SETTINGS) -> Any:
    """Start a session with these settings."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("tests of treesql")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session
