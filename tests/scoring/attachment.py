"""Scores of parser-a against gold."""

from __future__ import annotations

import treesql

PAIR = {"gold_corpus": "gold", "system_corpus": "parser-a"}


def one(db: treesql.Database, *metrics: str, **options: object) -> dict[str, object]:
    [row] = db.score(*metrics, **{**PAIR, **options}).rows()  # type: ignore[arg-type]
    return row
