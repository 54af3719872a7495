"""Two parsers to be compared."""

from __future__ import annotations

PARSERS = {"gold_corpus": "gold", "systems": ["parser-a", "parser-b"]}
