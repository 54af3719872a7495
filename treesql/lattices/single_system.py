"""Check that lattices of several files are those of one system at several densities, as a curve needs them.

Files do not name their system. But denser lattices of a system contain the words of its sparser ones; those of another
system lack some.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.runtime.arrays import compute as pc
from treesql.significance.correspondence import same_ids, sentence_ids

MAX_LACKING = 0.02
"""Maximum share of the lattices that lack a word of the same system's sparser ones: wider search may lose a path."""

QUERIES = ("word_counts", "lattice_size")
"""Queries that read the columns that `check_one_system` reads."""

_SIZES = "SELECT l.n_edges, l.n_nodes FROM lattices AS l WHERE l.corpus = $corpus"
_LACKING = """
SELECT count(DISTINCT a.name)
FROM (SELECT CASE WHEN $named THEN s.sent_id ELSE CAST(s.sentence AS VARCHAR) END AS name, w.form
      FROM lattice_words AS w
      JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
      WHERE w.corpus = $sparse AND s.corpus = $sparse) AS a
LEFT JOIN (SELECT DISTINCT CASE WHEN $named THEN s.sent_id ELSE CAST(s.sentence AS VARCHAR) END AS name, w.form
           FROM lattice_words AS w
           JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
           WHERE w.corpus = $dense AND s.corpus = $dense) AS b ON b.name = a.name AND b.form = a.form
WHERE b.form IS NULL
"""


def check_systems(engine: Engine, systems: Mapping[str, Sequence[str]]) -> None:
    """Raises UsageError if lattices of a system are not of one, or several systems are of different sentences.

    systems: the corpora of each by its name, which is empty for the only one.
    """
    for name, corpora in systems.items():
        check_one_system(engine, corpora, name)
    for one, other in itertools.pairwise(systems):
        a, b = systems[one][0], systems[other][0]
        ids, others = sentence_ids(engine, a), sentence_ids(engine, b)
        named = bool(len(ids)) and not ids.null_count and not others.null_count
        if len(ids) != len(others) or (named and not same_ids(ids, others)):
            raise UsageError(
                f"{a} of the system {one} and {b} of {other} are of other sentences; give all systems the same ones"
            )


def check_one_system(engine: Engine, corpora: Sequence[str], system: str = "") -> None:
    """Raises UsageError if lattices are of several systems, or of different sentences.

    Lattices are of one system if of any two neighbours by density the denser contains all words of the sparser, lattice
    by lattice, except in a share of MAX_LACKING lattices. Lattices with ids correspond by them.
    """
    sizes = {name: engine.table(_SIZES, {"corpus": name}) for name in corpora}
    total = {name: [pc.sum(rows[column]).as_py() or 0 for column in rows.column_names] for name, rows in sizes.items()}
    by_density = sorted(sizes, key=lambda name: total[name][0] / max(total[name][1], 1))
    for sparse, dense in itertools.pairwise(by_density):
        ids, others = sentence_ids(engine, sparse), sentence_ids(engine, dense)
        named = bool(len(ids)) and not ids.null_count and not others.null_count
        n = len(sizes[sparse])
        if n != len(sizes[dense]) or (named and not same_ids(ids, others)):
            raise UsageError(
                f"{sparse} and {dense} are of other sentences; a curve is of one system and the same sentences"
            )
        values = {"sparse": sparse, "dense": dense, "named": named}
        [(lacking,)] = engine.rows(_LACKING, values)
        if lacking > MAX_LACKING * n:
            what = f"{lacking} of {n} lattices of {dense}, which is denser, lack words of {sparse}"
            if system:
                raise UsageError(f"{what}; the system {system} needs files that contain each other, sparse in dense")
            hint = "name each system with its files: --system NAME=FILE,FILE,..."
            raise UsageError(f"{what}, as those of another system do; {hint}")
