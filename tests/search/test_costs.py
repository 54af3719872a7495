"""What clauses cost."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu
from treesql.errors import TimeLimit
from treesql.search import costs, planning


def test_the_limit_names_the_costliest_clause(db: treesql.Database, tmp_path: Path) -> None:
    words = " ".join(["w:0:root:NOUN", *(f"w:{at}:det:NOUN" for at in range(1, 400))])
    (tmp_path / "long.conllu").write_bytes(conllu(*[words] * 5))
    db.load(tmp_path / "long.conllu", corpus="long")
    with pytest.raises(TimeLimit) as raised:
        db.find("pattern { A [upos=NOUN]; B [upos=NOUN]; C []; D -[det]-> E; B << C }", count=True, timeout=0.2)
    assert "stopped after 0.2 seconds; `C []` costs most" in str(raised.value)
    assert "nothing but `B << C` connects it" in str(raised.value)
    assert db.find("pattern { A [upos=NOUN] }", count=True).rows() == [{"count": 2000}]


def test_costs_of_clauses(small: treesql.Database) -> None:
    question = planning.prepare(small.engine, "pattern { V [upos=VERB]; V -[nsubj]-> S } without { V << S }")
    found = [(cost.item, cost.clause, cost.matches, cost.what) for cost in costs.clause_costs(small.engine, question)]
    assert found == [
        ("pattern", "V [upos=VERB]", 3, "word"),
        ("pattern", "V -[nsubj]-> S", 2, "edge"),
        ("without", "V << S", None, "word"),
    ]
    assert "words" in costs.query_plan(small.engine, question)
