"""What is asked of a database on Spark, by a client of Spark Connect in a process of its own as well.

    python -m tests.engines.asked_of_spark sc://HOST:PORT FOLDER NEW

prints the answers as JSON, and ends with an error: NEW is a folder into which files are loaded, one of them faulty.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import treesql
from tests.conftest import FIXTURES

SCORES: dict[str, Any] = {"gold": "gold", "systems": ["parser-a"], "metric": "attachment.las"}
EDITS = {"reference_corpus": "gold", "hypothesis_corpus": "parser-a"}
NOUNS = "pattern { N [upos=NOUN]; e: H -> N }"


def asked(db: treesql.Database) -> dict[str, Any]:
    """Rows of each way in which a database on Spark is asked."""
    answers = {
        "sql": db.sql("SELECT upos, count(*) AS n FROM words WHERE upos IS NOT NULL GROUP BY upos ORDER BY upos"),
        "query": db.query("dependency_tree_edit", **EDITS),
        "score": db.score("dependency", **SCORES, ci=True),
        "groups": db.find(NOUNS, by="e.label"),
    }
    return {name: found.rows() for name, found in answers.items()}


def main(address: str, folder: str, new: str) -> None:
    with treesql.connect(folder, spark=address) as db:
        answers = asked(db)
        try:
            db.sql("SELECT nonsense FROM words")
        except treesql.TreesqlError as error:
            answers["error"] = str(error)
    os.chdir(FIXTURES)  # where executors do not run
    with treesql.connect(new, spark=address) as db:
        db.load("gold.conllu", "parser-a.conllu")
        answers["loaded"] = db.sql("SELECT corpus, count(*) AS n FROM words GROUP BY corpus ORDER BY corpus").rows()
        print(json.dumps(answers))
        db.load("parser-b.conllu", "bad/blank_line_first.conllu")


if __name__ == "__main__":
    main(*sys.argv[1:])
