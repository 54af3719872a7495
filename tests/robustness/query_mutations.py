"""Mutations of queries and of bounds in functions, each with the tests that should notice it.

python -m tests.robustness.query_mutations [--only PATTERN] [--tests N] makes them one by one in a copy of the sources,
runs the default tests that mention the query or what reads it most often, and prints which are killed and which
survive. The exit code is 1 if one survives, or is of a text that the file no longer has.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT
from treesql import catalog
from treesql.catalog import kinds

FOLDERS = ("queries", "scoring", "evaluation", "treebanks", "lattices", "functions")
"""Folders of tests that are run for a query; those of other folders start processes, or are about other things."""

COPIED = ("treesql", "queries", "macros", "schemas", "tests", "fixtures", "docs", "pyproject.toml", "CITATION.cff")


class Mutation(NamedTuple):
    """A text of a file in place of another. tests: those that are run; else they are found by the query's name."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}: {' '.join(self.old.split())} -> {' '.join(self.new.split()) or 'nothing'}"


_ATTACHMENT = ("tests/scoring/test_scores.py",)
_SIGNIFICANCE = ("tests/significance/test_tests.py",)
_GAPS = ("tests/queries/test_gaps.py",)
_CHANGES = ("tests/treebanks/test_versions.py",)

MUTATIONS = tuple(
    Mutation(*one)
    for one in (
        ("queries/dependency/attachment.sql", " AND coalesce(p.upos, '') <> 'PUNCT'", "", _ATTACHMENT),
        ("queries/dependency/attachment.sql", "<> 'punct' AND", "<> 'punct' OR", _ATTACHMENT),
        ("queries/dependency/attachment.sql", "'form' AND NOT p.punctuation", "'form' AND p.punctuation", _ATTACHMENT),
        ("queries/grammar/gap_degrees.sql", "OVER (PARTITION BY d.treebank)", "OVER ()", _GAPS),
        (
            "queries/grammar/gap_degrees.sql",
            "coalesce(k.treebank, k.corpus) AS treebank",
            "k.corpus AS treebank",
            _GAPS,
        ),
        ("queries/grammar/sentence_gaps.sql", "max(b.block) - 1", "max(b.block)", _GAPS),
        ("queries/grammar/sentence_gaps.sql", "b.block = 1", "b.block = 3", _GAPS),
        (
            "queries/grammar/label_gaps.sql",
            "c.gaps > 0 THEN 1 ELSE 0 END) AS DOUBLE",
            "c.gaps > 1 THEN 1 ELSE 0 END) AS DOUBLE",
            _GAPS,
        ),
        ("queries/versions/changed_words.sql", "coalesce(c.new_sentence, p.new_sentence)", "c.new_sentence", _CHANGES),
        (
            "queries/versions/changed_words.sql",
            "coalesce(c.old_sentence, q.old_sentence)\n",
            "c.old_sentence\n",
            _CHANGES,
        ),
        ("queries/versions/changed_words.sql", "v.same_value = 0", "v.same_value = 1", _CHANGES),
        (
            "queries/versions/version_units.sql",
            "c.old_sentence IS NULL AND d.new_sentence IS NULL THEN 1",
            "c.old_sentence IS NULL THEN 1",
            _CHANGES,
        ),
        (
            "treesql/significance/tests.py",
            "exact = 2 ** len(differences) <= runs",
            "exact = 2 ** len(differences) < runs",
            _SIGNIFICANCE,
        ),
        (
            "treesql/significance/tests.py",
            "differences[np.any(differences != 0, axis=1)]",
            "differences[np.any(differences > 0, axis=1)]",
            _SIGNIFICANCE,
        ),
        ("queries/dependency/exact_match.sql", "min(a.correct_head)", "max(a.correct_head)"),
        ("queries/dependency/relation_class_scores.sql", "g.relation = a.gold_udeprel", "g.relation = a.gold_deprel"),
        (
            "queries/dependency/relation_class_scores.sql",
            "s.relation = a.system_udeprel",
            "s.relation = a.gold_udeprel",
        ),
        (
            "queries/dependency/content_attachment.sql",
            "c.correct_features = 1 AND g.sentence IS NULL AND s.system_sentence",
            "c.correct_features = 1 AND s.system_sentence",
        ),
        (
            "queries/dependency/content_attachment.sql",
            "s.system_sentence = c.system_sentence AND s.system_head",
            "s.system_head",
        ),
        (
            "queries/dependency/relation_agreement.sql",
            "c.words AS system_words, 0 AS correct_relations",
            "0 AS system_words, 0 AS correct_relations",
        ),
        ("queries/dependency/frame_confusions.sql", "WHERE f.gold_frame <> f.system_frame", ""),
        ("queries/dependency/frame_confusions.sql", "x.sentence = r.sentence AND x.head = r.head", "x.head = r.head"),
        (
            "queries/dependency/child_counts.sql",
            "c.sentence = w.sentence AND c.head = w.word",
            "c.head = w.word",
            ("tests/scoring/test_attributes.py",),
        ),
        (
            "queries/dependency/head_directions.sql",
            "THEN 'right' WHEN h.head = h.word",
            "THEN 'left' WHEN h.head = h.word",
        ),
        (
            "queries/dependency/head_distances.sql",
            "WHEN abs(h.head - h.word) <= 6 THEN '3-6'",
            "WHEN abs(h.head - h.word) < 6 THEN '3-6'",
        ),
        (
            "queries/dependency/head_distances.sql",
            "WHEN abs(h.other_head - h.other_word) > 6",
            "WHEN abs(h.other_head - h.other_word) > 7",
        ),
        (
            "queries/dependency/several_roots.sql",
            "HAVING count(*) > 1",
            "HAVING count(*) > 2",
            ("tests/scoring/test_audits.py", "tests/evaluation/hooks"),
        ),
        (
            "queries/dependency/segmentation.sql",
            "s.span_start = g.span_start AND s.span_end = g.span_end AND s.unit",
            "s.span_start = g.span_start AND s.unit",
        ),
        ("queries/dependency/enhanced_attachment.sql", "(e.head = 0 AND f.head = 0) OR ", ""),
        ("queries/dependency/enhanced_attachment.sql", "h.gold_sentence = e.sentence AND h.gold_word", "h.gold_word"),
        (
            "queries/dependency/tagging.sql",
            "c.correct_upos * c.correct_xpos * c.correct_features",
            "c.correct_upos * c.correct_features",
        ),
        ("queries/alignment/agreement.sql", "THEN l.target - l.source END", "THEN l.source - l.target END"),
        (
            "queries/alignment/agreement.sql",
            "WHEN l.gold_sure AND l.system_sure IS NOT NULL",
            "WHEN l.gold_sure AND l.system_sure",
        ),
        (
            "queries/alignment/correction_effort.sql",
            "a.possible = 0 AND c.new_source IS NULL THEN",
            "a.possible = 0 THEN",
        ),
        (
            "queries/alignment/correction_effort.sql",
            "r.new_source = a.source AND r.new_target = a.target",
            "r.new_source = a.source",
        ),
        (
            "queries/alignment/link_corrections.sql",
            "a.proposed = 1 AND a.possible = 0",
            "a.proposed = 1 AND a.sure = 0",
        ),
        (
            "queries/alignment/phrase_pairs.sql",
            "OVER (PARTITION BY c.target_phrase)",
            "OVER (PARTITION BY c.source_phrase)",
        ),
        (
            "queries/alignment/threshold_curve.sql",
            "ORDER BY r.occurs DESC, r.aer NULLS LAST, r.threshold",
            "ORDER BY r.occurs DESC, r.aer NULLS LAST, r.threshold DESC",
        ),
        ("queries/alignment/threshold_curve.sql", "g.sentence = a.sentence AND g.source", "g.source"),
        ("queries/constituency/evalb.sql", "b.bracket.last - b.bracket.first + 1", "b.bracket.last - b.bracket.first"),
        ("queries/constituency/evalb.sql", "b.outcome = 2", "b.outcome = 1"),
        ("queries/constituency/complete_match.sql", "e.crossing <= 2", "e.crossing < 2"),
        ("queries/constituency/complete_match.sql", "e.matched = e.gold AND e.matched = e.test", "e.matched = e.gold"),
        ("queries/constituency/function_tags.sql", "least(t.function_gold, t.function_test)", "t.function_gold"),
        ("queries/constituency/discontinuous_brackets.sql", "e.gaps > 0", "e.gaps >= 0"),
        ("queries/consistency/single_relations.sql", "HAVING count(*) = 1", "HAVING count(*) <= 2"),
        ("queries/consistency/multiple_roots.sql", "r.word = r.last_word", "r.word < r.last_word"),
        ("queries/consistency/tag_contexts.sql", "a.word = w.word + 1", "a.word = w.word + 2"),
        ("queries/consistency/checked_words.sql", "coalesce(w.lemma, '_')", "w.form"),
        ("queries/lexicon/word_entropy.sql", "WHEN r.types = 1", "WHEN r.types = 2"),
        ("queries/lexicon/averaged_word_entropy.sql", "0.5 * (t.treebanks", "1.0 * (t.treebanks"),
        (
            "queries/lexicon/feature_inventory.sql",
            "OVER (PARTITION BY g.corpus, g.upos)",
            "OVER (PARTITION BY g.corpus)",
        ),
        ("queries/lexicon/relation_inventory.sql", "abs(w.head - w.word)", "w.head - w.word"),
        (
            "queries/lexicon/standardised_type_token.sql",
            "CAST(p.position - 1 AS DOUBLE) / $chunk) AS chunk",
            "CAST(p.position AS DOUBLE) / $chunk) AS chunk",
        ),
        (
            "queries/lexicon/treebank_statistics.sql",
            "sum(r.words - r.roots), 0) AS mean_dependency_length",
            "sum(r.words), 0) AS mean_dependency_length",
        ),
        ("queries/lattice/word_counts.sql", "max(n.occurrences)", "min(n.occurrences)"),
        (
            "queries/lattice/word_count_distance.sql",
            "d.redundancy_estimate < $min_redundancy THEN 1",
            "d.redundancy_estimate <= $min_redundancy THEN 1",
        ),
        ("queries/lattice/edge_n_grams.sql", "lead(x.form, 3)", "lead(x.form, 2)"),
        (
            "queries/lattice/reference_coverage.sql",
            "w.lattice_count < w.reference_count THEN w.lattice_count",
            "w.lattice_count < w.reference_count THEN w.reference_count",
        ),
        (
            "queries/paths/path_coverage.sql",
            "list_unique(t.reference_links) + list_unique(t.hypothesis_links)",
            "len(t.reference_links) + len(t.hypothesis_links)",
            ("tests/queries/test_paths.py", "tests/evaluation/hooks/test_paths.py"),
        ),
        (
            "queries/paths/path_disparities.sql",
            "CAST(s.maximum AS DOUBLE) / s.sentence_maximum ELSE 0",
            "CAST(s.maximum AS DOUBLE) / s.sentence_maximum ELSE 1",
        ),
        ("queries/translation/edit_operations.sql", "a.operation = 'insertion'", "a.operation = 'deletion'"),
        ("queries/translation/n_gram_matches.sql", "greatest(t.counts[1] - 3, 0)", "greatest(t.counts[1] - 3, 1)"),
        ("queries/translation/melamed.sql", "0) DESC,", "0),"),
        (
            "treesql/functions/alignment.py",
            "direction >= (1 if",
            "direction > (1 if",
            ("tests/queries/test_alignment.py", "tests/functions/test_alignment.py"),
        ),
        (
            "treesql/functions/alignment.py",
            "if limit < 1:",
            "if limit < 0:",
            ("tests/queries/test_phrase_pairs.py", "tests/functions/test_alignment.py"),
        ),
        (
            "treesql/functions/translation.py",
            "if not exponent >= 1:",
            "if not exponent > 1:",
            ("tests/queries/test_translation.py", "tests/functions/test_translation.py"),
        ),
        (
            "treesql/functions/checks.py",
            "int(n_nodes.min()) < 1:",
            "int(n_nodes.min()) < 0:",
            ("tests/functions/test_checks.py", "tests/functions/test_lattice.py"),
        ),
    )
)
"""Operators, joins, constants and bounds, of the queries of every folder and of the functions that they call."""


def readers_of(query: str) -> set[str]:
    """The query and all that read it, directly or by another."""
    texts = {path.stem: path.read_text("utf-8") for path in (ROOT / "queries").rglob("*.sql")}
    found, new = {query}, {query}
    while new:
        pattern = re.compile(rf"\b(?:FROM|JOIN|as)\s+(?:{'|'.join(new)})\b")
        new = {name for name, text in texts.items() if name not in found and pattern.search(text)}
        found |= new
    return found


@cache
def tests_of(file: str, limit: int) -> list[str]:
    """The files of tests that mention a query, those first that do so most often, then those of its readers."""
    name = Path(file).stem
    others = readers_of(name) - {name}
    ranked = []
    for path in (path for folder in FOLDERS for path in sorted((ROOT / "tests" / folder).rglob("test_*.py"))):
        words = re.findall(r"\w+", path.read_text("utf-8"))
        own, read = words.count(name), sum(word in others for word in words)
        if own or read:
            ranked.append((-own, -read, path.relative_to(ROOT).as_posix()))
    return [path for *_, path in sorted(ranked)[:limit]]


def run_each(mutations: Sequence[Mutation], limit: int) -> Iterator[tuple[Mutation, str]]:
    """Make each mutation of this copy of the sources, and yield what killed it, or that it survived.

    Tests of queries run in a fork of this process, which has imported what they need; those of modules in a new one.
    """
    files = {name for one in mutations for name in one.tests or tests_of(one.file, limit)}
    for name in sorted(files):
        if name.endswith(".py"):
            importlib.import_module(name.removesuffix(".py").replace("/", "."))
    for one in mutations:
        path = ROOT / one.file
        text = path.read_text("utf-8")
        if one.old not in text:
            yield one, "not made: the file has no such text"
            continue
        path.write_text(text.replace(one.old, one.new, 1), "utf-8")
        yield one, _run(one.tests or tests_of(one.file, limit), forks=path.suffix == ".sql")
        path.write_text(text, "utf-8")


def _run(tests: Sequence[str], *, forks: bool) -> str:
    options = ["-n", "0", "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--assert=plain", *tests]
    with tempfile.TemporaryFile("w+") as out:
        if forks:
            process = os.fork()
            if not process:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
                catalog.clear_cache()
                kinds.clear_cache()
                os._exit(int(pytest.main(options)))
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        else:
            command = [sys.executable, "-m", "pytest", *options]
            code = subprocess.run(command, stdout=out, stderr=out, check=False).returncode
        out.seek(0)
        printed = out.read()
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", printed, re.M)
    if code == 0:
        return f"survived {', '.join(tests)}"
    return f"killed by {failed[1]}" if failed else f"not run: {printed[-400:]}"


def main() -> None:
    """Copy the sources, run the mutations there, print what became of each, and count them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run those in whose file or texts this pattern is found")
    parser.add_argument("--tests", type=int, default=3, help="number of files of tests for each query")
    parser.add_argument("--here", action="store_true", help="mutate these sources, which are a copy")
    given = parser.parse_args()
    if not given.here:
        with tempfile.TemporaryDirectory() as made:
            for name in COPIED:
                source = ROOT / name
                (shutil.copytree if source.is_dir() else shutil.copy2)(source, Path(made) / name)
            command = [sys.executable, "-m", "tests.robustness.query_mutations", "--here", *sys.argv[1:]]
            sys.exit(subprocess.run(command, cwd=made, check=False).returncode)
    chosen = [one for one in MUTATIONS if re.search(given.only, str(one))]
    left = 0
    for one, outcome in run_each(chosen, given.tests):
        left += not outcome.startswith("killed")
        print(f"{outcome.split(' ', 1)[0]:9} {one}\n          {outcome.partition(' ')[2]}", flush=True)
    print(f"{len(chosen)} mutations, {len(chosen) - left} killed, {left} left")
    sys.exit(left > 0)


if __name__ == "__main__":
    main()
