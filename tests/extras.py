"""Extras of the project that only some tests need: without one, these tests are skipped and name it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

MODULES = {
    "arbiter": ["sklearn"],
    "browser": ["playwright", "axe_playwright_python"],
    "charts": ["vl_convert"],
    "docs": ["sphinx", "myst_parser"],
    "notebooks": ["nbclient", "ipykernel"],
    "spark": ["pyspark", "sqlglot"],
    "spark-connect": ["pyspark", "sqlglot", "grpc"],
}
"""By extra, a module of every package that it installs and tests use."""


def missing_extra(extra: str) -> str:
    """Why tests that need an extra are skipped; empty where it is installed. Imports nothing."""
    if all(map(find_spec, MODULES[extra])):
        return ""
    return f"needs the extra '{extra}': pip install -e '.[{extra}]'"


def require_extra(extra: str) -> None:
    """Skip the test, or the module at whose head this stands, where an extra is not installed."""
    if reason := missing_extra(extra):
        pytest.skip(reason, allow_module_level=True)
