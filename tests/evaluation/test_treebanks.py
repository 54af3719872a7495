"""Folders and patterns scored: files paired by name, a row per treebank, macro- and micro-averages by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu, heard
from treesql.errors import InvalidInput, UnknownName, UsageError

GOLD = {
    "de": ["a:0:root b:1:obj"],
    "fr": ["a:0:root b:1:obj c:1:obj"],
    "xx": ["a:0:root b:1:obj:NOUN c:1:obl d:1:obl e:1:obl", "f:0:root"],
}
"""Gold treebanks of 2, 3 and 6 words."""

A = {
    "de": ["a:0:root b:1:obl"],
    "fr": ["a:0:root b:1:obj c:1:obj"],
    "xx": ["a:0:root b:1:obl:NOUN c:1:obj d:1:obj e:3:obl", "f:0:root"],
}
"""A system with 1, 3 and 2 right edges, and 2, 3 and 5 right heads."""

B = {**GOLD, "de": ["a:2:obj b:0:root"]}
"""A system with 0, 3 and 6 right edges."""

few = pytest.mark.filterwarnings("ignore:.*(only . sentences?|differ in . of . sentence)")


def write(folder: Path, treebanks: dict[str, list[str]], name: str = "{}.conllu") -> str:
    for treebank, sentences in treebanks.items():
        path = folder / name.format(treebank)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(conllu(*sentences))
    return str(folder)


def write_all(folder: Path) -> dict[str, Any]:
    systems = [write(folder / "out/a", A), write(folder / "out/b", B)]
    return {"gold": write(folder / "gold", GOLD), "systems": systems}


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Any]:
    return write_all(tmp_path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same folders, for reading only."""
    return write_all(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def compared(kept: dict[str, Any]) -> treesql.Result:
    with heard():
        return treesql.compare("dependency", **kept, metric="las")


def score(folders: dict[str, Any], **given: Any) -> treesql.Result:
    return treesql.score("dependency", **{**folders, **given})


def named(result: treesql.Result, *columns: str) -> dict[tuple[str, ...], Any]:
    """The values of the last column by those of the others."""
    *keys, value = columns
    return {tuple(row[key] for key in keys): row[value] for row in result.rows()}


def test_a_row_per_treebank_and_system_then_the_averages(folders: dict[str, Any]) -> None:
    result = score(folders, metric=["words", "las", "uas"])
    assert result.columns == ["system", "treebank", "words", "las", "uas"]
    rows = [tuple(row.values()) for row in result.rows()]
    assert rows[:6] == [
        ("a", "de", 2, 1 / 2, 1.0),
        ("b", "de", 2, 0.0, 0.0),
        ("a", "fr", 3, 1.0, 1.0),
        ("b", "fr", 3, 1.0, 1.0),
        ("a", "xx", 6, 2 / 6, 5 / 6),
        ("b", "xx", 6, 1.0, 1.0),
    ]
    assert rows[6:] == [
        ("a", "macro", None, pytest.approx((1 / 2 + 1 + 2 / 6) / 3), pytest.approx((1 + 1 + 5 / 6) / 3)),
        ("a", "micro", 11, 6 / 11, 10 / 11),
        ("b", "macro", None, pytest.approx(2 / 3), pytest.approx(2 / 3)),
        ("b", "micro", 11, 9 / 11, 9 / 11),
    ]
    assert result.percent >= {"las", "uas"}


@pytest.mark.slow
def test_every_row_of_a_treebank_is_that_of_its_files(folders: dict[str, Any], tmp_path: Path) -> None:
    result = score(folders)
    for name in GOLD:
        single = score(
            {"gold": str(tmp_path / f"gold/{name}.conllu")}, systems={"a": str(tmp_path / f"out/a/{name}.conllu")}
        )
        [row] = [row for row in result.rows() if (row["system"], row["treebank"]) == ("a", name)]
        del row["treebank"]
        assert [row] == single.rows()
        for column, text in single.signatures.items():
            assert result.signatures[f"a:{name}:{column.partition(':')[2]}"] == text


@few
def test_one_treebank_is_its_own_average(folders: dict[str, Any]) -> None:
    result = score(folders, gold=f"{folders['gold']}/d*.conllu", systems={"a": f"{folders['systems'][0]}/d*"}, ci=True)
    treebank, macro, micro = (row | {"treebank": ""} for row in result.rows())
    assert treebank == micro
    counts = {name: None for name, value in treebank.items() if isinstance(value, int)}
    assert macro == treebank | counts


def test_groups_have_averages_of_the_treebanks_that_have_them(folders: dict[str, Any]) -> None:
    result = score(folders, metric=["las", "words"], by="gold_deprel")
    assert result.columns == ["system", "treebank", "gold_deprel", "las", "words"]
    las = named(result, "system", "treebank", "gold_deprel", "las")
    assert las["a", "de", "obj"] == 0
    assert las["a", "macro", "obj"] == pytest.approx((0 + 1 + 0) / 3)
    assert las["a", "micro", "obj"] == 2 / 4
    assert las["a", "macro", "obl"] == las["a", "micro", "obl"] == 0  # of one treebank
    words = named(result, "system", "treebank", "gold_deprel", "words")
    assert (words["a", "micro", "root"], words["a", "macro", "root"]) == (4, None)
    assert [key[1:] for key in las if key[0] == "b"][-6:] == [
        (average, relation) for average in ("macro", "micro") for relation in ("obj", "obl", "root")
    ]


def test_a_score_without_a_value_is_not_averaged(folders: dict[str, Any]) -> None:
    one = {**folders, "systems": folders["systems"][1:]}
    with heard() as told:
        las = named(score(one, metric="las", where="upos = 'NOUN'"), "treebank", "las")
    assert las == dict.fromkeys([("de",), ("fr",)]) | dict.fromkeys([("xx",), ("macro",), ("micro",)], 1.0)
    assert told == []
    with heard() as told:
        score(one, metric="las", where="upos = 'X'")
    [warning] = told
    assert warning.startswith(f"{folders['gold']}: no item meets the condition")


@pytest.mark.parametrize("ci", [False, True])
def test_groups_without_items_are_no_rows(kept: dict[str, Any], ci: bool) -> None:
    """Of folders, and of files of which one system has items."""
    with heard():
        assert score(kept, metric="las", by="upos", where="upos = 'X'", ci=ci).rows() == []
        files = {"gold": Path(kept["gold"], "de.conllu"), "systems": [Path(of, "de.conllu") for of in kept["systems"]]}
        only = {"by": "system_deprel", "where": "system_deprel = 'obl'"}
        [row] = treesql.score("dependency", **files, metric="las", **only, ci=ci).rows()
    assert (row["system_deprel"], row["las"]) == ("obl", 0)


def test_sentences_and_tables_have_no_averages(folders: dict[str, Any]) -> None:
    folders = {**folders, "systems": folders["systems"][:1]}
    by_sentence = score(folders, metric="las", by="sentence")
    assert by_sentence.columns == ["system", "treebank", "sentence", "sent_id", "las"]
    assert {row["treebank"] for row in by_sentence.rows()} == set(GOLD)
    errors = score(folders, errors=True)
    assert errors.columns[:3] == ["system", "treebank", "sentence"]
    assert {row["treebank"] for row in errors.rows()} == {"de", "xx"}


@pytest.mark.slow
def test_the_rows_of_the_shared_task_are_those_of_single_files(folders: dict[str, Any], tmp_path: Path) -> None:
    result = score(folders, conll18=True)
    assert len(result) == 2 * 3 * 13
    for system in ("a", "b"):
        for name in GOLD:
            files = {"gold": str(tmp_path / f"gold/{name}.conllu")}
            single = score(files, systems={system: str(tmp_path / f"out/{system}/{name}.conllu")}, table="conll18")
            rows = [row for row in result.rows() if (row["system"], row["treebank"]) == (system, name)]
            assert [{key: value for key, value in row.items() if key != "treebank"} for row in rows] == single.rows()
    assert set(result.signatures) == {f"{system}:{name}:conll18" for system in "ab" for name in GOLD}


def test_signatures_of_averages_cite_all_treebanks(folders: dict[str, Any], tmp_path: Path) -> None:
    folders = {**folders, "systems": folders["systems"][:1]}
    before = score(folders, metric="las").signatures
    assert "|gold:3@" in before["a:macro:las"]
    assert "|average:macro|q:" in before["a:macro:las"]
    (tmp_path / "out/a/fr.conllu").write_bytes(b"# more\n" + conllu(*A["fr"]))
    after = score(folders, metric="las").signatures
    assert before["a:micro:las"] != after["a:micro:las"]
    assert before["a:de:las"] == after["a:de:las"]


@few
def test_intervals_of_treebanks_are_those_of_single_files(folders: dict[str, Any], tmp_path: Path) -> None:
    result = score({**folders, "systems": folders["systems"][:1]}, metric="las", ci=True)
    assert result.columns == ["system", "treebank", "las", "las_low", "las_high"]
    files = {"gold": str(tmp_path / "gold/xx.conllu"), "systems": {"a": str(tmp_path / "out/a/xx.conllu")}}
    [single] = score(files, metric="las", ci=True).rows()
    [xx] = [row for row in result.rows() if (row["system"], row["treebank"]) == ("a", "xx")]
    assert (xx["las_low"], xx["las_high"]) == (single["las_low"], single["las_high"])
    macro, micro = [row for row in result.rows() if row["system"] == "a"][-2:]
    assert (macro["las_low"], macro["las_high"]) == (  # only xx has two sentences
        pytest.approx((1 / 2 + 1 + xx["las_low"]) / 3), pytest.approx((1 / 2 + 1 + xx["las_high"]) / 3)
    )  # fmt: skip
    assert micro["las_low"] < micro["las"] < micro["las_high"]


@few
def test_systems_are_compared_on_treebanks_and_by_averages(compared: treesql.Result, kept: dict[str, Any]) -> None:
    assert compared.columns[:4] == ["metric", "treebank", "system_a", "system_b"]
    rows = {row["treebank"]: row for row in compared.rows()}
    assert list(rows) == ["de", "fr", "xx", "macro", "micro"]
    assert rows["macro"]["difference"] == pytest.approx((1 / 2 + 0 - 4 / 6) / 3)
    assert rows["micro"]["difference"] == pytest.approx(-3 / 11)
    # Sentences that differ: de's, and the first of xx. Exchanges of one of both change the sign of its part.
    assert (rows["macro"]["p"], rows["macro"]["test"]) == (1.0, "exact shuffling")
    assert (rows["micro"]["p"], rows["micro"]["sentences"]) == (1.0, 4)
    files = {"gold": f"{kept['gold']}/xx.conllu"}
    systems = {Path(folder).name: f"{folder}/xx.conllu" for folder in kept["systems"]}
    [single] = treesql.compare("dependency", **files, systems=systems, metric="las").rows()
    assert {**single, "treebank": "xx"} == rows["xx"]
    text = "\n".join(compared.words())
    assert "las (macro): " in text
    assert "exchanges of sentences within treebanks" in text
    assert [len(table) for table in compared.tables()] == [10, 5]
    assert "|gold:3@" in compared.signatures["las:macro:a:b"]


@few
def test_p_of_treebanks_and_averages_needs_no_intervals(compared: treesql.Result, kept: dict[str, Any]) -> None:
    found = compared.rows()
    alone = treesql.compare("dependency", **kept, metric="las", ci=False).rows()
    bounds = ("difference_low", "difference_high", "wins_a", "ties", "wins_b")
    assert alone == [{**row, **dict.fromkeys(bounds)} for row in found]


@few
def test_three_systems_are_compared_in_a_cross_table_per_average(folders: dict[str, Any], tmp_path: Path) -> None:
    systems = [*folders["systems"], write(tmp_path / "out/c", GOLD)]
    result = treesql.compare("dependency", gold=folders["gold"], systems=systems, metric="las", test="bootstrap")
    assert [table.columns for table in result.tables()[1:]] == [
        ["las (macro) ↑", "b", "c"],
        ["las (micro) ↑", "b", "c"],
    ]
    assert len(result) == 3 * 5
    with pytest.raises(UsageError, match="McNemar's test counts the items of one treebank"):
        treesql.compare("dependency", gold=folders["gold"], systems=systems, metric="las", test="mcnemar")


@pytest.mark.slow
def test_words_that_differ_in_one_treebank_are_aligned_in_all_of_this_system(
    folders: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "out/b/fr.conllu").write_bytes(conllu("a:0:root bc:1:obj"))
    with heard() as told:
        result = score(folders, metric="attachment", ci=True)
    aligned = [one for one in told if "aligned" in one]
    assert aligned == [
        f"{folders['gold']}: words of fr are not those of every system, and are aligned by their characters; "
        "uas, las, la and wlas are F1, with precision and recall in further columns"
    ]
    las = named(result, "system", "treebank", "las")
    recall = named(result, "system", "treebank", "las_recall")
    assert (las["a", "de"], recall["a", "de"], recall["a", "fr"]) == (1 / 2, None, None)
    assert las["b", "fr"] == pytest.approx(2 * 1 / 5)
    assert las["b", "micro"] == pytest.approx(2 * (0 + 1 + 6) / (11 + 10))
    assert las["b", "macro"] == pytest.approx((0 + 2 / 5 + 1) / 3)
    low = named(result, "system", "treebank", "las_recall_low")
    assert low["b", "macro"] <= recall["b", "macro"]


def test_files_are_paired_by_name_and_unpaired_ones_are_listed(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold", {name: [f"{name}:0:root"] for name in ("a", "b", "c", "d")})
    one = write(tmp_path / "one", {name: [f"{name}:0:root"] for name in ("b", "c", "z")})
    two = write(tmp_path / "two", {name: [f"{name}:0:root"] for name in ("a", "b", "c")}, "{}.two.conllu")
    with heard() as told:
        result = treesql.score(
            "dependency", gold=gold, systems={"one": one, "two": f"{two}/*.two.conllu"}, metric="las"
        )
    assert [row["treebank"] for row in result.rows()][:-4] == ["b", "b", "c", "c"]
    assert told == [
        f"{gold}: left out: a (not in {one}), d (not in {one}, {two}/*.two.conllu), z (only in {one}); "
        "averages are over the treebanks that all of them have"
    ]


def test_names_are_paths_or_what_stands_for_the_stars(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "UD", {"UD_English-EWT/en_ewt-ud-test": GOLD["de"], "UD_French-GSD/fr_gsd-ud-test": GOLD["fr"]}
    )
    out = write(tmp_path / "out", {"en_ewt": A["de"], "fr_gsd": A["fr"]}, "{}/parsed.conllu")
    shutil.copy(FIXTURES / "gold.mrg", tmp_path / "UD/LICENSE.txt")
    result = score({"gold": gold, "systems": [f"{out}/*/parsed.conllu"]}, metric="las")
    assert [(row["system"], row["treebank"]) for row in result.rows()] == [
        ("out", "UD_English-EWT/en_ewt-ud-test"),
        ("out", "UD_French-GSD/fr_gsd-ud-test"),
        ("out", "macro"),
        ("out", "micro"),
    ]
    result = score(
        {"gold": f"{gold}/**/*-ud-test.conllu", "systems": {"a": f"{out}/[ef]?_*/parsed.conllu"}}, metric="las"
    )
    assert {row["treebank"] for row in result.rows()[:2]} == {"UD_English-EWT/en_ewt", "UD_French-GSD/fr_gsd"}


@pytest.mark.thorough
@few
def test_patterns_of_corpora_are_paired_as_files_are(folders: dict[str, Any], tmp_path: Path) -> None:
    path = str(tmp_path / "t.duckdb")
    with treesql.connect(path) as db:
        for name in GOLD:
            for corpus in ("gold", "out/a", "out/b"):
                db.load(tmp_path / corpus / f"{name}.conllu", corpus=f"{name}-{corpus}")
        patterns: dict[str, Any] = {"gold": "*-gold", "systems": {"a": "*-out/a", "b": "*-out/b"}}
        of_files = score(folders, metric=["las", "words"]).rows()
        assert db.score("dependency", **patterns, metric=["las", "words"]).rows() == of_files
        compared = db.compare("dependency", **patterns, metric="las").rows()
        with pytest.raises(UsageError, match=r"gold is \*-gold, many corpora, and system is one corpus, de-out/a"):
            db.score("dependency", gold="*-gold", systems=["de-out/a"])
        with pytest.raises(UnknownName, match=r"unknown corpus '\*-c'"):
            db.score("dependency", gold="*-gold", systems=["*-c"])
        with pytest.raises(UsageError, match="no treebank is in all of them"):
            db.score("dependency", gold="*-gold", systems=["*e-out/a"])
    assert score(patterns, db=path, metric=["las", "words"]).rows() == of_files
    assert treesql.compare("dependency", **folders, metric="las").rows() == compared


@pytest.mark.parametrize(
    ("systems", "problem"),
    [
        (
            {"a": "{out}/a/de.conllu"},
            "gold is {gold}, many files, and system is one file, .*name a folder or a pattern for both",
        ),
        ({"a": "-"}, "many files, and system is one file, -"),
        ({"a": "{out}/*"}, "matches folders, {out}/a, {out}/b; name one"),
        (
            {"a": "{out}/other"},
            "no treebank is in all of them: {gold} has de, fr, xx; {out}/other has es; files are paired",
        ),
        ({"a": "{out}/twice"}, "are both called de; leave one of them out"),
    ],
    ids=str,
)
def test_what_cannot_be_paired(folders: dict[str, Any], tmp_path: Path, systems: dict[str, str], problem: str) -> None:
    places = {"out": str(tmp_path / "out"), "gold": folders["gold"]}
    if "other" in str(systems):
        write(tmp_path / "out/other", {"es": GOLD["de"]})
    if "twice" in str(systems):
        for ending in ("conllu", "conllu.gz"):
            write(tmp_path / "out/twice", {"de": GOLD["de"]}, f"{{}}.{ending}")
    with pytest.raises(UsageError, match=problem.format(**places)):
        score(folders, systems={name: path.format(**places) for name, path in systems.items()})


def test_a_folder_without_files_and_a_treebank_called_like_an_average(folders: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="none: there is no such file"):
        score(folders, systems={"a": str(tmp_path / "none")})
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=r"no \.conllu, .* file is in this folder"):
        score(folders, systems={"a": str(tmp_path / "empty")})
    named_macro = write(tmp_path / "m", {"macro": GOLD["de"]})
    with pytest.raises(UsageError, match="a treebank is called macro"):
        score({"gold": named_macro, "systems": [named_macro]})
    with pytest.raises(UsageError, match="one sentence of one file is explained"):
        treesql.explain("paths", "0", reference=folders["gold"], systems=[(folders["gold"], folders["gold"])])


def copies(folder: Path, names: Iterable[str], fixture: str) -> str:
    folder.mkdir()
    for name in names:
        shutil.copy(FIXTURES / fixture, folder / f"{name}{''.join(Path(fixture).suffixes)}")
    return str(folder)


KINDS = [
    ("constituency", {"gold": "gold.mrg"}, "test.mrg", "f1"),
    ("alignment", {"gold": "links.pharaoh"}, "links-a.pharaoh", "aer"),
    ("lattice", {"reference": "lattices.txt"}, "lattices.plf", "gwer"),
    ("translation", {"reference": "lattices.txt"}, "hypotheses.txt", "wer"),
]


@pytest.mark.spread(2)
@pytest.mark.parametrize(("kind", "shared", "system", "column"), KINDS, ids=lambda one: str(one)[:12])
def test_all_kinds_are_scored_on_folders(tmp_path: Path, kind: str, shared: Any, system: str, column: str) -> None:
    """Treebanks of the same files have equal rows, and so has the macro-average."""
    names = ["x", "y"]
    roles = {role: copies(tmp_path / role, names, file) for role, file in shared.items()}
    files = {role: str(FIXTURES / file) for role, file in shared.items()}
    systems = {"s": copies(tmp_path / "s", names, system)}
    result = treesql.score(kind, **roles, systems=systems, metric=column)
    [single] = treesql.score(kind, **files, systems={"s": str(FIXTURES / system)}, metric=column).rows()
    assert [row["treebank"] for row in result.rows()] == [*names, "macro", "micro"]
    assert [row[column] for row in result.rows()] == [pytest.approx(single[column])] * 4 or column == "gwer"
    for row in result.rows()[:2]:
        assert {key: value for key, value in row.items() if key != "treebank"} == single


def test_a_folder_of_lattices_with_one_reference_is_one_corpus(tmp_path: Path) -> None:
    lattices = copies(tmp_path / "lattices", ["x"], "lattices.plf")
    result = treesql.score("lattice", reference=str(FIXTURES / "lattices.txt"), systems={"s": lattices}, metric="gwer")
    assert "treebank" not in result.columns
    assert "treebank" not in treesql.score("lattice", systems={"s": lattices}, metric="lattice_size").columns
    both = [copies(tmp_path / one, ["x"], one) for one in ("lattices.txt", "lattices-2.txt")]
    [row, *averages] = treesql.score("lattice", reference=both, systems={"s": lattices}, metric="gwer").rows()
    assert (row["treebank"], len(averages)) == ("x", 2)
