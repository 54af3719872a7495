"""Speed of the seven questions of docs/questions.md in SQL, compared with plain Python loops over udapi's nodes.

python benchmarks/questions.py FILE.conllu [--large LARGE.duckdb] [--repetitions 5]

Prints Markdown; exit code 1 if the two do not give the same number of rows. Everything runs on one core. --large: a
database that `treesql load` made, with one corpus of about 5 million words.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measure
from measure import Cost, Reported

Trees = list[Any]
Rows = list[tuple[Any, ...]]

PAGE = Path(__file__).parents[1] / "docs" / "questions.md"
CORPUS_OF_PAGE = "'ewt'"


def main() -> None:
    given = _arguments()
    print(measure.machine("udapi"), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "treebank.duckdb")
        measure.run(measure.treesql("load", database, given.file, "--corpus", "treebank"))
        contenders = {"treesql": measure.child("sql", database), "udapi": measure.child("loops", given.file)}
        costs = measure.in_turn(contenders, given.repetitions)
    same = _compare(costs["treesql"], costs["udapi"], measure.count_words(given.file))
    if given.large:
        [large] = measure.in_turn({"large": measure.child("sql", given.large)}, given.repetitions).values()
        _alone(large)
    sys.exit(0 if same else 1)


def _compare(ours: Cost, theirs: Cost, words: int) -> bool:
    """Print both sides' seconds; returns whether they found the same numbers of rows."""
    print(f"{words:,} words.\n")
    ratios = {letter: theirs.reported[letter] / ours.reported[letter] for letter in questions()}
    rows = []
    for label, letter in _labels():
        seconds = [f"{ours.reported[name]:.4f}" for name in (letter, f"{letter} again")]
        rows.append([label, _rows(ours, letter), *seconds, f"{theirs.reported[letter]:.3f}", f"{ratios[letter]:.1f}"])
    header = ["", "rows", "treesql, CPU s", "asked again", "udapi, CPU s", "udapi / treesql"]
    print(measure.table(header, rows))
    climb = theirs.reported["d, by climbing"]
    print("udapi answers (d) by `node.descendants`. A loop that climbs from every pronoun to the root instead takes")
    print(f"{climb:.3f} CPU s, {climb / ours.reported['d']:.1f} times.\n")
    print(
        f"Opening or reading the treebank: treesql {ours.reported['open']:.3f} CPU s, "
        f"udapi {theirs.reported['open']:.2f}."
    )
    print(f"Peak memory: treesql {ours.peak:.0f} MB, udapi {theirs.peak:.0f} MB.\n")
    worst = min(ratios.values())
    print(measure.target("each at least 8 times udapi", f"at worst {worst:.1f} times", worst >= 8), end="\n\n")
    different = [letter for letter in questions() if _rows(ours, letter) != _rows(theirs, letter)]
    for letter in different:
        print(f"**({letter}) udapi finds {_rows(theirs, letter)} rows.**\n")
    return not different


def _alone(cost: Cost) -> None:
    rows = [
        [label, _rows(cost, letter), f"{cost.reported[letter]:.3f}", f"{cost.reported[f'{letter} again']:.3f}"]
        for label, letter in _labels()
    ]
    worst = max(cost.reported[letter] for letter in questions())
    print(f"{cost.reported['words']:,.0f} words, treesql alone, peak memory {cost.peak:.0f} MB.\n")
    print(measure.table(["", "rows", "CPU s", "asked again"], rows))
    print(measure.target("each at most 0.2 s", f"at worst {worst:.3f} s", worst <= 0.2))


def _labels() -> list[tuple[str, str]]:
    return [(f"({letter}) {title}", letter) for letter, (title, _) in questions().items()]


def _rows(cost: Cost, letter: str) -> str:
    return f"{cost.reported[f'{letter} rows']:,.0f}"


def questions() -> dict[str, tuple[str, str]]:
    """The titles and the statements of those of the page that have a loop, by letter."""
    sections = re.findall(
        r"^## \((\w)\) (.*?)\n.*?^```sql\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return {letter: (title, statement) for letter, title, statement in sections if letter in LOOPS}


def sql(database: str) -> Reported:
    """Run every question twice on a database with one corpus."""
    import treesql

    reported: Reported = {}
    with measure.cpu(reported, "open"):
        db = treesql.connect(database, read_only=True)
    [(corpus, reported["words"])] = db.connection.execute("SELECT corpus, n_words FROM corpora").fetchall()
    db.connection.sql("SELECT 1").to_arrow_table()
    for letter, (_, statement) in questions().items():
        asked = statement.replace(CORPUS_OF_PAGE, "'" + corpus.replace("'", "''") + "'")
        for name in (letter, f"{letter} again"):
            with measure.cpu(reported, name):
                result = db.connection.sql(asked).to_arrow_table()
        reported[f"{letter} rows"] = result.num_rows
    db.close()
    return reported


def loops(path: str) -> Reported:
    """Run every question once on a document in memory."""
    from udapi.core.document import Document

    reported: Reported = {}
    with measure.cpu(reported, "open"):
        trees = list(Document(path).trees)
    for letter, ask in LOOPS.items():
        with measure.cpu(reported, letter):
            rows = ask(trees)
        reported[f"{letter} rows"] = len(rows)
    with measure.cpu(reported, "d, by climbing"):
        pronouns_below_verbs(trees)
    return reported


def relations_by_part_of_speech(trees: Trees) -> Rows:
    words: dict[tuple[str, str], int] = defaultdict(int)
    for tree in trees:
        for node in tree.descendants:
            words[node.upos, node.deprel] += 1
    return sorted(((*pair, n) for pair, n in words.items()), key=lambda row: -row[-1])


def nouns_with_pronouns(trees: Trees) -> Rows:
    rows: Rows = []
    for tree in trees:
        for verb in tree.descendants:
            if verb.upos == "VERB":
                children = verb.children
                subjects = [child for child in children if child.deprel == "nsubj" and child.upos == "NOUN"]
                if subjects:
                    objects = [child for child in children if child.deprel == "obj" and child.upos == "PRON"]
                    rows += [(tree, verb.ord, s.ord, o.ord) for s in subjects for o in objects]
    return rows


def nonprojective(trees: Trees) -> Rows:
    return [
        (tree, node.ord, node.form, node.parent.ord, node.deprel)
        for tree in trees
        for node in tree.descendants
        if node.is_nonprojective()
    ]


def pronouns_below_verbs(trees: Trees) -> Rows:
    """From the pronouns up, which counts the steps as well."""
    rows = []
    for tree in trees:
        for pronoun in tree.descendants:
            if pronoun.upos == "PRON":
                steps, above = 1, pronoun.parent
                while above.parent:
                    if above.upos == "VERB":
                        rows.append((tree, above.ord, pronoun.ord, steps))
                    steps, above = steps + 1, above.parent
    return rows


def pronouns_among_descendants(trees: Trees) -> Rows:
    """The same from the verbs down, without the steps."""
    return [
        (tree, verb.ord, pronoun.ord)
        for tree in trees
        for verb in tree.descendants
        if verb.upos == "VERB"
        for pronoun in verb.descendants
        if pronoun.upos == "PRON"
    ]


def mean_lengths(trees: Trees) -> Rows:
    edges: dict[str, int] = defaultdict(int)
    lengths: dict[str, int] = defaultdict(int)
    for tree in trees:
        for node in tree.descendants:
            head = node.parent.ord
            if head:
                edges[node.deprel] += 1
                lengths[node.deprel] += abs(head - node.ord)
    return sorted(((name, n, lengths[name] / n) for name, n in edges.items()), key=lambda row: -row[-1])


def verbs_without_subject(trees: Trees) -> Rows:
    return [
        (tree, verb.ord, verb.form)
        for tree in trees
        for verb in tree.descendants
        if verb.upos == "VERB" and not any(child.udeprel == "nsubj" for child in verb.children)
    ]


def subjects_to_the_right(trees: Trees) -> Rows:
    return [
        (tree, verb.ord, subject.ord)
        for tree in trees
        for verb in tree.descendants
        if verb.upos == "VERB"
        for subject in verb.children
        if subject.udeprel == "nsubj" and subject.ord > verb.ord
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--large", type=Path)
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


LOOPS: dict[str, Callable[[Trees], Rows]] = {
    "a": relations_by_part_of_speech,
    "b": nouns_with_pronouns,
    "c": nonprojective,
    "d": pronouns_among_descendants,
    "e": mean_lengths,
    "f": verbs_without_subject,
    "g": subjects_to_the_right,
}

if __name__ == "__main__":
    measure.start(main, {"sql": sql, "loops": loops})
