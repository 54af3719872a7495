"""Notebooks: those of the docs, and cells in a kernel without ipywidgets, which DuckDB wants for a progress bar."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.engines.spark_session import OF_SHORT_RUNS
from tests.extras import require_extra

require_extra("notebooks")
pytestmark = pytest.mark.slow

WITHOUT_WIDGETS = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ipywidgets":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
try:
    import ipywidgets
except ModuleNotFoundError as error:
    print(error)
"""
STOPPED = """
try:
    with treesql.connect(timeout=0.2) as other:
        other.sql("SELECT count(*) FROM range(1000000000000)")
except treesql.TreesqlError as error:
    print(error)
"""
SAFE = """
with treesql.connect("t.duckdb") as made:
    made.load("fixtures/gold.conllu", corpus="gold")
with treesql.connect("t.duckdb", read_only=True, safe=True) as safe:
    print(safe.sql("SELECT count(*) AS n FROM words").rows())
"""
CELLS = [
    WITHOUT_WIDGETS,
    "import treesql\ndb = treesql.connect()",
    "db.load('fixtures/gold.conllu', corpus='gold')\ndb.load('fixtures/parser-a.conllu', corpus='a')\ndb.corpora",
    "db.sql('SELECT upos, count(*) AS n FROM words WHERE corpus = $c GROUP BY ALL ORDER BY n DESC', {'c': 'gold'})",
    "db.score('attachment', gold_corpus='gold', system_corpus='a', by='upos', ci=True)",
    "db.compare('attachment.las', systems=['gold', 'a'], gold_corpus='gold').words()",
    "db.find('pattern { V [upos=VERB]; V -[nsubj]-> S }', corpus='gold', timeout=30)",
    "db.sentence('mat', corpus='gold')",
    STOPPED,
    SAFE,
    "db.close()",
]
# In a process of its own: jupyter_client leaves sockets to the garbage collector, whose warnings would be errors here.
RUN = """
import json, runpy, sys
from pathlib import Path
import nbformat

cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
notebooks = runpy.run_path("docs/run_notebooks.py")["run"](Path("docs/notebooks"), before=cells)
print(json.dumps([[cell.outputs for cell in cells], notebooks]))
"""
Output = list[dict[str, Any]]


ON_SPARK = "billion_words.ipynb"
"""The notebook that starts a Java of its own; tests/engines/test_spark.py runs its cells on the one that it has."""


@pytest.fixture(
    scope="module", params=[False, pytest.param(True, marks=pytest.mark.thorough)], ids=["here", "on Spark"]
)
def ran(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Output], dict[str, str]]:
    """What the cells gave out, and the notebooks of the docs as they are after a run, all in one kernel.

    The one on Spark is among them by hand; statements are planned and run as they are by default.
    """
    folder = tmp_path_factory.mktemp("notebook")
    left_out = shutil.ignore_patterns(*[] if request.param else [ON_SPARK])
    shutil.copytree(ROOT / "docs" / "notebooks", folder / "docs" / "notebooks", ignore=left_out)
    shutil.copy(ROOT / "docs" / "run_notebooks.py", folder / "docs")
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in OF_SHORT_RUNS.items()))
    cells = [f"%cd -q {folder}\n{WITHOUT_WIDGETS}", *CELLS[1:]]
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(cells), cwd=folder, capture_output=True, text=True, check=False,
        timeout=580, env={**os.environ, "SPARK_CONF_DIR": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outputs, notebooks = json.loads(done.stdout)
    return outputs, notebooks


@pytest.fixture
def outputs(ran: tuple[list[Output], dict[str, str]]) -> list[Output]:
    return ran[0]


def text(output: Output) -> str:
    one = output[-1]  # warnings stand before it
    return str(one["text"] if one["output_type"] == "stream" else one["data"]["text/plain"])


def html(output: Output) -> str:
    return str(output[-1]["data"]["text/html"])


def test_there_is_no_ipywidgets(outputs: list[Output]) -> None:
    assert text(outputs[0]) == "No module named 'ipywidgets'\n"


def test_nothing_is_printed_that_was_not_asked_for(outputs: list[Output]) -> None:
    assert outputs[1] == outputs[-1] == []
    told = "".join(one["text"] for output in outputs for one in output if one.get("name") == "stderr")
    assert all("TreesqlWarning: gold: " in line or line.startswith("  db.") for line in told.splitlines())


def test_loading_and_asking(outputs: list[Output]) -> None:
    assert text(outputs[2]) == "['gold', 'a']"
    assert re.search(r"NOUN.*\n.*7", re.sub(r"<[^>]+>", "\n", html(outputs[3])).replace("\n\n", "\n"))
    assert re.search(r"[0-9.]+ \[[0-9.]+, [0-9.]+\]", html(outputs[4]))
    assert "gold" in text(outputs[5])
    assert "drinks" in html(outputs[6])


def test_a_sentence_is_a_picture(outputs: list[Output]) -> None:
    drawn = html(outputs[7])
    assert drawn.count("<svg") == 1
    for word in ("The", "cat", "sat", "nsubj"):
        assert f">{word}<" in drawn


def test_limits_and_safe_connections(outputs: list[Output]) -> None:
    assert text(outputs[8]).startswith("stopped after 0.2 seconds; ")
    assert text(outputs[9]) == "[{'n': 30}]\n"


def test_notebooks_of_the_docs_have_the_outputs_that_they_give(
    ran: tuple[list[Output], dict[str, str]], request: pytest.FixtureRequest
) -> None:
    """Without Java, which Spark needs, the others are run."""
    names = {path.name for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")}
    if not (request.node.callspec.params["ran"] and shutil.which("java")):
        names.remove(ON_SPARK)
    assert {f"{name}.ipynb" for name in ran[1]} == names
    assert len(names) >= 5
    for name, made in ran[1].items():
        written = (ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text("utf-8")
        assert made == written, f"{name}: run `python docs/run_notebooks.py`"
