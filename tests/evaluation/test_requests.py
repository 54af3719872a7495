"""Requests in the words of Python and of the command line: the same errors for every kind, and names of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.evaluation.kinds_by_file import FILES, KINDS, given, load_all, roles_of
from tests.evaluation.systems import GOLD, A, B, rows, score
from tests.house.rules import in_turn
from treesql.catalog import kinds
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.files import make_task, split
from treesql.evaluation.task import Task, check_task
from treesql.readers import Notation, describe_kind
from treesql.storage import corpus_plans


@pytest.fixture(autouse=True)
def files_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are taken for those of files, and not for sentences."""
    monkeypatch.setattr(corpus_plans, "_is_there", lambda path: True)


def task(name: str, systems: Any = (), database: str | None = None, **given: Any) -> Task:
    """A task that is not wrong whatever its files contain."""
    chosen = {one: given.pop(one) for one in ("metric", "table", "with_", "by", "where", "ci") if one in given}
    made = make_task(kinds.kind(name), systems, given, database, **chosen)
    check_task(made)
    return made


def without(roles: Mapping[str, Any], role: str) -> dict[str, Any]:
    [(name, own)] = roles["systems"].items()
    left = {one: path for one, path in own.items() if one != role}
    return {**{one: path for one, path in roles.items() if one != role}, "systems": {name: left}}


ROLES = [(name, role.name) for name in KINDS for role in kinds.kind(name).roles]
OPTIONAL = {("alignment", "source"), ("alignment", "target"), ("lattice", "hypothesis"), ("trees", "alignment")}
NEEDED = [one for one in ROLES if one not in OPTIONAL]


@in_turn("name", KINDS)
def test_a_request_with_all_roles_is_right(name: str) -> None:
    made = task(name, **given(name))
    assert made.roles == {role.name for role in roles_of(kinds.kind(name))}
    assert list(made.systems) == ["a"]
    assert made.choice.metrics


@in_turn(("name", "role"), NEEDED)
def test_a_role_that_is_missing(name: str, role: str) -> None:
    """In one line, which names it as it is written on the command line."""
    kind = kinds.kind(name)
    one = kind.role(role)
    as_written = f"--{role} {one.written}" if one.option else one.written
    with pytest.raises(UsageError) as caught:
        task(name, **without(given(name), role))
    told = str(caught.value)
    assert told.startswith(f"name {'at least one' if one.several else 'the'} {role}: {as_written}"), told
    assert "\n" not in told


@in_turn("name", KINDS)
def test_a_system_that_is_missing(name: str) -> None:
    wanted = " ".join(role.written for role in kinds.kind(name).own if not role.option)
    with pytest.raises(UsageError, match=f"^name at least one system: {wanted}$"):
        task(name, **{**given(name), "systems": []})


@in_turn("name", KINDS)
def test_roles_and_options_that_a_kind_has_not(name: str) -> None:
    for option in ("nonsense", "gold" if name in ("paths", "trees", "lattice", "translation") else "reference"):
        with pytest.raises(UnknownName, match=f"^unknown option of the kind {name} '{option}'; "):
            task(name, **given(name), **{option: "x"})
    with pytest.raises(UnknownName, match=f"^unknown role of a system of the kind {name} 'nonsense'; known: "):
        task(name, **{**given(name), "systems": {"a": {"nonsense": "x"}}})


@in_turn("name", KINDS)
def test_several_files_where_a_role_has_one(name: str) -> None:
    for role in kinds.kind(name).shared:
        roles = {**given(name), role.name: ["x", "y"]}
        if role.several:
            assert task(name, **roles).shared[role.name] == ("x", "y")
        else:
            with pytest.raises(UsageError, match=f"^{role.name} is one file or corpus, and 2 are given$"):
                task(name, **roles)


@in_turn("name", KINDS)
def test_more_files_of_a_system_than_it_has_roles(name: str) -> None:
    kind = kinds.kind(name)
    for n in (0, len(kind.own) + 1):
        with pytest.raises(UsageError) as caught:
            task(name, **{**given(name), "systems": [["x"] * n]})
        assert str(caught.value) == f"a system of the kind {name} is {kind.written_system}, and {n} are given"


@in_turn("name", KINDS)
def test_a_system_that_is_named_twice(name: str) -> None:
    [own] = given(name)["systems"].values()
    with pytest.raises(UsageError, match=r"^a system is named twice; name each once$"):
        task(name, **{**given(name), "systems": [own, own]})


SCORED_ALONE = ("dependency", "constituency", "alignment", "lattice")
"""Contents that are all that a kind of evaluation of the same name reads."""


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a corpus of every content, named as in FILES."""
    path = str(tmp_path_factory.mktemp("all") / "all.duckdb")
    load_all(path)
    return path


@pytest.fixture(scope="module")
def opened(everything: str) -> Iterator[treesql.Database]:
    with treesql.connect(everything, read_only=True) as db:
        yield db


@pytest.mark.spread(4)
@pytest.mark.parametrize(("name", "role"), ROLES)
def test_corpora_of_another_content_than_a_role_reads(opened: treesql.Database, name: str, role: str) -> None:
    reads = kinds.kind(name).role(role).reads
    fitting = {"words", "dependency", "constituency"} if reads == "words" else {reads}
    wanted = "words" if reads == "words" else describe_kind(reads)
    for content in FILES.keys() - fitting:
        found = given(name, loaded=True)
        [own] = found["systems"].values()
        (own if role in own else found)[role] = FILES[content]
        has = describe_kind("text" if content == "words" else content)
        with pytest.raises(UsageError) as caught:
            opened.score(name, **found)
        scored = f"; those are scored by `treesql score {content}`" if content in SCORED_ALONE else ""
        assert str(caught.value) == f"{FILES[content]} has {has}, and {role} is for {wanted}{scored}"


@pytest.mark.spread(4)
@pytest.mark.parametrize(("name", "role"), ROLES)
def test_corpora_that_are_not_loaded(opened: treesql.Database, name: str, role: str) -> None:
    found = given(name, loaded=True)
    [own] = found["systems"].values()
    (own if role in own else found)[role] = "nowhere"
    with pytest.raises(UnknownName, match=r"^unknown corpus 'nowhere'; known: gold.conllu, gold.mrg, "):
        opened.score(name, **found)


@in_turn(("name", "option"), [(name, one) for name in KINDS for one in kinds.kind(name).reading])
def test_how_files_are_read_is_not_for_a_database(everything: str, name: str, option: str) -> None:
    value: object = "text" if option.endswith("format") else {"symbols": "x", "ids": "first"}.get(option, True)
    option_written = f"--{option.removesuffix('format').replace('_', '-')}{'from' * option.endswith('format')}"
    value = 1 if option.endswith("base") else value
    roles = given(name, loaded=True)
    if option == "strict":  # loaded trees are checked as well
        task(name, **roles, database=everything, strict=True)
        return
    with pytest.raises(UsageError) as caught:
        task(name, **roles, database=everything, **{option: value})
    assert str(caught.value) == f"options for reading files ({option_written}) cannot be combined with --db"


@pytest.mark.parametrize(("value", "shown"), [(2, "2"), ("x", "'x'")])
@pytest.mark.parametrize("option", ["base", "gold_base"])
def test_words_are_counted_from_0_or_1(option: str, value: object, shown: str) -> None:
    with pytest.raises(UsageError, match=f"^{option} is {shown}; it is 0 or 1$"):
        task("alignment", **given("alignment"), **{option: value})


def test_notations_of_links_by_their_role() -> None:
    made = task("parallel", **given("parallel"), gold_base="1", reverse=True, null_links=True)
    gold, system = (made.reading.links_of(made.kind.role(name)) for name in ("gold_links", "system_links"))
    assert gold == Notation(1, reverse=False, null_links=True)
    assert system == Notation(None, reverse=True, null_links=True)


def test_systems_by_name_and_without() -> None:
    assert list(task("dependency", {"x": A, "y": B}, gold=GOLD).systems) == ["x", "y"]
    for systems in (A, Path(A), [A], [Path(A)], [{"system": A}], [(A,)]):
        assert task("dependency", systems, gold=Path(GOLD)).systems == {"parser-a.conllu": {"system": A}}
    assert task("dependency", [A, "-"], gold=GOLD).systems.keys() == {"parser-a.conllu", "stdin"}
    assert list(task("dependency", ["a/x", "b/x"], gold=GOLD).systems) == ["a/x", "b/x"]
    assert list(task("dependency", ["a/x", "b/x"], "t.duckdb", gold="g").systems) == ["a/x", "b/x"]
    assert [row["system"] for row in rows(A, B, gold=GOLD, metric="las")] == ["parser-a.conllu", "parser-b.conllu"]
    found = treesql.score("dependency", gold=GOLD, systems={"one": A, "gold.conllu": B}, metric="las")
    assert [row["system"] for row in found.rows()] == ["one", "gold.conllu"]


def in_order(name: str, *inputs: Any, systems: Any = (), **given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    made = make_task(kinds.kind(name), systems, given, inputs=inputs)
    return dict(made.shared), dict(made.systems)


def test_inputs_in_the_order_of_the_command() -> None:
    a, b = {"system": "a"}, {"system": "b"}
    assert in_order("dependency", "g", "a", "b") == ({"gold": ("g",)}, {"a": a, "b": b})
    assert in_order("dependency", "g", ["a", "b"]) == in_order("dependency", "g", systems=["a", "b"])
    assert in_order("dependency", Path("g"), {"x": "a"}) == ({"gold": ("g",)}, {"x": a})
    assert in_order("dependency", "g", systems={"x": "a"}) == ({"gold": ("g",)}, {"x": a})
    assert in_order("dependency", "a", "b", gold="g") == in_order("dependency", "g", "a", "b")
    assert in_order("dependency", "g", system="a") == in_order("dependency", "g", "a")
    assert in_order("translation", "h", reference="r") == ({"reference": ("r",)}, {"h": {"hypothesis": "h"}})
    assert in_order("lattice", ["a", "b"], reference=["r", "s"])[0] == {"reference": ("r", "s")}
    both = {"hypothesis": "h", "alignment": "l"}
    assert in_order("paths", "r", "h", "l") == ({"reference": ("r",)}, {"h": both})
    assert in_order("paths", "r", "h", alignment="l") == in_order("paths", "r", [("h", "l")])
    assert in_order("paths", "r", {"x": ("h", "l")}) == ({"reference": ("r",)}, {"x": both})
    assert in_order("trees", "a", "b", alignment="l") == (
        {"reference": ("a",)},
        {"b": {"hypothesis": "b", "alignment": "l"}},
    )
    gold = {"gold_a": ("a",), "gold_b": ("c",), "gold_links": ("e",)}
    system = {"system_a": "b", "system_b": "d", "system_links": "f"}
    assert in_order("parallel", "a", "b", "c", "d", "e", "f") == (gold, {"b + d + f": system})


@in_turn(
    ("name", "inputs", "named", "message"),
    [
        ("dependency", (), {}, "GOLD, SYSTEM is missing; name GOLD SYSTEM..."),
        ("dependency", ("g",), {}, "SYSTEM is missing; name GOLD SYSTEM..."),
        ("dependency", (["g", "h"], "a"), {}, "gold is one file or corpus, and 2 are given"),
        ("dependency", ("g", "a"), {"systems": {"x": "b"}}, "give systems as SYSTEM, or with --system, not both"),
        (
            "translation",
            (["a"], ["b"]),
            {},
            "a list at the end is the files of all systems; what is in memory has no name, so name the systems: "
            'systems={"NAME": ...}',
        ),
        ("lattice", (), {}, "LATTICES is missing; name LATTICES..."),
        ("lattice", ("a",), {"systems": ["b"]}, "give systems as LATTICES, or with --system, not both"),
        ("paths", ("r", "h"), {}, "ALIGNMENT is missing; name REFERENCE HYPOTHESIS ALIGNMENT"),
        ("paths", ("r", "h", "l", "x"), {}, "x is one too many; name REFERENCE HYPOTHESIS ALIGNMENT"),
    ],
)
def test_inputs_that_do_not_fit(name: str, inputs: tuple[Any, ...], named: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        in_order(name, *inputs, **named)
    assert str(caught.value) == message


@pytest.mark.filterwarnings("ignore:.*sentences:treesql.TreesqlWarning")
def test_calls_with_inputs_in_order(examples: treesql.Database) -> None:
    """Of every function, on files and on corpora, as with the same inputs by name."""
    hypotheses, reference = str(FIXTURES / "hypotheses.txt"), str(FIXTURES / "lattices.txt")
    [row] = treesql.score("translation", hypotheses, reference=reference, metric="wer").rows()
    assert row["wer"] == 5 / 13
    assert score(A, B, metric="las").rows() == treesql.score("dependency", GOLD, A, B, metric="las").rows()
    assert [row["las"] for row in examples.score("dependency", "gold", "parser-a", "parser-b", metric="las")] == [
        24 / 30,
        27 / 30,
    ]
    how: dict[str, Any] = {"metric": "las", "runs": 10}
    rows = treesql.compare("dependency", GOLD, A, B, **how).rows()
    assert rows == treesql.compare("dependency", gold=GOLD, systems=[A, B], **how).rows()
    [row] = examples.compare("dependency", "gold", ["parser-a", "parser-b"], **how).rows()
    assert (row["system_a"], row["system_b"], row["p"]) == ("parser-a", "parser-b", rows[0]["p"])
    paths = [str(FIXTURES / name) for name in ("reference.conllu", "hypothesis.conllu", "reference-hypothesis.align")]
    by_name = treesql.explain("paths", "sherlock", reference=paths[0], systems=[tuple(paths[1:])])
    assert treesql.explain("paths", "sherlock", *paths).paths.rows() == by_name.paths.rows()
    [row] = (
        examples.report("dependency", "gold", {"ours": "parser-a"}, sentences=0, metric="las").tables["scores"].rows()
    )
    assert (row["system"], row["las"]) == ("ours", 24 / 30)
    with pytest.raises(UsageError, match="names takes"):
        examples.score("attachment", ["exact_match"], gold_corpus="gold", system_corpus="parser-a")


def test_systems_of_several_files() -> None:
    of_paths = task("paths", [("f/h", "f/l"), {"alignment": "l", "hypothesis": "i"}], reference="r")
    assert of_paths.systems == {
        "h": {"hypothesis": "f/h", "alignment": "f/l"},
        "i": {"hypothesis": "i", "alignment": "l"},
    }
    of_trees = task("trees", [("h",), "i"], reference="r")
    assert of_trees.systems == {"h": {"hypothesis": "h"}, "i": {"hypothesis": "i"}}
    gold = {"gold_a": "a", "gold_b": "b", "gold_links": "l"}
    assert list(task("parallel", [("f/x", "f/y", "f/z")], **gold).systems) == ["x + y + z"]
    assert list(task("parallel", [("f/x", "f/y", "f/z"), ("g/x", "u", "v")], **gold).systems) == [
        "f/x + y + z", "g/x + u + v",
    ]  # fmt: skip


def test_the_only_system_by_its_roles() -> None:
    assert task("dependency", gold=GOLD, system=A).systems == {"parser-a.conllu": {"system": A}}
    both = {"hypothesis": "h", "alignment": "l"}
    assert task("paths", reference="r", **both).systems == {"h": both}
    assert task("paths", "h", reference="r", alignment="l").systems == {"h": both}
    with pytest.raises(UsageError) as caught:
        task("paths", ["h", "i"], reference="r", alignment="l")
    told = "each system has its own alignment: name it with the system, --system NAME=HYPOTHESIS,ALIGNMENT"
    assert str(caught.value) == told
    with pytest.raises(UsageError, match=r"^system is given by name and with the system; give it once$"):
        task("dependency", A, gold=GOLD, system=B)


def test_systems_that_lack_a_file_are_not_taken_for_one() -> None:
    gold = {"gold_a": "a", "gold_b": "b", "gold_links": "l"}
    for systems in ([("x", "y", "z"), ("u", "v")], [("x", "y"), ("u", "v")], [{"system_b": "x"}, {"system_b": "y"}]):
        with pytest.raises(UsageError, match=r"^name the system_(links|a): SYSTEM_(LINKS|A)"):
            task("parallel", systems, **gold)


@pytest.mark.parametrize(
    ("name", "as_written"),
    [
        ("dependency", "NAME=FILE"),
        ("lattice", "NAME=LATTICES[,FILE]"),
        ("paths", "NAME=HYPOTHESIS,ALIGNMENT"),
        ("trees", "NAME=B[,FILE]"),
        ("parallel", "NAME=SYSTEM_A,SYSTEM_B,SYSTEM_LINKS"),
    ],
)
def test_how_a_system_is_written(name: str, as_written: str) -> None:
    assert kinds.kind(name).written_system == as_written


def test_lists_with_commas() -> None:
    assert (
        split("las, uas,") == split(["las", "uas"]) == split(["las,uas"]) == split(("las", " uas ")) == ["las", "uas"]
    )
    assert split("") == split(()) == split(",") == []
    assert score(A, metric="las, uas").columns == score(A, metric=["las", "uas"]).columns == ["system", "las", "uas"]
    assert task("constituency", **given("constituency"), with_="ted,sentences").added == ["ted", "sentences"]


def test_flags_are_short_for_other_options() -> None:
    assert task("dependency", A, gold=GOLD, conll18=True).tables == ["conll18"]
    assert task("dependency", A, gold=GOLD, enhanced=True).added == ["enhanced"]
    assert task("dependency", A, gold=GOLD, conll18=True, enhanced=True).tables == ["conll18", "iwpt20"]
    assert task("dependency", A, gold=GOLD, table="conll18", with_="enhanced").tables == ["conll18", "iwpt20"]
    assert task("newick", **given("newick"), common=True).parameters == {"leaves": "common"}
    plain = task("dependency", A, gold=GOLD, conll18=False, errors=None, metric=(), punctuation=None)
    assert (plain.tables, plain.added, plain.parameters) == ([], [], {})


@in_turn(
    ("options", "message"),
    [
        ({"conll18": True, "errors": True}, "--conll18 and --errors each choose the output"),
        ({"conll18": True, "table": "upos_accuracy"}, "each choose the output"),
        ({"table": "upos_accuracy,conll18"}, "--table upos_accuracy and --table conll18 each choose the output"),
        ({"table": "upos_accuracy", "metric": "las"}, "--table upos_accuracy and --metric las each choose the output"),
        ({"with_": "enhanced", "metric": "las"}, "--with adds to the default metrics, --metric replaces them"),
        ({"enhanced": True, "metric": "las"}, "--with adds to the default metrics, --metric replaces them"),
        ({"enhanced": True, "errors": True}, "--with enhanced adds to the default scores, and attachment_errors is a"),
        ({"conll18": True, "by": "upos"}, "a table has its own rows and columns"),
        ({"conll18": True, "where": "word = 1"}, "a table has its own rows and columns"),
        ({"conll18": True, "ci": True}, "a table has its own rows and columns; .*--ci are for scores"),
        ({"conll18": True, "punctuation": "form"}, "--punctuation does not apply to conll18"),
        ({"metric": "tagging", "punctuation": "form"}, "--punctuation does not apply to tagging"),
    ],
)
def test_options_that_exclude_each_other(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        task("dependency", A, gold=GOLD, **options)
    assert "\n" not in str(caught.value)


def test_options_that_no_metric_depends_on() -> None:
    density = {"metric": "density", "min_redundancy": 0.5}
    with pytest.raises(UsageError, match=r"^--min-redundancy does not apply to lattice_size$"):
        task("lattice", **given("lattice"), **density)
    for options, message in (
        ({"metric": "las", "weights": "w"}, r"^weights= does not apply to attachment$"),
        ({"conll18": True, "weights": "w", "classes": "c"}, r"^weights=, classes= do not apply to conll18$"),
    ):
        with pytest.raises(UsageError, match=message):
            treesql.score("dependency", gold=GOLD, systems=[A], **options)


def test_additions_that_a_kind_has_not() -> None:
    with pytest.raises(UnknownName, match="unknown addition to the kind constituency 'tde'; did you mean ted"):
        task("constituency", **given("constituency"), with_="tde")
    with pytest.raises(UnknownName, match="unknown addition to the kind newick 'ted'; none are defined"):
        task("newick", **given("newick"), with_="ted")


@in_turn(
    ("kind", "given", "message"),
    [
        ("dependency", {"enhanced": "no"}, "enhanced is 'no'; it is True or False"),
        ("dependency", {"strict": "no"}, "strict is 'no'; it is True or False"),
        ("alignment", {"gold_reverse": 1}, "gold_reverse is 1; it is True or False"),
        ("dependency", {"ci": "yes"}, r"ci takes True or False, not 'yes' \(str\)"),
        (
            "dependency",
            {"systems": 3},
            "systems takes text, a path, .* or a mapping of texts to values, not 3",
        ),
        ("translation", {"hypothesis": ["a", "b"]}, "hypothesis is one file or corpus, and 2 are given"),
    ],
)
def test_wrong_types_name_the_right_ones(kind: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(treesql.UsageError, match=message):
        treesql.score(kind, **{"gold": "gold", **given})  # type: ignore[arg-type]
