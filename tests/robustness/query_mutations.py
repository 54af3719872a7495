"""Mutations of queries and of bounds in functions, each with the tests that should notice it.

python -m tests.robustness.query_mutations [--only PATTERN] [--tests N] makes them one by one in a copy of the sources,
runs the N default tests that are most about what changes until one fails, and ends with a table of those that are
killed and that survive. The exit code is 1 if one survives, has no test, or is of a text that the file no longer has.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT
from tests.robustness.related_tests import find_tests
from treesql import catalog
from treesql.catalog import kinds

SECONDS = 120
"""Seconds after which the tests of a mutation are ended."""

OPTIONS = (
    "-o", "addopts=", "-m", "not slow and not compiled and not thorough", "-x", "-q", "-rfE", "--tb=no",
    "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain", "--hypothesis-seed=1",
)  # fmt: skip
"""Options of pytest: those of the project, in one process, in the order given, the same each time."""

COPIED = ("treesql", "queries", "macros", "schemas", "tests", "fixtures", "docs", "pyproject.toml", "CITATION.cff")


class Mutation(NamedTuple):
    """A text of a file in place of another. tests: those that are run; else they are found."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}: {' '.join(self.old.split())} -> {' '.join(self.new.split()) or 'nothing'}"


MUTATIONS = tuple(
    Mutation(*one)
    for one in (
        (
            "queries/dependency/attachment.sql",
            "THEN c.upos ELSE c.system_upos",
            "THEN c.upos ELSE c.upos",
            ("tests/queries/test_alignment.py",),
        ),
        (
            "queries/dependency/attachment.sql",
            "ELSE c.system_udeprel END",
            "ELSE c.gold_udeprel END",
            ("tests/queries/test_alignment.py",),
        ),
        ("queries/dependency/attachment.sql", "'form' AND NOT c.punctuation", "'form' AND c.punctuation"),
        ("queries/grammar/gap_degrees.sql", "OVER (PARTITION BY d.treebank)", "OVER ()"),
        (
            "queries/grammar/gap_degrees.sql",
            "coalesce(k.treebank, k.corpus) AS treebank",
            "k.corpus AS treebank",
        ),
        ("queries/grammar/sentence_gaps.sql", "max(b.block) - 1", "max(b.block)"),
        ("queries/grammar/sentence_gaps.sql", "b.block = 1", "b.block = 3"),
        (
            "queries/grammar/label_gaps.sql",
            "c.gaps > 0 THEN 1 ELSE 0 END) AS DOUBLE",
            "c.gaps > 1 THEN 1 ELSE 0 END) AS DOUBLE",
        ),
        ("queries/versions/changed_words.sql", "coalesce(c.new_sentence, p.new_sentence)", "c.new_sentence"),
        (
            "queries/versions/changed_words.sql",
            "coalesce(c.old_sentence, q.old_sentence)\n",
            "c.old_sentence\n",
        ),
        ("queries/versions/changed_words.sql", "v.same_value = 0", "v.same_value = 1"),
        (
            "queries/versions/version_units.sql",
            "c.old_sentence IS NULL AND d.new_sentence IS NULL THEN 1",
            "c.old_sentence IS NULL THEN 1",
        ),
        (
            "treesql/significance/tests.py",
            "exact = 2 ** len(differences) <= runs",
            "exact = 2 ** len(differences) < runs",
        ),
        (
            "treesql/significance/tests.py",
            "differences[np.any(differences != 0, axis=1)]",
            "differences[np.any(differences > 0, axis=1)]",
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
        ),
        (
            "queries/dependency/segmentation.sql",
            "s.span_start = g.span_start AND s.span_end = g.span_end AND s.unit",
            "s.span_start = g.span_start AND s.unit",
        ),
        ("queries/dependency/enhanced_attachment.sql", "(e.head = 0 AND f.head = 0) OR ", ""),
        ("queries/dependency/enhanced_attachment.sql", "h.sentence = e.sentence AND h.word", "h.word"),
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
        ("queries/translation/matched_n_grams.sql", "least(h.occurrences, r.occurrences)", "h.occurrences"),
        ("queries/translation/n_gram_differences.sql", "(d.matches + $n_gram_smoothing)", "(d.matches + 1)"),
        ("queries/translation/n_gram_differences.sql", "ORDER BY e.distance DESC", "ORDER BY e.distance"),
        ("queries/translation/n_gram_differences.sql", "WHERE d.matches <> d.baseline_matches", "WHERE true"),
        (
            "queries/translation/translation_differences.sql",
            "m.sentence = h.sentence",
            "m.reference_sentence = h.sentence",
        ),
        ("queries/translation/translation_differences.sql", "e.distance DESC", "e.distance"),
        (
            "queries/translation/baseline_correspondence.sql",
            "called := 'hypothesis'",
            "called := 'lattice'",
            ("tests/queries/test_system_differences.py",),
        ),
        ("queries/constituency/evalb.sql", "b.bracket.last - b.bracket.first + 1", "b.bracket.last - b.bracket.first"),
        ("queries/constituency/evalb.sql", "b.outcome = 2", "b.outcome = 1"),
        ("queries/constituency/complete_match.sql", "e.crossing <= 2", "e.crossing < 2"),
        ("queries/constituency/complete_match.sql", "e.matched = e.gold AND e.matched = e.test", "e.matched = e.gold"),
        ("queries/constituency/function_tags.sql", "least(t.function_gold, t.function_test)", "t.function_gold"),
        ("queries/constituency/discontinuous_brackets.sql", "e.gaps > 0", "e.gaps >= 0"),
        ("queries/consistency/single_relations.sql", "HAVING count(*) = 1", "HAVING count(*) <= 2"),
        (
            "queries/consistency/guideline_checks.sql",
            "w.word < w.head",
            "w.word > w.head",
            ("tests/queries/test_guideline_checks.py",),
        ),
        (
            "queries/consistency/headed_words.sql",
            "'|ExtPos=', 2), '|', 1)",
            "'|ExtPos=', 2), '|', 2)",
            ("tests/queries/test_guideline_checks.py",),
        ),
        (
            "queries/consistency/counted_dependents.sql",
            "'nsubj:outer', 'csubj:outer'",
            "'nsubj', 'csubj:outer'",
            ("tests/queries/test_guideline_checks.py",),
        ),
        (
            "queries/consistency/all_checks.sql",
            "WHERE p.relations_there > 1",
            "WHERE p.relations_there > 2",
            ("tests/queries/test_guideline_checks.py",),
        ),
        ("queries/consistency/multiple_roots.sql", "r.word = r.last_word", "r.word < r.last_word"),
        (
            "queries/consistency/tag_contexts.sql",
            "a.word = w.word + 1",
            "a.word = w.word + 2",
            ("tests/queries/test_consistency.py",),
        ),
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
            ("tests/functions/test_alignment.py",),
        ),
        (
            "treesql/functions/alignment.py",
            "if limit < 1:",
            "if limit < 0:",
            ("tests/queries/test_phrase_pairs.py",),
        ),
        (
            "treesql/functions/translation.py",
            "if not exponent >= 1:",
            "if not exponent > 1:",
            ("tests/queries/test_translation_peers.py",),
        ),
        (
            "treesql/functions/arrays.py",
            "int(n_nodes.min()) < 1:",
            "int(n_nodes.min()) < 0:",
            ("tests/functions/test_lattice.py",),
        ),
        (
            "queries/translation/edits_with_shifts.sql",
            "sum(e.n_words) OVER (PARTITION BY e.sentence)",
            "sum(e.n_words) OVER ()",
        ),
        (
            "queries/translation/character_overlaps.sql",
            "$eps_smoothing) DESC, f.reference_rank",
            "$eps_smoothing), f.reference_rank",
        ),
        (
            "queries/translation/n_gram_information.sql",
            "WHEN r.occurrences < h.occurrences THEN r.occurrences",
            "WHEN r.occurrences < h.occurrences THEN h.occurrences",
        ),
        ("queries/translation/n_gram_weights.sql", "AS u WHERE u.n_gram_order = 1)", "AS u)"),
        ("queries/translation/reference_lengths.sql", "LEFT JOIN (SELECT r.reference", "JOIN (SELECT r.reference"),
        ("queries/translation/reference_sentences.sql", " OR n.most_words = 0", ""),
        (
            "queries/translation/reference_sentences.sql",
            "OVER (PARTITION BY m.sentence)",
            "OVER (PARTITION BY m.reference_sentence)",
            ("tests/queries/test_translation.py",),
        ),
        (
            "queries/alignment/threshold_curve.sql",
            "coalesce(a.confidence, CAST(1 AS DOUBLE))",
            "coalesce(a.confidence, CAST(0 AS DOUBLE))",
        ),
        (
            "queries/alignment/threshold_curve.sql",
            "WINDOW w AS (ORDER BY d.threshold DESC)",
            "WINDOW w AS (ORDER BY d.threshold)",
        ),
        ("queries/lattice/edge_features.sql", "count(DISTINCT v.from_node)", "count(v.from_node)"),
        ("queries/lattice/edge_n_grams.sql", "SELECT DISTINCT t.sentence", "SELECT t.sentence"),
        (
            "queries/lattice/oracle_paths.sql",
            "END NULLS LAST,\n                                         o.reference_rank,",
            "END NULLS LAST,\n                                         o.reference_rank DESC,",
        ),
        ("queries/lattice/tau_span.sql", "LEFT JOIN (SELECT r.sentence", "JOIN (SELECT r.sentence"),
        ("queries/nbest/compared_hypotheses.sql", "h.rank <= $last_rank", "h.rank < $last_rank"),
        ("queries/consistency/linked_pairs.sql", "LEFT JOIN checked_words AS b", "JOIN checked_words AS b"),
        ("queries/consistency/punctuation_words.sql", "w.exception DESC, length", "w.exception, length"),
        ("queries/consistency/consistency_checks.sql", "ORDER BY a.size DESC, a.sent_id", "ORDER BY a.size, a.sent_id"),
        (
            "queries/lexicon/relation_shares.sql",
            "WHEN w.udeprel IS NULL AND w.head IS NULL THEN 0",
            "WHEN w.udeprel IS NULL THEN 0",
        ),
        ("queries/lexicon/treebank_statistics.sql", "count(DISTINCT w.lemma)", "count(w.lemma)"),
        (
            "queries/lexicon/standardised_type_token.sql",
            "ORDER BY w.corpus, w.sentence, w.word)",
            "ORDER BY w.corpus, w.word, w.sentence)",
        ),
        ("treesql/significance/mcnemar.py", "max(abs(only_a - only_b) - 1, 0)", "(abs(only_a - only_b) - 1)"),
        ("treesql/significance/intervals.py", "np.abs(difference) <= tie", "np.abs(difference) < tie"),
        ("treesql/significance/tests.py", "(m - rank + 1) * known", "(m - rank) * known"),
        (
            "treesql/scoring/items.py",
            "floor(round({divided}, {ROUNDED_TO}))",
            "floor({divided})",
            ("tests/scoring/test_grouping.py",),
        ),
        ("treesql/treebanks/typology.py", ", v.treebank ROWS UNBOUNDED PRECEDING", ""),
        ("queries/versions/version_sentences.sql", " AND n.places = o.places", ""),
        ("queries/versions/version_coefficients.sql", "(2 * t.pairs - 1)", "(2 * t.pairs)"),
        (
            "queries/dependency/aligned_words.sql",
            "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
            "ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING",
            ("tests/queries/test_alignment.py",),
        ),
        (
            "queries/dependency/aligned_words.sql",
            "t.span_start < max(t.span_end)",
            "t.span_start <= max(t.span_end)",
            ("tests/queries/test_alignment.py",),
        ),
        (
            "queries/dependency/weighted_attachment.sql",
            "coalesce(s.weight, CAST(0.5 AS DOUBLE))",
            "coalesce(s.weight, CAST(0 AS DOUBLE))",
        ),
        ("queries/dependency/head_tags.sql", "LEFT JOIN words AS h", "JOIN words AS h"),
        ("queries/dependency/upos_accuracy.sql", "      WHERE a.gold_words = 1\n", ""),
        (
            "queries/dependency/enhanced_edge_counts.sql",
            "e.head_index <> 0 OR e.dependent",
            "e.head_index <> 0 AND e.dependent",
        ),
        ("queries/parallel/pts.sql", "UNION ALL\n      SELECT b.sentence", "UNION\n      SELECT b.sentence"),
        ("queries/grammar/grammar_rules.sql", "ORDER BY c.first", "ORDER BY c.category"),
        (
            "queries/lattice/bleu_paths.sql",
            "f.path.words), r.n_words, r.reference_rank",
            "f.path.words), r.reference_rank",
            ("tests/queries/test_lattices.py",),
        ),
        ("queries/lattice/edge_scores.sql", "s.from_node, s.to_node, s.score_number", "s.from_node, s.score_number"),
        (
            "queries/translation/position_independent_errors.sql",
            "ELSE p.surplus_words END, p.reference_rank",
            "ELSE p.surplus_words END, p.reference_rank DESC",
        ),
        ("queries/translation/wrong_translations.sql", "min(CASE WHEN", "max(CASE WHEN"),
        (
            "queries/translation/character_errors.sql",
            "ORDER BY e.changed_characters, e.reference_rank",
            "ORDER BY e.changed_characters, e.reference_rank DESC",
        ),
        ("queries/alignment/symmetrised.sql", "WHERE l.source > 0 AND l.target > 0", "WHERE l.source > 0"),
        (
            "queries/alignment/alignment_correspondence.sql",
            "AND o.format <> 'wpt'\nUNION",
            "AND o.format = 'wpt'\nUNION",
        ),
        ("queries/alignment/linked_source_words.sql", "f.reference_form = w.form", "f.reference_form = w.lemma"),
        ("queries/lexicon/ambiguous_lemmas.sql", "s.others DESC", "s.others"),
        ("queries/lexicon/treebank_statistics.sql", "WHEN n.words = 1", "WHEN n.words <= 2"),
        (
            "queries/lattice/word_successors.sql",
            "a.position = a.n_words AND b.position = 1",
            "a.position = a.n_words",
            ("tests/queries/test_lattice_recall.py",),
        ),
        ("queries/lattice/n_gram_recall.sql", "WHERE r.n_gram_order = 4", "WHERE r.n_gram_order = 3"),
        (
            "queries/lattice/best_path_agreement.sql",
            "a.path_edges = b.path_edges",
            "a.path_edges >= b.path_edges",
            ("tests/queries/test_best_paths.py",),
        ),
        ("queries/lattice/posterior_word_distance.sql", "greatest(s.expected", "least(s.expected"),
        (
            "queries/constituency/constituent_tree_edit.sql",
            "+ constituent_tree_nodes(y.tree)",
            "+ constituent_tree_nodes(x.tree)",
        ),
        ("queries/lexicon/lattice_statistics.sql", "LEFT JOIN (SELECT x.corpus", "JOIN (SELECT x.corpus"),
        (
            "queries/consistency/consistency_checks.sql",
            "p.form, p.head_form, p.direction, p.surrounding\n",
            "p.form, p.head_form, p.surrounding\n",
        ),
        ("treesql/significance/averages.py", "self.p_corrected < LEVEL", "self.p_corrected <= LEVEL"),
        ("treesql/significance/intervals.py", "+ same + 1) / (runs + 1)", "+ 1) / (runs + 1)"),
    )
)
"""Operators, joins, constants and bounds, of the queries of every folder and of the functions that they call."""


def related_tests(mutation: Mutation) -> list[str]:
    """The tests of a query, or of a module of the package, which are those of the same room and name."""
    path = Path(mutation.file)
    if path.suffix == ".sql":
        return find_tests(path.stem, changed_words(mutation))
    _, room, name = path.with_suffix("").parts
    return [f"tests/{room}/test_{name}.py"]


def changed_words(mutation: Mutation) -> frozenset[str]:
    """The words of the lines that a mutation changes, without those of SQL."""
    text = (ROOT / mutation.file).read_text("utf-8")
    first = text.index(mutation.old)
    last = first + len(mutation.old)
    lines = text[text.rindex("\n", 0, first) : text.index("\n", last - 1)]
    quoted = " ".join(re.findall(r"'[^']*'", lines))
    return frozenset([*re.findall(r"\w+", quoted), *re.findall(r"\b[a-z]\w*", lines)])


class Outcome(NamedTuple):
    """What became of a mutation: "killed", "survived", "not made" or "not run"; by which tests or why; seconds."""

    status: str
    detail: str
    seconds: float


def run(mutation: Mutation, limit: int) -> Outcome:
    """Make a mutation of this copy of the sources, and run its tests until one fails."""
    begin = time.perf_counter()
    path = ROOT / mutation.file
    text = path.read_text("utf-8")
    if mutation.old not in text:
        return Outcome("not made", "the file has no such text", 0)
    tests = mutation.tests or related_tests(mutation)[:limit]
    for name in sorted({test.partition(".py")[0] for test in tests if ".py" in test}):
        importlib.import_module(name.replace("/", "."))
    if not tests:
        return Outcome("survived", "no test reads it", 0)
    path.write_text(text.replace(mutation.old, mutation.new, 1), "utf-8")
    code, printed = _run(tests, afresh=path.suffix == ".py")
    path.write_text(text, "utf-8")
    seconds = time.perf_counter() - begin
    failed = _FAILED.search(printed)
    if code == 0:
        return Outcome("survived", ", ".join(tests), seconds)
    if code == -signal.SIGALRM:
        return Outcome("not run", f"its tests do not end in {SECONDS} seconds", seconds)
    return Outcome("killed", failed[1], seconds) if failed else Outcome("not run", printed[-400:], seconds)


_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)
"""Matches the lines of pytest's summary, with the name of a test."""


def _run(tests: Sequence[str], *, afresh: bool, seconds: int = SECONDS) -> tuple[int, str]:
    """Run tests in a fork of this process, which has imported what they need. Returns its exit code and output.

    afresh: import the package and the tests again, since a module has changed. seconds: after which it is ended.
    """
    with tempfile.TemporaryFile("w+") as out:
        process = os.fork()
        if not process:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            signal.alarm(seconds)
            sys.dont_write_bytecode = True
            catalog.clear_cache()
            kinds.clear_cache()
            if afresh:
                for name in [name for name in sys.modules if name.partition(".")[0] in ("treesql", "tests")]:
                    del sys.modules[name]
            os._exit(int(pytest.main([*OPTIONS, *tests])))
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        out.seek(0)
        return code, out.read()


def run_here(mutations: Sequence[Mutation], limit: int) -> bool:
    """Run mutations of this copy of the sources, print what became of each, then a table. Returns whether all are
    killed, by tests that pass without them."""
    begin = time.perf_counter()
    outcomes: list[Outcome] = []
    for mutation in mutations:
        outcomes.append(outcome := run(mutation, limit))
        print(f"{outcome.status:8} {outcome.seconds:5.1f} s  {mutation}\n{'':18}{outcome.detail}", flush=True)
    killers = sorted({outcome.detail for outcome in outcomes if "::" in outcome.detail and outcome.status == "killed"})
    code, printed = _run([*killers, "--maxfail", "0"], afresh=True, seconds=0) if killers else (0, "")
    failing = set(_FAILED.findall(printed)) if code == 1 else set(killers) if code else set()
    for at, outcome in enumerate(outcomes):
        if outcome.detail in failing:
            outcomes[at] = outcome._replace(status="not run")
            print(f"{outcome.detail} does not pass without a mutation")
    counts = Counter(outcome.status for outcome in outcomes)
    print(f"\n{'mutations':12}{'killed':>8}{'survived':>10}{'not made':>10}{'not run':>9}{'seconds':>9}")
    print(
        f"{len(outcomes):<12}{counts['killed']:8}{counts['survived']:10}{counts['not made']:10}{counts['not run']:9}"
        f"{time.perf_counter() - begin:9.0f}"
    )
    for mutation, outcome in zip(mutations, outcomes, strict=True):
        if outcome.status != "killed":
            print(f"{outcome.status:8} {outcome.seconds:5.1f} s  {mutation}")
    return counts["killed"] == len(outcomes)


def main() -> None:
    """Copy the sources, and run the mutations there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run those in whose file or texts this pattern is found")
    parser.add_argument("--tests", type=int, default=30, help="maximum number of tests for each query")
    parser.add_argument("--here", action="store_true", help="mutate these sources, which are a copy")
    given = parser.parse_args()
    if not given.here:
        with tempfile.TemporaryDirectory() as made:
            for name in COPIED:
                source = ROOT / name
                (shutil.copytree if source.is_dir() else shutil.copy2)(source, Path(made) / name)
            command = [sys.executable, "-m", "tests.robustness.query_mutations", "--here", *sys.argv[1:]]
            environment = os.environ | {"PYTHONPATH": made}
            sys.exit(subprocess.run(command, cwd=made, env=environment, check=False).returncode)
    sys.exit(not run_here([one for one in MUTATIONS if re.search(given.only, str(one))], given.tests))


if __name__ == "__main__":
    main()
