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


def parser_outputs(folders: Mapping[str, Path]) -> None:
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


def phrase_trees(folders: Mapping[str, Path]) -> None:
    """All pairs of trees of the Penn Treebank sample, `gold.mrg` and `test.mrg`."""
    for side in ("gold", "test"):
        files = [folders["cases"] / "constituency" / f"{name}.{side}.mrg.gz" for name in ("wsj", "wsj_unscored")]
        Path(f"{side}.mrg").write_bytes(b"".join(gzip.decompress(file.read_bytes()) for file in files))


def lattices(folders: Mapping[str, Path]) -> None:
    """The Fisher lattices as `fisher1.jsonl` to `fisher64.jsonl`, their references and a decoder's outputs as texts; with
    further lattices all of them as `all1.jsonl` to `all64.jsonl`."""
    own, further = (folders.get(name) for name in ("cases", "further"))
    places = [place / "lattice" / "fisher" for place in (own, further) if place]
    _write_lattices("fisher", places[:1])
    if further:
        _write_lattices("all", places)
    decoded = pl.read_parquet(places[0] / "expected.parquet").sort("lattice_id")
    for k in RANKS:
        texts = decoded.filter(pl.col("k") == k)["onebest"].to_list()
        Path(f"fisher{k}.txt").write_text("".join(" ".join(words) + "\n" for words in texts), "utf-8")


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
