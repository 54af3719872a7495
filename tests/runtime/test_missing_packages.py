"""A package that is missing is told from one that is installed but cannot be imported."""

from __future__ import annotations

import pytest

from treesql.runtime.failures import missing_package

INSTALL = "pip install x"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModuleNotFoundError("No module named 'sklearn'", name="sklearn"), "fitted by x: pip install x"),
        (ModuleNotFoundError("No module named 'sklearn.base'", name="sklearn.base"), "fitted by x: pip install x"),
        (ModuleNotFoundError("No module named 'scipy'", name="scipy"), "installed but cannot be imported (No module"),
        (ImportError("numpy.core failed\nmore lines"), "installed but cannot be imported (numpy.core failed); repair"),
    ],
)
def test_what_is_missing(error: ImportError, told: str) -> None:
    assert told in str(missing_package(error, ("sklearn",), "fitted by x", INSTALL))
