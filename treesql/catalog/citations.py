"""BibTeX entries of the papers behind metrics: those of papers.bib that the headers of queries name as their source."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from treesql._version import __version__
from treesql.catalog.queries import Query, all_queries
from treesql.errors import UnknownName
from treesql.runtime.failures import with_checked_arguments

_ENTRY = re.compile(r"^@\w+\{.*?^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
_ACCENT = re.compile(r"""\\["'`^~=.cvuH]?\{?(\w)\}?""")

OWN = f"""@software{{treesql,
  author = {{{{The treesql authors}}}},
  title = {{{{treesql}}: {{SQL}} for treebanks}},
  version = {{{__version__}}}
}}"""
"""The entry of treesql itself, whose version belongs to every number that it printed."""


@with_checked_arguments
def cite(*names: str) -> str:
    """Return BibTeX entries of treesql and of the papers behind metrics.

    names: of scores, such as `las`, or of queries, such as `attachment`; a score that several queries have stands for
    all of them, and `ger` for scores such as `ger_rate`. A comment names the sources of each query; those without an
    entry, such as documentation, stand there alone. Raises UnknownName.
    """
    chosen = [query for name in names for query in _queries_of(name)]
    comments = [f"% {query.name}: {query.source}" for query in dict.fromkeys(chosen)]
    entries = dict.fromkeys(entry for query in chosen for entry in entries_of(query.source))
    return "\n\n".join(["\n".join(dict.fromkeys(comments))] * bool(comments) + [OWN, *entries])


def entries_of(source: str) -> list[str]:
    """The entries of the papers that a source names."""
    folded = _plain(source)
    return [entry for name, entry in papers().items() if _plain(name) in folded]


@cache
def papers() -> dict[str, str]:
    """The entries of papers.bib by what headers call them: `Zhang & Shasha 1989`, or their key."""
    text = (Path(__file__).parent / "papers.bib").read_text("utf-8")
    return {_name(dict(_FIELD.findall(entry))): entry for entry in _ENTRY.findall(text)}


def _name(fields: dict[str, str]) -> str:
    """What headers call a paper."""
    if "key" in fields:
        return fields["key"]
    authors = [author.split(",")[0] for author in fields["author"].split(" and ")]
    named = (
        f"{authors[0]} et al."
        if len(authors) > 3
        else " & ".join([", ".join(authors[:-1])] * (len(authors) > 1) + authors[-1:])
    )
    return f"{named} {fields['year']}"


def _plain(text: str) -> str:
    """A text without TeX's accents and braces, and without others, which headers write as letters."""
    import unicodedata

    parts = unicodedata.normalize("NFKD", _ACCENT.sub(r"\1", text).replace("{", "").replace("}", ""))
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _queries_of(name: str) -> list[Query]:
    """The query of a name, else those with a score of the name. Raises UnknownName."""
    known = all_queries()
    if name in known:
        return [known[name]]
    queries = [query for query in known.values() if name in (score.name for score in query.scores)]
    queries = queries or [
        query for query in known.values() if any(score.name.startswith(f"{name}_") for score in query.scores)
    ]
    if not queries:
        scores = {score.name for query in known.values() for score in query.scores}
        raise UnknownName("metric", name, sorted(scores | known.keys()))
    return queries
