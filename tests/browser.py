"""Pages in a real browser: Debian's Chromium, driven by Playwright, with what a page says, requests and overflows."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.extras import missing_extra, require_extra

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

_OVERFLOWS = """() => {
  const width = document.documentElement.clientWidth;
  const found = document.documentElement.scrollWidth > width ? ['page'] : [];
  for (const one of document.body.querySelectorAll('*')) {
    if (one.closest('.wide, svg, pre, .skip, details:not([open]) > :not(summary)')) continue;
    const box = one.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) {
      found.push(`${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`);
    }
  }
  return found;
}"""
"""What is wider than the window, except what scrolls by itself."""


def find_chromium() -> str | None:
    """The path of Chromium; None where it is not installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def why_not() -> str:
    """Why no page can be opened, or nothing."""
    if reason := missing_extra("browser"):
        return reason
    return "" if find_chromium() else "Chromium is missing: apt-get install chromium"


@dataclass
class OpenPage:
    """A page in a browser. said: messages of its console and errors; requests: addresses other than its own."""

    page: Any
    address: str
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def overflows(self) -> list[str]:
        """Elements that are wider than the window and do not scroll by themselves."""
        found: list[str] = self.page.evaluate(_OVERFLOWS)
        return found


_shared: list[Any] = []
"""The browser in which all pages are opened, if there is one."""


@contextmanager
def one_browser() -> Iterator[None]:
    """Open pages in one browser in this block, where there is one: each as if no other had been opened."""
    if why_not():
        yield
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS), headless=True)
        _shared.append(browser)
        try:
            yield
        finally:
            _shared.remove(browser)
            browser.close()


@contextmanager
def open_page(
    file: Path, profile: Path, *, width: int = 1400, scheme: str = "light", scripts: bool = True
) -> Iterator[OpenPage]:
    """Open a file with an empty profile. Skips the test where there is no browser."""
    with open_address(file.resolve().as_uri(), profile, width=width, scheme=scheme, scripts=scripts) as opened:
        yield opened


@contextmanager
def open_address(
    address: str, profile: Path, *, width: int = 1400, scheme: str = "light", scripts: bool = True
) -> Iterator[OpenPage]:
    """Open an address with an empty profile, in a new browser outside of `one_browser`.

    Skips the test where there is no browser.
    """
    reason = why_not()
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    look = {
        "java_script_enabled": scripts,
        "color_scheme": scheme,
        "viewport": {"width": width, "height": 900},
    }
    with ExitStack() as stack:
        if _shared:
            context = _shared[-1].new_context(**look)
        else:
            playwright = stack.enter_context(sync_playwright())
            context = playwright.chromium.launch_persistent_context(
                str(profile), executable_path=find_chromium(), args=list(FLAGS), headless=True, **look
            )
        stack.callback(context.close)
        opened = OpenPage(context.new_page(), address)
        opened.page.on("console", lambda message: opened.said.append(message.text))
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("request", lambda request: _note(opened, request.url))
        opened.page.goto(opened.address)
        yield opened


def _note(opened: OpenPage, url: str) -> None:
    if url.partition("#")[0] != opened.address and not url.startswith("data:"):
        opened.requests.append(url)


def axe_script() -> str:
    """The rules of axe-core, the accessibility checker, as script. Skips the test where they are not installed."""
    require_extra("browser")
    package = importlib.import_module("axe_playwright_python")
    assert package.__file__ is not None
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


def accessibility_faults(opened: OpenPage, script: str) -> list[str]:
    """Rules of axe-core that a page breaks (WCAG at levels A and AA, best practice), each with the first element."""
    if not opened.page.evaluate("() => 'axe' in window"):
        opened.page.evaluate(script)
    found = opened.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']} ({one['impact']}, {len(one['nodes'])} times): {one['help']}; {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
    ]
