"""Files that the steps of reproductions read, made from the data at hand."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import polars as pl

SIDES = {"gold": "gold", "malt": "malt"}
RANKS = (1, 4, 16, 64)
"""Numbers of best phrases of a span in the lattices of four densities."""


def parser_outputs(folders: Mapping[str, Path]) -> dict[str, str]:
    """Gold files and MaltParser's outputs of the languages of release 1.2, in the folders `gold` and `malt`."""
    places = [folders["cases"] / "dependency" / "pairs"]
    places += [folders["further"] / "dependency"] if "further" in folders else []
    languages = ("Croatian", "Danish", "Dutch", "English", "Finnish", "Persian", "Polish", "Swedish")
    for side in SIDES:
        Path(side).mkdir()
        for language in languages:
            for file in (place / f"{language}.{side}.conllu.gz" for place in places):
                if file.is_file():
                    shutil.copy(file, f"{side}/{language}.conllu.gz")
    return {}


def phrase_trees(folders: Mapping[str, Path]) -> dict[str, str]:
    """All pairs of trees of the Penn Treebank sample, `gold.mrg` and `test.mrg`."""
    for side in ("gold", "test"):
        files = [folders["cases"] / "constituency" / f"{name}.{side}.mrg.gz" for name in ("wsj", "wsj_unscored")]
        Path(f"{side}.mrg").write_bytes(b"".join(gzip.decompress(file.read_bytes()) for file in files))
    return {}


def lattices(folders: Mapping[str, Path]) -> dict[str, str]:
    """The Fisher lattices that a decoder's outputs are of, `fisher1.jsonl` to `fisher64.jsonl`, all that are at hand,
    `all1.jsonl` to `all64.jsonl`, their references and these outputs.

    Returns the words {fisher}, {all}, {decoded}, {searched}: files as commands take them.
    """
    places = [folders[name] / "lattice" / "fisher" for name in ("cases", "further") if name in folders]
    _write_lattices("fisher", places[:1])
    _write_lattices("all", places)
    decoded = pl.read_parquet(places[0] / "expected.parquet").sort("lattice_id")
    for k in RANKS:
        texts = decoded.filter(pl.col("k") == k)["onebest"].to_list()
        Path(f"fisher{k}.txt").write_text("".join(" ".join(words) + "\n" for words in texts), "utf-8")
    _write_misaligned()
    _write_halves()
    _write_trivial()
    files = {name: " ".join(f"{name}{k}.jsonl" for k in RANKS) + f" -r {name}.txt" for name in ("fisher", "all")}
    files["decoded"] = " ".join(f"--hypothesis fisher{k}.txt" for k in RANKS)
    files["searched"] = " ".join(f"--system {k}=fisher{k}.jsonl,fisher{k}.txt" for k in RANKS)
    return files


def _write_lattices(name: str, places: list[Path]) -> None:
    tables = [pl.read_parquet(place / "lattices.parquet").sort("lattice_id") for place in places]
    edges = [pl.read_parquet(place / "edges.parquet").sort("lattice_id", "edge_id") for place in places]
    references = [" ".join(refs[0]) + "\n" for table in tables for refs in table["refs"].to_list()]
    Path(f"{name}.txt").write_text("".join(references), "utf-8")
    for k in RANKS:
        with Path(f"{name}{k}.jsonl").open("w", encoding="utf-8") as file:
            for table, of_place in zip(tables, edges, strict=True):
                grouped = of_place.filter(pl.col("rank") < k).group_by("lattice_id", maintain_order=True)
                rows = grouped.agg("src", "dst", "words", "score")
                for n_nodes, (_, *columns) in zip(table["n_nodes"], rows.iter_rows(), strict=True):
                    lattice = {"n_nodes": n_nodes, "edges": list(zip(*columns, strict=True))}
                    file.write(json.dumps(lattice) + "\n")


def _write_misaligned() -> None:
    """The Fisher lattices and one of a word, whose reference has 103 words, as that of a pair in the thesis has:
    `misaligned1.jsonl` to `misaligned64.jsonl`, `misaligned.txt`."""
    references = Path("fisher.txt").read_text("utf-8")
    words = sorted(references.splitlines(), key=lambda text: -len(text.split()))
    text = " ".join(words).split()[:103]
    Path("misaligned.txt").write_text(f"{references}{' '.join(text)}\n", "utf-8")
    lattice = json.dumps({"n_nodes": 2, "edges": [[0, 1, text[:1], 0.0]]})
    for k in RANKS:
        lattices = Path(f"fisher{k}.jsonl").read_text("utf-8")
        Path(f"misaligned{k}.jsonl").write_text(f"{lattices}{lattice}\n", "utf-8")


def _write_halves() -> None:
    """The lattices of the second density and their references, `tuned` the first half and `held` the second."""
    for source, ending in (("fisher4.jsonl", ".jsonl"), ("fisher.txt", ".txt")):
        lines = Path(source).read_text("utf-8").splitlines(keepends=True)
        for name, part in (("tuned", lines[: len(lines) // 2]), ("held", lines[len(lines) // 2 :])):
            Path(f"{name}{ending}").write_text("".join(part), "utf-8")


def _write_trivial() -> None:
    """Two references, a lattice of the first, one of both beside each other, and one of both that shares words."""
    one, two = ["we", "have", "to", "act", "now"], ["we", "must", "act", "today"]
    for name, words in (("one", one), ("two", two)):
        Path(f"{name}.txt").write_text(" ".join(words) + "\n", "utf-8")
    chain = [[at, at + 1, [word]] for at, word in enumerate(one)]
    beside = [[0, 5, two[:1]], [5, 6, two[1:2]], [6, 7, two[2:3]], [7, 8, two[3:]]]
    apart = [[at, 8 if end == len(one) else end, word] for at, end, word in chain]
    joined = [[0, 1, ["we"]], [1, 2, ["have"]], [2, 3, ["to"]], [1, 3, ["must"]], [3, 4, ["act"]], [4, 5, ["now"]],
              [4, 5, ["today"]]]  # fmt: skip
    for name, n_nodes, edges in (("one", 6, chain), ("two", 9, apart + beside), ("joined", 6, joined)):
        Path(f"{name}.jsonl").write_text(json.dumps({"n_nodes": n_nodes, "edges": edges}) + "\n", "utf-8")
