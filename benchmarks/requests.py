"""Speed of Grew requests: those of docs/questions.md and more, counted and listed.

python benchmarks/requests.py DATABASE.duckdb [--large LARGE.duckdb] [--repetitions 5]

Prints Markdown. Times are CPU seconds from the text of a request to its rows. Databases
are those that `treesql load` made.
"""

from __future__ import annotations

import argparse
import re
import statistics
from pathlib import Path

import measure
from measure import Cost, Reported

PAGE = Path(__file__).parents[1] / "docs" / "questions.md"
MORE = (
    'pattern { X [form="is"] }',
    'pattern { X [upos=VERB, Mood=Ind|Imp, Tense<>Fut, Number, !Person, lemma=re"s.*"] }',
    "pattern { X [upos=VERB, VerbForm=Part, Tense=Past]|[upos=ADJ] }",
    "pattern { X -[^nsubj|obj]-> Y }",
    'pattern { X -[re".*subj"]-> Y }',
    "pattern { X -[amod]-> Y; delta(X,Y) = -1 }",
    "pattern { X [upos=VERB]; X -[obj]-> * }",
    "global { is_not_projective }",
)
"""Requests of kinds that the page has not."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--large", type=Path)
    parser.add_argument("--repetitions", type=int, default=5)
    given = parser.parse_args()
    print(measure.machine(), end="\n\n")
    databases = [path for path in (given.database, given.large) if path]
    costs = measure.in_turn({str(path): measure.child("ask", path) for path in databases}, given.repetitions)
    header = ["", *(f"{cost.reported['words']:,.0f} words: matches, counted, listed" for cost in costs.values())]
    texts = [text.replace("|", "\\|") for text in requests()]
    rows = [[f"`{text}`", *(_cells(cost, number) for cost in costs.values())] for number, text in enumerate(texts)]
    print(measure.table(header, rows))
    for cost, bar in zip(costs.values(), (0.1, 1.0), strict=False):
        for what in ("counted", "listed"):
            median = statistics.median(cost.reported[f"{number} {what}"] for number in range(len(requests())))
            words = f"{cost.reported['words']:,.0f} words"
            print(measure.target(f"median of {words}, {what}: at most {bar} s", f"{median:.3f} s", median <= bar))


def _cells(cost: Cost, number: int) -> str:
    counted, listed = (cost.reported[f"{number} {what}"] for what in ("counted", "listed"))
    return f"{cost.reported[f'{number} rows']:,.0f}, {counted:.3f}, {listed:.3f}"


def requests() -> list[str]:
    """The requests of the page, each on a line, and more."""
    blocks = re.findall(r"^```grew\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    texts = ["\n".join(line for line in text.splitlines() if not line.startswith("%")) for text in blocks]
    return [*(" ".join(text.split()) for text in texts), *MORE]


def ask(database: str) -> Reported:
    """Every request counted and listed."""
    import treesql
    from treesql.search import planning, running

    reported: Reported = {}
    with treesql.connect(database, read_only=True) as db:
        [(reported["words"],)] = db.connection.execute("SELECT count(*) FROM words").fetchall()
        for number, text in enumerate(requests()):
            for what in ("counted", "listed"):
                with measure.cpu(reported, f"{number} {what}"):
                    question = planning.prepare(db.engine, text, count=what == "counted")
                    table, _ = running.find_matches(db.engine, question, 600)
                reported[f"{number} rows"] = table.num_rows
    return reported


if __name__ == "__main__":
    measure.start(main, {"ask": ask})
