"""How long `treesql score dependency` takes, against eval07.pl of CoNLL-2007 and udeval of udtools.

python benchmarks/scoring.py GOLD.conllu SYSTEM.conllu [--small GOLD.conllu SYSTEM.conllu] [--perl eval07.pl]
    [--udeval udeval] [--repetitions 5]

Prints Markdown. Whole processes, on one core; --small: a test set, scored as users do, on all cores.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import measure
from measure import Command, Cost

TREESQL = "treesql score dependency"
PERL = "eval07.pl -q"


def main() -> None:
    given = _arguments()
    print(measure.machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        commands = {TREESQL: measure.treesql("score", "dependency", given.gold, given.system)}
        if given.perl:
            plain = [
                str(_word_lines(path, Path(folder, name))) for path, name in ((given.gold, "g"), (given.system, "s"))
            ]
            commands[PERL] = ["perl", given.perl, "-q", "-g", plain[0], "-s", plain[1]]
        if given.udeval:
            options = ["--no-enhanced", "--multiple-roots-okay"]
            commands["udeval"] = [given.udeval, *options, str(given.gold), str(given.system)]
        _large(measure.in_turn(commands, given.repetitions), measure.count_words(given.gold))
    small: dict[str, Command] = {"treesql --help": measure.treesql("--help")}
    if given.small:
        words = measure.count_words(given.small[0])
        small[f"{TREESQL}, {words:,} words"] = measure.treesql("score", "dependency", *given.small)
    _small(measure.in_turn(small, given.repetitions, one_core=False))


def _large(costs: dict[str, Cost], words: int) -> None:
    ours = costs[TREESQL].cpu
    rows = [
        [name, f"{cost.cpu:.2f}", f"{words / cost.cpu:,.0f}", f"{cost.cpu / ours:.1f}", f"{cost.peak:.0f}"]
        for name, cost in costs.items()
    ]
    print(f"{words:,} words.\n")
    print(measure.table(["", "CPU s, process", "words/s", "against treesql", "peak MB"], rows))
    if PERL in costs:
        ratio = costs[PERL].cpu / ours
        print(measure.target(f"faster than {PERL}", f"{ratio:.1f} times", ratio > 1), end="\n\n")


def _small(costs: dict[str, Cost]) -> None:
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
    parser.add_argument("--small", type=Path, nargs=2)
    parser.add_argument("--perl")
    parser.add_argument("--udeval")
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    measure.start(main, {})
