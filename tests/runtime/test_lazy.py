"""Names of packages that are imported at first use."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from treesql.runtime import lazy_names


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package with a name of `string`, and the module `string` itself."""
    made = ModuleType("made")
    monkeypatch.setitem(sys.modules, "made", made)
    made.__getattr__, made.__dir__ = lazy_names("made", {"string": ("digits",)}, {"text": "string"})  # type: ignore[method-assign]
    return made


def test_names_and_modules_are_found_and_kept(package: ModuleType) -> None:
    assert "digits" not in vars(package)
    assert package.digits == "0123456789"
    assert vars(package)["digits"] == package.digits
    assert package.text is sys.modules["string"]


def test_all_names_are_listed(package: ModuleType) -> None:
    assert {"digits", "text", "__name__"} <= set(dir(package))


def test_other_names_are_missing(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'made' has no attribute 'letters'"):
        _ = package.letters
