"""Edges per second of readers, oracles and metrics of lattices, compared with OpenFst (pynini).

python benchmarks/lattices.py LATTICES REFERENCES [--plf FILE.plf] [--peer PYTHON] [--large]

LATTICES, REFERENCES: files that treesql reads; --plf: a file whose reading is timed; --peer: the Python of an
environment with pynini, whose costs of the first 20 lattices have to be the same; --large: a lattice of a million edges
and a reference of 500 words as well. Prints Markdown; CPU seconds, medians of runs in turn, compilation not
counted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treesql.kernels.lattices.lattices import LatticeBatch

RUNS = 5
FEW = 20


def main() -> None:
    if sys.argv[1:2] == ["peer"]:
        print(json.dumps(peer(json.load(sys.stdin))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lattices")
    parser.add_argument("references")
    parser.add_argument("--plf", type=Path)
    parser.add_argument("--peer")
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    batch = loaded(given.lattices, given.references)
    print("| | edges | CPU s | edges/s |\n|---|---:|---:|---:|")
    kernels(batch)
    in_sql(given.lattices, given.references)
    if given.plf:
        reading(given.plf)
    if given.peer:
        against(given.peer, batch)
    if given.large:
        large()


def kernels(batch: LatticeBatch) -> None:
    from treesql.kernels.lattices.lattice_oracles import nearest_paths, nearest_paths_per_word
    from treesql.kernels.lattices.position_independent import nearest_paths_as_bags

    n = len(batch.from_node)
    taken = in_turn(
        {
            "GER with path": lambda: nearest_paths(batch),
            "GWER": lambda: nearest_paths_per_word(batch),
            "PMED": lambda: nearest_paths_as_bags(batch),
        }
    )
    for name, took in taken.items():
        report(f"{name}, kernel", n, took)
    print(f"\nGWER takes {taken['GWER'] / taken['GER with path']:.1f} times GER.", file=sys.stderr)
    lattices = [piece(batch, at) for at in range(len(batch.n_nodes))]
    times = [seconds(lambda at=at: nearest_paths_as_bags(lattices[at])) for at in range(len(lattices))]  # type: ignore[misc]
    proven = int(nearest_paths_as_bags(batch).proven.sum())
    print(
        f"PMED: median {1000 * statistics.median(times):.2f} ms a lattice, longest {1000 * max(times):.0f} ms; "
        f"{proven} of {len(lattices)} proven",
        file=sys.stderr,
    )


def in_sql(lattices: str, references: str) -> None:
    """From a Parquet data set, in a process of its own's view: opened, joined, packed, scored."""
    import treesql

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with treesql.connect() as db:
            db.load(lattices, corpus="lattices")
            db.export(data, to="parquet")
            db.load(references, corpus="references")
            [edges] = db.sql("SELECT count(*) AS n FROM lattice_edges").rows()
            values: dict[str, Any] = {"lattice_corpus": "lattices", "reference_corpus": "references"}

            def score(column: str) -> Callable[[], object]:
                return lambda: treesql.score("lattice", systems=[str(data)], reference=references, metric=column)

            taken = in_turn(
                {
                    "GER in SQL, from Parquet": score("ger"),
                    "SWCD in SQL, from Parquet": score("swcd"),
                    "GER in SQL, from tables": lambda: db.score("graph_error", **values),
                    "SWCD in SQL, from tables": lambda: db.score("word_count_distance", **values),
                }
            )
    for name, took in taken.items():
        report(name, edges["n"], took)


def reading(path: Path) -> None:
    from treesql.readers import Options, State, read
    from treesql.readers.source import Source

    def whole() -> None:
        for _ in read(Source(str(path)), "plf", State(), Options()):
            pass

    whole()
    took = in_turn({"PLF": whole})["PLF"]
    print(f"\nPLF to Arrow: {path.stat().st_size / 1e6 / took:.1f} MB/s", file=sys.stderr)


def large() -> None:
    """A sausage of 100,000 places with ten words each, two of them phrases, and a reference of 500 words."""
    import numpy as np

    from treesql.kernels.lattices.lattice_oracles import nearest_paths
    from treesql.kernels.lattices.lattices import LatticeBatch

    chance = np.random.default_rng(0)
    n, wide, m = 100_000, 10, 500
    start = np.repeat(np.arange(n), wide)
    lengths = np.where(chance.random(n * wide) < 0.2, 2, 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = chance.integers(0, 5000, int(offsets[-1]))
    batch = LatticeBatch(
        np.array([n + 1]), np.array([0, n * wide]), start, start + 1, offsets, words, np.array([0, m]),
        chance.integers(0, 5000, m),
    )  # fmt: skip
    nearest_paths(batch)
    report("GER of one lattice, reference of 500 words", n * wide, seconds(lambda: nearest_paths(batch)))


def against(python: str, batch: LatticeBatch) -> None:
    from treesql.kernels.lattices.lattice_oracles import nearest_paths

    few = piece(batch, 0, min(FEW, len(batch.n_nodes)))
    took = statistics.median(seconds(lambda: nearest_paths(few)) for _ in range(RUNS))
    names: dict[str, list[Any]] = {name: values.tolist() for name, values in few._asdict().items()}
    command = [python, __file__, "peer"]
    reported = json.loads(
        subprocess.run(command, input=json.dumps(names), capture_output=True, text=True, check=True).stdout
    )
    assert reported["edits"] == nearest_paths(few).edits.tolist()
    report("GER with path, kernel, the first of these", len(few.from_node), took)
    report("the same by pynini: composition and shortest path", len(few.from_node), reported["seconds"])
    print(f"\npynini takes {reported['seconds'] / took:.0f} times as long.", file=sys.stderr)


def peer(given: dict[str, list[int]]) -> dict[str, Any]:
    """Lattice o edit transducer o reference, shortest path; the transducer and all acceptors are made before."""
    import pynini

    vocabulary = sorted({*given["words"], *given["references"]})
    edit = pynini.Fst()
    state = edit.add_state()
    edit.set_start(state)
    edit.set_final(state)
    full, nothing = pynini.Weight("tropical", 1), pynini.Weight("tropical", 0)
    fsts = []
    for at in range(len(given["n_nodes"])):
        lattice = pynini.Fst()
        lattice.add_states(given["n_nodes"][at])
        lattice.set_start(0)
        lattice.set_final(given["n_nodes"][at] - 1)
        for edge in range(given["edge_offsets"][at], given["edge_offsets"][at + 1]):
            words = given["words"][given["word_offsets"][edge] : given["word_offsets"][edge + 1]]
            here = given["from_node"][edge]
            labels = [word + 1 for word in words] or [0]
            for place, label in enumerate(labels):
                last = place == len(labels) - 1
                to = given["to_node"][edge] if last else lattice.add_state()
                lattice.add_arc(here, pynini.Arc(label, label, nothing, to))
                here = to
        text = given["references"][given["reference_offsets"][at] : given["reference_offsets"][at + 1]]
        reference = pynini.Fst()
        reference.add_states(len(text) + 1)
        reference.set_start(0)
        reference.set_final(len(text))
        for place, word in enumerate(text):
            reference.add_arc(place, pynini.Arc(word + 1, word + 1, nothing, place + 1))
        # Substitutions through a placeholder for all words: an arc per word, not per pair of words.
        fsts.append((lattice.arcsort("olabel"), reference.arcsort("ilabel")))
    other = len(vocabulary) + max(vocabulary) + 2
    into, out = pynini.Fst(), pynini.Fst()
    for fst in (into, out):
        fst.set_start(fst.add_state())
        fst.set_final(0)
    half = pynini.Weight("tropical", 0.5)
    for word in vocabulary:
        into.add_arc(0, pynini.Arc(word + 1, word + 1, nothing, 0))
        into.add_arc(0, pynini.Arc(word + 1, other, half, 0))
        into.add_arc(0, pynini.Arc(word + 1, 0, full, 0))
        out.add_arc(0, pynini.Arc(word + 1, word + 1, nothing, 0))
        out.add_arc(0, pynini.Arc(other, word + 1, half, 0))
        out.add_arc(0, pynini.Arc(0, word + 1, full, 0))
    into.arcsort("ilabel")
    out.arcsort("ilabel")
    began = time.process_time()
    edits = []
    for lattice, reference in fsts:
        left = pynini.compose(lattice, into).arcsort("olabel")
        right = pynini.compose(out, reference).arcsort("ilabel")
        best = pynini.shortestpath(pynini.compose(left, right))
        edits.append(round(float(pynini.shortestdistance(best, reverse=True)[best.start()])))
    return {"edits": edits, "seconds": time.process_time() - began}


def loaded(lattices: str, references: str) -> LatticeBatch:
    """Lattices and references as the kernels take them."""
    import pyarrow as pa

    import treesql
    from treesql.functions import lattice

    with treesql.connect() as db:
        db.load(lattices, corpus="lattices")
        db.load(references, corpus="references")
        packed = db.sql("SELECT l.n_nodes, l.edges FROM lattice_lists AS l ORDER BY l.sentence").arrow()
        texts = db.query("reference_texts", reference_corpus="references").arrow().sort_by("sentence")
    columns: list[pa.ChunkedArray] = [packed["n_nodes"], packed["edges"], texts["text_forms"]]
    return lattice.batch_of(*columns)[0]


def piece(batch: LatticeBatch, first: int, n: int = 1) -> LatticeBatch:
    """Some of the lattices."""
    import numpy as np

    from treesql.kernels.lattices.lattices import LatticeBatch

    low, high = int(batch.edge_offsets[first]), int(batch.edge_offsets[first + n])
    words = slice(int(batch.word_offsets[low]), int(batch.word_offsets[high]))
    texts = slice(int(batch.reference_offsets[first]), int(batch.reference_offsets[first + n]))
    return LatticeBatch(
        batch.n_nodes[first : first + n],
        np.asarray(batch.edge_offsets[first : first + n + 1]) - low,
        batch.from_node[low:high],
        batch.to_node[low:high],
        batch.word_offsets[low : high + 1] - words.start,
        batch.words[words],
        batch.reference_offsets[first : first + n + 1] - texts.start,
        batch.references[texts],
    )


def in_turn(contenders: dict[str, Callable[[], object]], runs: int = RUNS) -> dict[str, float]:
    """The median CPU seconds of each, measured A B C A B C; the first run of all is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        contender()
    for _ in range(runs):
        for name, contender in contenders.items():
            taken[name].append(seconds(contender))
    return {name: statistics.median(times) for name, times in taken.items()}


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def report(name: str, edges: int, took: float) -> None:
    print(f"| {name} | {edges:,} | {took:.3f} | {edges / took:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
