"""Every public function refuses arguments of wrong types by UsageError, whatever the parameter."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from treesql import lattices
from treesql.runtime.failures import check_arguments

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

GOLD, SYSTEM, TEXT = (str(FIXTURES / name) for name in ("gold.conllu", "parser-a.conllu", "lattices.txt"))
LINKS, PLF = str(FIXTURES / "links.pharaoh"), str(FIXTURES / "lattices.plf")
REQUEST = "pattern { V [upos=VERB] }"
KIND = {"kind": "dependency", "systems": [SYSTEM], "gold": GOLD}

CALLS: Mapping[str, dict[str, Any]] = {
    "cite": {"names": "las"}, "compile": {},
    "check": {"paths": GOLD}, "compare": KIND | {"systems": [GOLD, SYSTEM], "runs": 10},
    "compare_counts": {"systems": {"a": {"n": [1]}, "b": {"n": [2]}}, "scores": {"s": "sum(n)"}, "runs": 10},
    "connect": {}, "correlate": {"table": "table.csv"}, "diff": {"old": GOLD, "new": SYSTEM},
    "drop": {"db": "t.duckdb", "corpora": "gold"},
    "explain": {"kind": "dependency", "sentence": "s1", "gold": GOLD, "systems": [SYSTEM]},
    "find": {"source": GOLD, "request": REQUEST}, "formats": {}, "kinds": {"names": "dependency"},
    "load": {"db": ":memory:", "paths": GOLD, "corpus": "gold"}, "max_sentence": {"size": 10},
    "prepare": {"source": GOLD, "request": REQUEST}, "queries": {"names": "attachment"}, "tasks": {},
    "read": {"paths": GOLD}, "scan": {"paths": GOLD, "sentences": 2},
    "report": KIND, "score": KIND, "show": {"source": GOLD, "names": 0}, "stats": {"treebanks": GOLD},
    "symmetrise": {"forward": LINKS, "backward": LINKS, "out": "links.pharaoh"},
    "typology": {"gold_dir": "gold", "system_dir": "system"},
    "wde": {"treebanks": GOLD}, "write": {"rows": treesql.Result.__new__(treesql.Result), "out": "t.txt"},
    "lattices.apply": {"model": "model.json", "lattices": PLF, "share": 0.5},
    "lattices.curve": {"lattices": PLF, "reference": TEXT, "phrases": True},
    "lattices.decide_edges": {"lattices": 1, "failing": [1], "preference": [1]},
    "lattices.examples": {"lattices": PLF, "reference": TEXT, "phrases": True},
    "lattices.fit": {"examples": "examples.csv"},
    "lattices.fit_curve": {"x": [1, 2, 3], "y": [1, 2, 3], "shape": "line"},
    "lattices.fit_line": {"x": [1, 2, 3], "y": [1, 2, 3]},
    "lattices.integrate": {"x": [1, 2, 3], "y": [1, 2, 3], "low": 1.0, "high": 2.0},
    "lattices.interpolate": {"x": [1, 2, 3], "y": [1, 2, 3], "at": 2.0},
    "lattices.oracle": {"lattices": PLF, "reference": TEXT, "phrases": True},
    "lattices.prune": {"lattices": PLF, "reference": TEXT, "phrases": True},
    "lattices.tune": {"lattices": PLF, "reference": TEXT, "phrases": True, "thresholds": "0", "iterations": 1},
    "lattices.show": {"lattices": PLF, "sentence": 0, "reference": TEXT, "phrases": True},
    "Database.load": {"paths": GOLD, "corpus": "new", "replace": True}, "Database.drop": {"corpora": "new"},
    "Database.candidates": {"names": "dependency"}, "Database.info": {}, "Database.close": {},
    "Database.align_words": {"gold": "gold", "system": "parser-a"},
    "Database.sql": {"sql": "SELECT 1 AS n"}, "Database.stream": {"sql": "SELECT 1 AS n"},
    "Database.stream_each": {"sql": "SELECT 1 AS n"},
    "Database.query": {"name": "attachment", "gold_corpus": "gold", "system_corpus": "parser-a"},
    "Database.score": {"names": "attachment", "gold_corpus": "gold", "system_corpus": "parser-a"},
    "Database.compare": {"names": "dependency", "systems": ["gold", "parser-a"], "gold": "gold", "runs": 10},
    "Database.report": {"kind": "dependency", "systems": ["parser-a"], "gold": "gold"},
    "Database.find": {"request": REQUEST, "corpus": "gold"}, "Database.prepare": {"request": REQUEST},
    "Database.stats": {}, "Database.wde": {}, "Database.diff": {"old": "gold", "new": "parser-a"},
    "Database.show": {"names": 0, "corpus": "gold"}, "Database.sentence": {"name": 0, "corpus": "gold"},
    "Database.sentences": {"corpus": "gold"},
    "Database.sentence_names": {"corpus": "gold", "numbers": [0]},
    "Database.tables": {}, "Database.neighbours": {"sentence": 1}, "Database.layers": {"sentence": 1},
    "Database.translation": {"sentence": 1, "corpus": "gold"}, "Database.edits": {"sentence": 1, "system": "gold"},
    "Database.export": {"out": "out.conllu", "corpus": "gold"},
}  # fmt: skip
"""Arguments with which each function can be called; those of `*names` are named too."""

WRONG = (object(), 5, 2.5, b"x", [object()], {5: object()}, {1}, True)
"""Values of types that few parameters take."""


def functions(of: object, prefix: str = "") -> Iterator[tuple[str, Callable[..., object]]]:
    names = getattr(of, "__all__", None) or [name for name in vars(of) if not name.startswith("_")]
    for name in names:
        if inspect.isfunction(found := getattr(of, name)):
            yield prefix + name, found


FUNCTIONS = dict([
    *functions(treesql), *functions(lattices, "lattices."), *functions(treesql.Database, "Database."),
])  # fmt: skip


def call(function: Callable[..., object], arguments: dict[str, Any], *first: object) -> object:
    """Call a function with arguments by name, also those of `*names`."""
    parameters = inspect.signature(function).parameters
    several = next((p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL), None)
    before = [arguments[p.name] for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD and several
              and p.name in arguments]  # fmt: skip
    rest = {key: value for key, value in arguments.items() if not several or parameters.get(key) is None
            or parameters[key].kind is inspect.Parameter.KEYWORD_ONLY}  # fmt: skip
    return function(*first, *before, *([arguments[several]] if several in arguments else []), **rest)


def test_every_public_function_is_called() -> None:
    assert sorted(CALLS) == sorted(FUNCTIONS)


@pytest.fixture(scope="module")
def opened(gold_and_parser: Path) -> Iterator[treesql.Database]:
    with treesql.connect(gold_and_parser, read_only=True) as db:
        yield db


@pytest.fixture
def database(opened: treesql.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> treesql.Database:
    """The database, read from another folder, in which files may be written."""
    monkeypatch.chdir(tmp_path)
    return opened


SLOW = {"diff", "lattices.prune"}
"""Functions that take seconds for every value that fits."""


@pytest.mark.spread(24)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW), id=name)
        for name in CALLS
        if name != "Database.close"
    ],
)
def test_wrong_types_raise_errors_of_treesql_alone(name: str, database: treesql.Database) -> None:
    function, first = FUNCTIONS[name], [database] if name.startswith("Database.") else []
    others = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
    for parameter in [*(one for one in others if one != "self"), *(CALLS[name].keys() - set(others))]:
        refused = 0
        for value in WRONG:
            try:
                call(function, CALLS[name] | {parameter: value}, *first)
            except treesql.TreesqlError:
                refused += 1
        assert refused, parameter


def objects(db: treesql.Database) -> Iterator[object]:
    """One of every public class whose methods take arguments."""
    yield from (matches := db.find(REQUEST), matches.draw(1), db.show("mat", corpus="gold"), db.wde())
    yield from (db.sentence("mat", corpus="gold"), treesql.report(**KIND), db.prepare(REQUEST), db.info())
    yield db.compare("dependency", gold="gold", systems=["gold", "parser-a"], runs=10)
    yield lattices.show(PLF, 0, reference=TEXT, phrases=True)
    yield lattices.curve(PLF, reference=TEXT, phrases=True)


def test_methods_of_results(database: treesql.Database) -> None:
    """Methods with one parameter at least refuse an object of no type, in one line."""
    tried = 0
    for one in objects(database):
        for name in (
            name for name in dir(one) if not name.startswith("_") and callable(getattr(type(one), name, None))
        ):
            method = getattr(one, name)
            own = inspect.signature(method).parameters.values()
            for parameter in (one for one in own if one.kind is not one.VAR_KEYWORD):
                with pytest.raises(treesql.UsageError, match=f"^{parameter.name} takes .*, not <object"):
                    method(**{parameter.name: object()})
                tried += 1
    assert tried > 20


@in_turn("kind", treesql.kinds())
def test_options_of_kinds(kind: treesql.Kind) -> None:
    names = {*kind.declared, *kind.reading, *kind.options, *kind.flags, *(role.name for role in kind.roles)}
    usual: dict[str, Any] = {role.name: GOLD for role in kind.shared if not role.option}
    for name in sorted(names):
        for value in WRONG[:1]:
            with pytest.raises(treesql.TreesqlError):
                treesql.score(kind.name, **{"systems": [[GOLD] * len(kind.own)], **usual, name: value})


def no_types(given, *others, **more):  # type: ignore[no-untyped-def]
    """A function without annotations."""


def types(
    number: int = 0, share: float = 0.5, names: str | list[str] = "", pairs: Mapping[str, float] | None = None,
    on: bool = False, work: Callable[[], object] | None = None,
) -> None:  # fmt: skip
    """A function with them."""


@in_turn(
    "given",
    [
        {}, {"number": np.int64(3)}, {"share": 1}, {"share": np.float32(0.5)}, {"names": ["a"]}, {"names": ("a",)},
        {"names": np.array(["a", "b"])}, {"pairs": {"a": 1, "b": 0.5}}, {"on": np.bool_(True)}, {"work": print},
        {"unknown": 1},
    ],
)  # fmt: skip
def test_values_that_fit(given: dict[str, Any]) -> None:
    check_arguments(types, (), given)
    check_arguments(no_types, (1, "x", None), {"any": print})


@in_turn(
    ("given", "message"),
    [
        ({"number": "5"}, "number takes a whole number, not '5' (str)"),
        ({"number": True}, "number takes a whole number, not True"),
        ({"number": 2.0}, "number takes a whole number, not 2.0 (float)"),
        ({"share": "a" * 50}, f"share takes a number, not '{'a' * 36}... (str)"),
        ({"names": 5}, "names takes text or a sequence of texts, not 5 (int)"),
        ({"names": [5]}, "names takes text or a sequence of texts, not [5] (list)"),
        ({"names": None}, "names takes text or a sequence of texts, not None"),
        ({"names": {"a": 1}}, "names takes text or a sequence of texts, not {'a': 1} (dict)"),
        ({"pairs": ["a"]}, "pairs takes a mapping of texts to numbers or None, not ['a'] (list)"),
        ({"pairs": {"a": "b"}}, "pairs takes a mapping of texts to numbers or None, not {'a': 'b'} (dict)"),
        ({"on": "no"}, "on takes True or False, not 'no' (str)"),
        ({"work": 5}, "work takes a function or None, not 5 (int)"),
    ],
)
def test_messages(given: dict[str, Any], message: str) -> None:
    with pytest.raises(treesql.UsageError, match=f"^{re.escape(message)}$"):
        check_arguments(types, (), given)
