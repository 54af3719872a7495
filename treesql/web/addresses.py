"""Addresses: the path and the parameters of a request, the format of its answer, and links to other addresses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote, unquote, urlencode

from treesql.errors import UnknownName, UsageError

HTML = "html"

FORMATS = {
    HTML: "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "conllu": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
}
"""Media types of formats by the ending of an address."""

MAX_LENGTH = 20_000
"""Maximum number of bytes of an address: requests are texts of some lines."""

MAX_LIMIT = 10_000
"""Maximum number of rows of a page of JSON, CSV or TSV; without a limit, all rows are streamed."""

Change = str | int | float | bool | None | Sequence[str]
"""A new value of a parameter; None and False leave it out."""


@dataclass(frozen=True)
class Address:
    """An address of the site. parts: of the path, decoded, without the ending of a format."""

    parts: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    form: str = HTML

    @classmethod
    def parse(cls, path: str, query: str = "") -> Address:
        """Read a path, whose parts are percent-encoded, and a query. `format=` wins over the ending of the path.

        Raises UsageError, UnknownName.
        """
        parameters = tuple(
            (name, value.replace("\r\n", "\n") if name in _TEXTS else value)
            for name, value in parse_qsl(query, keep_blank_values=True)
            if value or name in _MAY_BE_EMPTY
        )
        formats = [value for name, value in parameters if name == "format"]
        parts = [unquote(part) for part in path.split("/") if part]
        further = [value for name, value in parameters if name == _PART]
        form = formats[-1] if formats else HTML
        if not formats and parts and not further:
            stem, dot, ending = parts[-1].rpartition(".")
            if dot and stem and ending in FORMATS:
                parts[-1], form = stem, ending
        if form not in FORMATS:
            raise UnknownName("format", form, FORMATS)
        return cls((*parts, *further), tuple(pair for pair in parameters if pair[0] not in ("format", _PART)), form)

    def refuse_nul(self) -> None:
        """Raise UsageError for the character NUL, which neither names nor SQL have."""
        if any("\0" in text for text in (*self.parts, *(value for _, value in self.parameters))):
            raise UsageError("an address has no NUL; leave it out")

    def check(self, known: Collection[str]) -> None:
        """Raise UnknownName for a parameter that is not known."""
        for name, _ in self.parameters:
            if name not in known:
                raise UnknownName("parameter", name, known)

    def several(self, name: str) -> list[str]:
        """The values of a parameter that may be repeated."""
        return [value for key, value in self.parameters if key == name]

    def get(self, name: str, default: str = "") -> str:
        """The value of a parameter. Raises UsageError if it is given twice."""
        values = self.several(name)
        if len(values) > 1:
            raise UsageError(f"{name} is given {len(values)} times; it takes one value, so give it once")
        return values[0] if values else default

    def flag(self, name: str) -> bool:
        """Whether a parameter is set: to anything but 0, no or false."""
        return self.get(name) not in ("", "0", "no", "false")

    def number(self, name: str, default: int, *, least: int = 0, most: int = 2**31 - 1) -> int:
        """The value of a parameter that is a whole number. Raises UsageError."""
        text = self.get(name, str(default))
        if not (text.isascii() and text.isdecimal()) or not least <= int(text[:12]) <= most:
            raise UsageError(f"{name}={text!r}; write a whole number from {least} to {most}")
        return int(text)

    def seconds(self, most: float) -> float:
        """The limit of time that the request asks for, at most that of the server. Raises UsageError."""
        text = self.get("timeout")
        try:
            asked = float(text) if text else most
        except ValueError:
            asked = -1.0
        if not 0 < asked < float("inf"):
            raise UsageError(f"timeout={text!r}; write a number of seconds above 0")
        return min(asked, most)

    def changed(self, **changes: Change) -> Address:
        """The address with other values of some parameters; a name may end in `_`, as `from_` does."""
        new = {name.rstrip("_"): value for name, value in changes.items()}
        kept = [pair for pair in self.parameters if pair[0] not in new]
        return replace(self, parameters=(*kept, *_pairs(new)))

    def link(self, form: str | None = None, **changes: Change) -> str:
        """A relative reference to the address, in a format and with other values of some parameters."""
        return _written(self.parts, self.changed(**changes).parameters, form or HTML)


_MAY_BE_EMPTY = ("value",)
"""Parameters whose empty values are not the same as none."""

_TEXTS = ("q", "where", "whether", "value")
"""Parameters with texts, in which a browser sends newlines as CR LF."""

_PART = "part"
"""The parameter with a part of the path from `.` or `..` on, which browsers would resolve."""


def link(*parts: str | int, form: str = HTML, **parameters: Change) -> str:
    """A reference to another address of the site."""
    values = {name.rstrip("_"): value for name, value in parameters.items()}
    return _written([str(part) for part in parts], _pairs(values), form)


def _pairs(values: Mapping[str, Change]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        items = [value] if isinstance(value, str | int | float) else value
        pairs += [(name, "1" if item is True else str(item)) for item in items if item != "" or name in _MAY_BE_EMPTY]
    return pairs


def _written(parts: Sequence[str], parameters: Sequence[tuple[str, str]], form: str) -> str:
    end = next((at for at, part in enumerate(parts) if part in (".", "..")), len(parts))
    path = "/" + "/".join(quote(part, safe="") for part in parts[:end])
    ending = parts[-1].rpartition(".") if parts else ("", "", "")
    ambiguous = (bool(ending[0]) and ending[2] in FORMATS) or end < len(parts)
    pairs = [*((_PART, part) for part in parts[end:]), *parameters]
    if not parts or ambiguous:
        pairs += [("format", form)] if form != HTML or ambiguous else []
    elif form != HTML:
        path += f".{form}"
    return f"{path}?{urlencode(pairs)}" if pairs else path
