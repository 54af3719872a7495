"""Time of scoring, compared with eval07.pl of CoNLL-2007 and udeval of udtools, and of word dependency entropy.

python benchmarks/scoring.py GOLD.conllu SYSTEM.conllu [--raw SYSTEM.conllu] [--small GOLD.conllu SYSTEM.conllu]
    [--large LARGE.duckdb] [--perl eval07.pl] [--udeval udeval] [--repetitions 5]

Prints Markdown. Whole processes, on one core; --raw: the output for raw text, whose words are not the gold words;
--small: a test set, scored as users do, on all cores; --large: a database for `treesql wde`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import measure
from measure import Command, Cost, Reported

TREESQL = "treesql score dependency"
ATTACHMENT = "treesql score dependency --metric attachment"
LOADED = "attachment, from a loaded database"
TABLE = "treesql score dependency --conll18"
PERL = "eval07.pl -q"
UDEVAL = "udeval"
OPTIONS = ["--no-enhanced", "--multiple-roots-okay", "-v"]


def main() -> None:
    given = _arguments()
    print(measure.machine(), end="\n\n")
    words = measure.count_words(given.gold)
    with tempfile.TemporaryDirectory() as folder:
        pair = [given.gold, given.system]
        database = Path(folder, "pair.duckdb")
        measure.run(measure.treesql("load", database, given.gold, "--corpus", "gold"))
        measure.run(measure.treesql("load", database, given.system, "--corpus", "system"))
        commands = {
            TREESQL: measure.treesql("score", "dependency", *pair),
            ATTACHMENT: measure.treesql("score", "dependency", *pair, "--metric", "attachment"),
            LOADED: measure.child("loaded", database),
        }
        if given.perl:
            plain = [str(_word_lines(path, Path(folder, name))) for path, name in zip(pair, "gs", strict=True)]
            commands[PERL] = ["perl", given.perl, "-q", "-g", plain[0], "-s", plain[1]]
        if given.udeval:
            commands[UDEVAL] = [given.udeval, *OPTIONS, *map(str, pair)]
        _same_words(measure.in_turn(commands, given.repetitions), words)
    if given.raw:
        pair = [given.gold, given.raw]
        commands = {TABLE: measure.treesql("score", "dependency", *pair, "--conll18")}
        if given.udeval:
            commands[UDEVAL] = [given.udeval, *OPTIONS, *map(str, pair)]
        _other_words(measure.in_turn(commands, given.repetitions), words)
    if given.large:
        wde = measure.in_turn(
            {"treesql wde": measure.treesql("wde", given.large, "--format", "csv")}, given.repetitions
        )
        _quick(wde)
    small: dict[str, Command] = {"treesql --help": measure.treesql("--help")}
    if given.small:
        words = measure.count_words(given.small[0])
        small[f"{TREESQL}, {words:,} words"] = measure.treesql("score", "dependency", *given.small)
    _quick(measure.in_turn(small, given.repetitions, one_core=False))


def loaded(database: str) -> Reported:
    """Score attachment twice in a database with the corpora gold and system; the second time counts."""
    import treesql as package

    reported: Reported = {}
    with package.connect(database, read_only=True) as db:
        for name in ("first", "again"):
            with measure.cpu(reported, name):
                db.score("attachment", gold_corpus="gold", system_corpus="system")
    return reported


def _same_words(costs: dict[str, Cost], words: int) -> None:
    ours = costs[TREESQL].cpu
    in_process = costs.pop(LOADED).reported["again"]
    rows = [_row(name, cost, words, ours) for name, cost in costs.items()]
    rows.insert(2, [LOADED, f"{in_process:.3f}", f"{words / in_process:,.0f}", f"{in_process / ours:.2f}", ""])
    print(f"{words:,} words, the same on both sides.\n")
    print(measure.table(["", "CPU s", "words/s", "against treesql", "peak MB"], rows))
    attachment = costs[ATTACHMENT].cpu
    if PERL in costs:
        _ratio(f"attachment, at least 4 times {PERL}", costs[PERL].cpu / attachment, 4)
    if UDEVAL in costs:
        _ratio(f"attachment, at least 25 times {UDEVAL}", costs[UDEVAL].cpu / attachment, 25)
        _ratio(f"at least 100 times {UDEVAL} from a loaded database", costs[UDEVAL].cpu / in_process, 100)
    print()


def _other_words(costs: dict[str, Cost], words: int) -> None:
    ours = costs[TABLE]
    print(f"{words:,} gold words, others in the output for raw text.\n")
    rows = [_row(name, cost, words, ours.cpu) for name, cost in costs.items()]
    print(measure.table(["", "CPU s", "words/s", "against treesql", "peak MB"], rows))
    if UDEVAL in costs:
        _ratio(f"at least 15 times {UDEVAL}", costs[UDEVAL].cpu / ours.cpu, 15)
        share = ours.peak / costs[UDEVAL].peak
        print(
            measure.target(f"in at most a third of {UDEVAL}'s memory", f"{share:.2f} of it", share <= 1 / 3), end="\n\n"
        )


def _ratio(what: str, ratio: float, wanted: float) -> None:
    print(measure.target(what, f"{ratio:.1f} times", ratio >= wanted))


def _row(name: str, cost: Cost, words: int, ours: float) -> list[str]:
    return [name, f"{cost.cpu:.2f}", f"{words / cost.cpu:,.0f}", f"{cost.cpu / ours:.1f}", f"{cost.peak:.0f}"]


def _quick(costs: dict[str, Cost]) -> None:
    rows = [[name, f"{cost.wall:.2f}", f"{cost.cpu:.2f}", f"{cost.peak:.0f}"] for name, cost in costs.items()]
    print(measure.table(["", "wall s", "CPU s", "peak MB"], rows))


def _word_lines(path: Path, plain: Path) -> Path:
    """Copy what eval07.pl reads: the words and the blank lines."""
    with measure.open_file(path) as lines, open(plain, "wb") as out:
        out.writelines(line for line in lines if not line.strip() or line.split(b"\t", 1)[0].isdigit())
    return plain


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("system", type=Path)
    parser.add_argument("--raw", type=Path)
    parser.add_argument("--small", type=Path, nargs=2)
    parser.add_argument("--large", type=Path)
    parser.add_argument("--perl")
    parser.add_argument("--udeval")
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    measure.start(main, {"loaded": loaded})
