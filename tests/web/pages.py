"""Pages as their readers see them."""

from __future__ import annotations

from html.parser import HTMLParser


class Links(HTMLParser):
    """The links of a page with their texts, and all of its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.shown = ""
        self._href: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._href = dict(attrs).get("href")

    def handle_endtag(self, tag: str) -> None:
        self._href = None if tag == "a" else self._href

    def handle_data(self, data: str) -> None:
        self.shown += data
        if self._href is not None:
            self.found.append((data.strip(), self._href))
