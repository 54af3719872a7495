"""Signatures: whatever changes a number changes its signature, and the same number has the same one from all sides."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import treesql
from tests.conftest import FIXTURES, bare, conllu
from tests.scoring.attachment import PAIR
from treesql import catalog
from treesql.cli import group, score
from treesql.readers import Notation, Options
from treesql.readers.reading import CHANGES_NOTHING, CHANGES_ROWS
from treesql.results import signature_text
from treesql.scoring import signatures

OUTPUT = {"db", "database", "form", "out", "signature", "max_sentence", "memory", "timeout"}
"""Options that say where corpora are, how numbers are printed, and what is refused as too large."""

UNSIGNED = {("constituency", "as_evalb"), ("paths", "explain"), ("paths", "errors")}
"""Options that print something else than scores, and refuse --signature."""


@dataclass(frozen=True)
class Case:
    """A command of `treesql score` with files, and values of its options, given one at a time.

    changing: options with which numbers must change, lest the comparison be of equal ones alone.
    """

    kind: str
    files: Sequence[str]
    options: Mapping[str, Sequence[Sequence[str]]]
    changing: Sequence[str] = ()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixtures, and files that single options need."""
    path = tmp_path_factory.mktemp("files")
    for file in FIXTURES.iterdir():
        if file.is_file():
            shutil.copy(file, path)
    texts = {
        "w.csv": "relation,weight\nnsubj,1\ndet,0\n",
        "v.csv": "relation,weight\nnsubj,0\ndet,1\n",
        "c.csv": "relation,class\nnsubj,content\ndet,other\n",
        "labels.prm": "LABELED 0\n",
        "plain": "1-1 2-2 3-3\n1-1 2-3\n",
        "plain-a": "1-1 2-2 3-2\n1-1 3-2\n",
        "plain-b.talp": "1-1 2-2 3-2\n1-1 3-2\n",
        "null.wpt": "1 1 1\n1 2 2\n1 0 3\n",
        "null-a.wpt": "1 1 1\n1 2 3\n1 0 3\n",
        "one.fst.txt": "0 1 1 1 0.5\n1 2 2 2 0.5\n2\n",
        "one.syms": "<eps> 0\nthe 1\ncat 2\n",
        "other.syms": "<eps> 0\nthe 1\nhat 2\n",
        "one.txt": "the cat\n",
        "ids.txt": "u1 the cat\nu2 a dog\n",
        "ids-r.txt": "u2 the dog\nu1 the cat\n",
        "brackets": "((a,b),(c,(d,e)));\n",
        "brackets-a": "((a,b),(d,(c,e)));\n",
        "one.nwk": "((a,b),(c,(d,e)));\n",
        "two.nwk": "((a,c),(b,(d,x)));\n",
    }
    for name, text in texts.items():
        (path / name).write_text(text)
    cyclic = conllu("a:2:det b:1:det c:0:root", "x:0:root y:1:obj")
    (path / "cyclic.conllu").write_bytes(cyclic)
    (path / "tree.conllu").write_bytes(conllu("a:2:det b:3:nsubj c:0:root", "x:0:root y:1:obj"))
    return path


REFERENCES = ["-r", "lattices.txt"]
LINKED = ["reference.conllu", "hypothesis.conllu", "reference-hypothesis.align"]
PARALLEL = ["gold.conllu", "parser-a.conllu", "gold.conllu", "parser-b.conllu", "links.pharaoh", "links-a.pharaoh"]
FLAG: Sequence[Sequence[str]] = [[]]
TREES: dict[str, Sequence[Sequence[str]]] = {
    "permissive": FLAG, "strict": FLAG, "ci": FLAG, "by": [["sentence"]], "where": [["sentence > 0"], ["sentence > 1"]]
}  # fmt: skip
ROOTING = [["--rooted"], ["--unrooted"]]
LINES: dict[str, Sequence[Sequence[str]]] = {"ci": FLAG, "by": [["sentence"]], "where": [["sentence > 0"]]}

CASES = [
    Case(
        "dependency", ["gold.conllu", "parser-a.conllu"],
        {
            **TREES, "by": [["upos"], ["depth"]], "match": [["sent_id"]], "punctuation": [["form"], ["relation"]],
            "relations": [["full"]], "weights": [["w.csv"], ["v.csv"], ["parser-b.conllu"]], "classes": [["c.csv"]],
            "metric": [["attachment"], ["content_attachment"]], "conll18": FLAG, "enhanced": FLAG,
            "table": [["upos_accuracy"], ["head_distances"]], "errors": FLAG, "source_form": [["conllu"], ["conllx"]],
        },
        ["where", "punctuation", "weights", "classes", "ci", "by"],
    ),
    Case("dependency", ["tree.conllu", "cyclic.conllu"], {"permissive": FLAG}),
    Case("dependency", ["cyclic.conllu", "tree.conllu"], {"permissive": FLAG}),
    Case(
        "constituency", ["gold.mrg", "test.mrg"],
        {
            **TREES, "rooting": ROOTING, "rules": [["new"], ["labels.prm"]], "punctuation": [["drop"]],
            "more": [["ted"], ["sentences"]], "metric": [["evalb"], ["quartets"]], "source_form": [["penn"]],
        },
        ["where", "rules", "punctuation"],
    ),
    Case("newick", ["one.nwk", "two.nwk"], {"common": FLAG}, ["common"]),
    Case(
        "newick", ["brackets", "brackets-a"],
        {**TREES, "rooting": ROOTING, "common": FLAG, "metric": [["quartets"]], "source_form": [["newick"]]},
        ["rooting"],
    ),
    Case(
        "alignment", ["links.pharaoh", "links-a.pharaoh"],
        {
            **LINES, "reverse": FLAG, "gold_reverse": FLAG, "null_links": FLAG, "source": [["gold.conllu"]],
            "target": [["gold.conllu"]], "gold_form": [["pharaoh"]], "source_form": [["pharaoh"]],
        },
        ["reverse", "gold_reverse", "where"],
    ),
    Case(
        "alignment", ["plain", "plain-a"],
        {"base": [["0"], ["1"]], "gold_base": [["1"]], "gold_form": [["talp"]], "source_form": [["talp"]]},
        ["gold_base", "gold_form", "source_form"],
    ),
    Case("alignment", ["plain", "plain-b.talp"], {"base": [["0"], ["1"]]}),
    Case("alignment", ["null.wpt", "null-a.wpt"], {"null_links": FLAG}, ["null_links"]),
    Case(
        "lattice", ["lattices.plf", *REFERENCES],
        {
            **LINES, "references": [["lattices-2.txt"]], "columns": [["ger"], ["swcd"]], "phrases": FLAG,
            "min_redundancy": [["0"], ["2"]], "source_form": [["plf"]], "symbols": [["one.syms"]],
        },
        ["phrases", "min_redundancy", "references"],
    ),
    Case("translation", ["ids.txt", "-r", "ids-r.txt"], {"ids": [["first"], ["none"]]}, ["ids"]),
    Case("lattice", ["lattices.plf", *REFERENCES], {"ids": [["none"]]}),
    Case(
        "lattice", ["one.fst.txt", "-r", "one.txt"], {"symbols": [["one.syms"], ["other.syms"]]}, ["symbols"],
    ),
    Case(
        "translation", ["hypotheses.txt", *REFERENCES],
        {**LINES, "references": [["lattices-2.txt"]], "columns": [["bleu"], ["wer"]], "source_form": [["text"]]},
        ["references"],
    ),
    Case(
        "parallel", PARALLEL,
        {
            **TREES, "weight_a": [["2"]], "weight_b": [["2"]], "weight_links": [["3"]],
            "punctuation": [["all"], ["relation"]], "gold_reverse": FLAG, "reverse": FLAG, "null_links": FLAG,
            "gold_base": [["0"]], "base": [["0"]], "gold_links_form": [["pharaoh"]], "links_form": [["pharaoh"]],
            "source_form": [["conllu"]],
        },
        ["weight_a", "punctuation", "reverse"],
    ),
    Case(
        "paths", LINKED,
        {**LINES, "strict": FLAG, "base": [["0"], ["1"]], "reverse": FLAG, "alignment_form": [["pharaoh"]],
         "source_form": [["conllu"]]},
        ["where"],
    ),
    Case(
        "trees", ["reference.conllu", "hypothesis.conllu"],
        {"by": [["sentence"]], "ci": FLAG, "costs": [["structure"]], "strict": FLAG, "source_form": [["conllu"]]},
        ["by"],
    ),
    Case(
        "trees",
        ["reference.conllu", "hypothesis.conllu", "--costs", "aligned", "--alignment", "reference-hypothesis.align"],
        {
            "base": [["0"], ["1"]], "reverse": FLAG, "alignment_form": [["pharaoh"]], "costs": [["aligned_strict"]],
            "alignment": [["plain"]],
        },
    ),
]  # fmt: skip


def scored(case: Case, given: Sequence[str], folder: Path) -> tuple[Any, list[str]] | None:
    """What a command prints, and the signatures; None where it is refused."""
    files = [str(folder / one) if (folder / one).is_file() else one for one in [*case.files, *given]]
    arguments = ["score", case.kind, *files, "--format", "json", "--signature"]
    done = CliRunner().invoke(group, arguments)
    if done.exit_code:
        assert isinstance(done.exception, treesql.errors.TreesqlError | SystemExit), (arguments, done.exception)
        return None
    numbers = [{name: value for name, value in row.items() if name != "system"} for row in json.loads(done.stdout)]
    return numbers, [line for line in done.stderr.splitlines() if "|duckdb:" in line]


def option(kind: str, name: str) -> str:
    command = score.command.get_command(click.Context(score.command), kind)
    assert command
    return next(one.opts[0] for one in command.params if one.name == name)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind} {case.files[0]}")
def test_what_changes_a_number_changes_its_signature(case: Case, folder: Path) -> None:
    for name, values in case.options.items():
        own = option(case.kind, name)
        given = [[], *(value if value and value[0].startswith("--") else [own, *value] for value in values)]
        found = [(one, result) for one in given if (result := scored(case, one, folder))]
        assert all(told for _, (_, told) in found)
        differing = 0
        for (_, one), (arguments, other) in itertools.combinations(found, 2):
            if one[0] != other[0]:
                differing += 1
                assert set(one[1]).isdisjoint(other[1]), arguments
        assert differing or name not in case.changing, name


def test_every_option_of_every_kind_is_tried() -> None:
    for kind in score.command.list_commands(click.Context(score.command)):
        command = score.command.get_command(click.Context(score.command), kind)
        assert command
        options = {str(one.name) for one in command.params if isinstance(one, click.Option)}
        tried = OUTPUT.union(*(case.options for case in CASES if case.kind == kind))
        unsigned = {name for of, name in UNSIGNED if of == kind}
        given = {"references"} | {word[2:] for case in CASES if case.kind == kind for word in case.files}
        assert not options - tried - unsigned - given, kind


def test_every_option_of_reading_is_said_to_change_rows_or_not() -> None:
    known = {one.name for kind in (Options, Notation) for one in fields(kind)}
    assert known == set(CHANGES_ROWS) | CHANGES_NOTHING
    assert not CHANGES_ROWS.keys() & CHANGES_NOTHING


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
@pytest.mark.parametrize(
    ("metrics", "files", "options", "parameters"),
    [
        (("attachment", "weighted_attachment", "relation_class_scores"), ("gold.conllu", "parser-a.conllu"),
         ["dependency", "--punctuation", "form"], {"punctuation": "form"}),
        (("content_attachment",), ("gold.conllu", "parser-a.conllu"),
         ["dependency", "--metric", "content_attachment", "--by", "upos"], {"by": "upos"}),
        (("attachment",), ("gold.conllu", "parser-b.conllu"),
         ["dependency", "--metric", "attachment", "--where", "word > 1", "--ci"], {"where": "word > 1", "ci": True}),
        (("evalb", "robinson_foulds"), ("gold.mrg", "test.mrg"),
         ["constituency", "--parameters", "new"], {"rules": "new"}),
        (("agreement",), ("links.pharaoh", "links-a.pharaoh"), ["alignment"], {}),
    ],
)  # fmt: skip
def test_both_sides_give_one_signature(
    folder: Path, tmp_path: Path, metrics: Sequence[str], files: Sequence[str], options: list[str],
    parameters: dict[str, Any],
) -> None:  # fmt: skip
    """Files, a database by the command line, and the same in Python, whatever corpora are called there."""
    with treesql.connect(tmp_path / "t.duckdb") as db:
        for corpus, file in zip("xy", files, strict=True):
            db.load(folder / file, corpus=corpus)
        result = db.score(*metrics, gold_corpus="x", system_corpus="y", **parameters)
    kind, *others = options
    of_files = told(kind, *(str(folder / file) for file in files), *others)
    of_database = told(kind, "x", "y", "--db", str(tmp_path / "t.duckdb"), *others)
    assert of_files == of_database
    for name, text in result.signatures.items():
        parts = set(signature_text.split(text)[1:-3])
        [line] = [line for line in of_files if name in line.split("|")[0].split(",")]
        assert parts <= set(signature_text.split(line)), name


def test_tables_and_lattices_have_one_signature_from_both_sides(folder: Path, tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as db:
        db.load(folder / "gold.conllu", corpus="g")
        db.load(folder / "parser-a.conllu", corpus="a")
        db.load(folder / "lattices.plf", corpus="l", phrases=True)
        db.load(folder / "lattices.txt", corpus="r")
        table = db.query("conll18", gold_corpus="g", system_corpus="a")
        swcd = db.score("word_count_distance", lattice_corpus="l", reference_corpus="r", min_redundancy=2)
    files = [str(folder / name) for name in ("gold.conllu", "parser-a.conllu")]
    assert told("dependency", *files, "--conll18") == [table.signature]
    assert "(phrases)" in swcd.signature
    lattice = [str(folder / "lattices.plf"), "-r", str(folder / "lattices.txt"), "--phrases", "--min-redundancy", "2"]
    [line] = told("lattice", *lattice, "--metrics", "word_count_distance")
    assert swcd.signatures["swcd"].split("|")[1:] == line.split("|")[1:]


def told(kind: str, *arguments: str) -> list[str]:
    done = CliRunner().invoke(group, ["score", kind, *arguments, "--format", "json", "--signature"])
    assert done.exit_code == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "|duckdb:" in line]


def test_weights_are_cited_by_what_they_are(db: treesql.Database, folder: Path) -> None:
    for corpus in ("gold", "parser-a"):
        db.load(folder / f"{corpus}.conllu", corpus=corpus)
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    assert "|weights:wde|" in db.score("weighted_attachment", **pair).signatures["wlas"]
    db.sql("INSERT INTO relation_weights VALUES ('wde', 'nsubj', 1), ('w.csv', 'nsubj', 1), ('w.csv', 'det', 0)")
    own = db.score("weighted_attachment", weights="wde", **pair).signatures["wlas"]
    assert re.search(r"\|weights:wde@[0-9a-f]{6}\|", own)
    files = [str(folder / name) for name in ("gold.conllu", "parser-a.conllu", "w.csv")]
    [line] = told("dependency", *files[:2], "--weights", files[2])
    [weights] = [part for part in line.split("|") if part.startswith("weights:")]
    assert weights in db.score("weighted_attachment", weights="w.csv", **pair).signatures["wlas"].split("|")
    db.sql("UPDATE relation_weights SET weight = 0.25 WHERE relation = 'det'")
    assert weights not in db.score("weighted_attachment", weights="w.csv", **pair).signatures["wlas"].split("|")


def test_a_condition_that_asks_other_corpora_is_cited_with_them(db: treesql.Database, folder: Path) -> None:
    for corpus in ("gold", "parser-a"):
        db.load(folder / f"{corpus}.conllu", corpus=corpus)
    given = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    where = "word IN (SELECT w.word FROM words AS w WHERE w.corpus = 'other')"
    before = db.score("attachment", where=where, **given).signatures["las"]
    db.load(folder / "parser-b.conllu", corpus="other")
    after = db.score("attachment", where=where, **given).signatures["las"]
    assert before != after
    assert "|others:" in after


def test_statistics_cite_the_corpora_that_they_are_of(db: treesql.Database, folder: Path) -> None:
    db.load(folder / "gold.conllu", corpus="gold")
    one = db.query("word_entropy", corpus_name="gold").signature
    assert re.search(r"\|corpus:gold\.conllu@[0-9a-f]{6}\|", one)
    every, inventory = db.query("averaged_word_entropy").signature, db.query("inventory").signature
    assert "|corpora:1@" in every
    db.load(folder / "parser-a.conllu", corpus="parser-a")
    assert "|corpora:2@" in db.query("averaged_word_entropy").signature
    assert db.query("inventory").signature != inventory
    assert db.query("word_entropy", corpus_name="gold").signature == one
    two = db.query("averaged_word_entropy").signature
    db.sql("UPDATE corpora SET treebank = 'T'")
    assert db.query("averaged_word_entropy").signature != two


def test_corpora_keep_how_they_were_read(db: treesql.Database, folder: Path, tmp_path: Path) -> None:
    def reading(corpus: str) -> object:
        return db.sql("SELECT reading FROM corpora WHERE corpus = $c", {"c": corpus}).rows()[0]["reading"]

    def load(name: str, corpus: str, **options: Any) -> object:
        db.load(folder / name, corpus=corpus, **options)
        return reading(corpus)

    assert load("links.pharaoh", "usual") == ""
    assert load("links.pharaoh", "same", base=0) == ""
    assert load("plain", "many", format="pharaoh", base=1, reverse=True, null_links=True) == "base:1 null_links reverse"
    assert load("plain-b.talp", "talp", base=1) == ""
    assert load("lattices.plf", "phrases", phrases=True) == "phrases"
    assert load("gold.conllu", "strict", strict=True, permissive=True) == ""
    assert load("tree.conllu", "acyclic", permissive=True) == ""
    assert re.fullmatch(
        "symbols:[0-9a-f]{6}", str(load("one.fst.txt", "fst", format="openfst", symbols=folder / "one.syms"))
    )
    with pytest.warns(treesql.TreesqlWarning):
        assert load("cyclic.conllu", "cyclic", permissive=True) == "permissive"
    cited = {corpus: signatures.cite_corpus(db.engine, corpus) for corpus in db.corpora}
    assert re.fullmatch(r"plain@[0-9a-f]{6}\(pharaoh,base:1,null_links,reverse\)", cited["many"])
    assert re.fullmatch(r"links\.pharaoh@[0-9a-f]{6}", cited["usual"])
    assert re.fullmatch(r"cyclic\.conllu@[0-9a-f]{6}\(permissive\)", cited["cyclic"])
    rows = {row["corpus"]: row["reading"] for row in db.info().rows()}
    assert rows["many"] == "base:1 null_links reverse"
    db.export(tmp_path / "out")
    with treesql.connect() as other:
        with pytest.warns(treesql.TreesqlWarning, match="heads form a cycle"):
            other.load(tmp_path / "out", permissive=True)
        assert {corpus: signatures.cite_corpus(other.engine, corpus) for corpus in other.corpora} == cited
    bare(db).execute("UPDATE corpora SET reading = NULL")
    assert re.fullmatch(r"links\.pharaoh@[0-9a-f]{6}\(\?\)", signatures.cite_corpus(db.engine, "usual"))


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_p_corrected_depends_on_all_systems(examples: treesql.Database) -> None:
    given = {"gold_corpus": "gold", "runs": 50}
    two = examples.compare("attachment.las", systems=["parser-a", "parser-b"], **given)
    three = examples.compare("attachment.las", systems=["parser-a", "parser-b", "gold"], **given)
    key = "las:parser-a:parser-b"
    assert two.signatures[key] != three.signatures[key]
    plain = examples.compare("attachment.las", systems=["parser-a", "parser-b", "gold"], correction="none", **given)
    assert "|among:" not in plain.signatures[key]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
@pytest.mark.parametrize("method", [{"seed": 1}, {"runs": 60}, {"test": "bootstrap"}, {"stratum": "newdoc"}])
def test_methods_of_comparison_are_cited(examples: treesql.Database, method: dict[str, Any]) -> None:
    given: dict[str, Any] = {"systems": ["parser-a", "parser-b"], "gold_corpus": "gold", "runs": 50}
    usual = examples.compare("attachment.las", **given)
    assert set(usual.signatures.values()).isdisjoint(
        examples.compare("attachment.las", **{**given, **method}).signatures.values()
    )


def test_classes_are_part_of_what_is_signed(db: treesql.Database) -> None:
    for name in ("gold", "parser-a"):
        db.load(FIXTURES / f"{name}.conllu", corpus=name)
    before = db.score("relation_class_scores", **PAIR)
    db.connection.execute("UPDATE relation_classes SET class = 'other' WHERE relation = 'nsubj'")
    after = db.score("relation_class_scores", **PAIR)
    assert before.rows() != after.rows()
    assert before.signature != after.signature
    assert "classes:" not in db.score("attachment", **PAIR).signature


def test_signature(examples: treesql.Database) -> None:
    result = examples.score("attachment", where="word > 1", punctuation="form", **PAIR)
    parts = result.signatures["las"].split("|")
    assert parts[:5] == ["las", "match:order", "punctuation:form", "relations:universal", "where:word > 1"]
    assert [part.split("@")[0] for part in parts[5:7]] == ["gold:gold.conllu", "system:parser-a.conllu"]
    assert parts[7] == f"q:{catalog.query('attachment').sha256[:8]}"
    assert parts[8] == f"v:{treesql.__version__}"
    assert result.signature == result.signatures["las"].replace("las|", "words,uas,las,la|", 1)
