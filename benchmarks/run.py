"""Run treesql's commands as users type them, each beside its peers in the same run, and print one table.

python benchmarks/run.py [--data ROLE=FILE ...] [--peer NAME=COMMAND ...] [--only TASK ...] [--words 600000]
    [--growth MILLIONS ...] [--repetitions 3]

Every command runs in a process of its own, with the settings and the cores that users have; commands take turns, and
medians are reported. ROLE is one of those in `DATA`; roles that are not given are files of fixtures/. Files are
repeated up to --words words. Peers that are not found, or fail, are named at the end; --peer names the command of one
that is elsewhere, for example eval07.pl="perl eval07.pl". --growth: loading and scoring of so many million words as
well.
"""

from __future__ import annotations

import argparse
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import measure
import peers
from measure import Command, Cost

FIXTURES = Path(__file__).parent.parent / "fixtures"

DATA = {
    "conllu": "gold.conllu",
    "gold": "gold.conllu",
    "system": "parser-a.conllu",
    "trees-gold": "gold.mrg",
    "trees-test": "test.mrg",
    "links-gold": "links.pharaoh",
    "links-system": "links-a.pharaoh",
    "hypothesis": "hypotheses.txt",
    "reference": "lattices.txt",
    "lattices": "lattices.plf",
    "lattices-reference": "lattices.txt",
}
"""Files by role: those of fixtures/ unless others are given. Two roles of one task belong to the same sentences."""

SMALL_FILES, WORDS_OF_SMALL_FILE = 1000, 30


@dataclass(frozen=True)
class Task:
    """A command of treesql, on as many units. files: what peers are given, by role."""

    what: str
    command: Command
    units: int
    unit: str
    files: Mapping[str, object]


class Inputs:
    """The files of the tasks, made in a folder when they are asked for."""

    def __init__(self, given: Mapping[str, Path], folder: Path, words: int) -> None:
        self._given, self.folder, self._words = given, folder, words

    def conllu(self, *roles: str, words: int | None = None) -> list[Path]:
        """CoNLL-U files of these roles, repeated as often as the first needs to have so many words."""
        times = self._times(measure.count_words(self._path(roles[0])), words or self._words)
        return [self._repeated(role, times, ".conllu", number_sentences=True) for role in roles]

    def lines(self, *roles: str) -> list[Path]:
        """Files with an entry per line, repeated as often as the first needs to have so many words between blanks."""
        times = self._times(len(self._read(roles[0]).split()), self._words)
        return [self._repeated(role, times, self._path(role).suffix) for role in roles]

    def small_files(self) -> Path:
        """A folder of small CoNLL-U files."""
        folder = self.folder / "small"
        folder.mkdir(exist_ok=True)
        sentences = self._read("conllu").strip(b"\n").split(b"\n\n")
        at = 0
        for number in range(SMALL_FILES):
            part: list[bytes] = []
            while sum(map(_n_words, part)) < WORDS_OF_SMALL_FILE:
                part.append(sentences[at % len(sentences)])
                at += 1
            (folder / f"{number:04}.conllu").write_bytes(b"\n\n".join(part) + b"\n\n")
        return folder

    def word_lines(self, path: Path) -> Path:
        """What eval07.pl reads: the words and the blank lines."""
        out = path.with_suffix(".lines")
        with path.open("rb") as lines, out.open("wb") as written:
            written.writelines(line for line in lines if not line.strip() or line.split(b"\t", 1)[0].isdigit())
        return out

    def _path(self, role: str) -> Path:
        return self._given.get(role, FIXTURES / DATA[role])

    def _read(self, role: str) -> bytes:
        with measure.open_file(self._path(role)) as lines:
            return b"".join(lines)

    def _times(self, size: int, wanted: int) -> int:
        return max(1, round(wanted / max(size, 1)))

    def _repeated(self, role: str, times: int, ending: str, *, number_sentences: bool = False) -> Path:
        path = self.folder / f"{role}-{times}{ending.removesuffix('.gz')}"
        text = self._read(role)
        if not path.exists():
            with path.open("wb") as out:
                for at in range(times):
                    again = rb"\g<1>-%d" % at
                    out.write(re.sub(rb"^(# sent_id = .*)$", again, text, flags=re.M) if number_sentences else text)
        return path


def _n_words(sentence: bytes) -> int:
    return sum(line.split(b"\t", 1)[0].isdigit() for line in sentence.split(b"\n"))


def load(inputs: Inputs) -> Task:
    """One corpus, into a new database."""
    [file] = inputs.conllu("conllu")
    return Task("treesql load", _load(inputs, file, "--corpus", "c"), measure.count_words(file), "words", {})


def load_files(inputs: Inputs) -> Task:
    """Small files, a corpus each."""
    folder = inputs.small_files()
    return Task(f"treesql load, {SMALL_FILES:,} files", _load(inputs, folder), SMALL_FILES, "files", {})


def check(inputs: Inputs) -> Task:
    """A file is read, and checked."""
    [file] = inputs.conllu("conllu")
    return Task("treesql check", measure.treesql("check", file), measure.count_words(file), "words", {"file": file})


def las(inputs: Inputs) -> Task:
    """Attachment scores from files."""
    pair = inputs.conllu("gold", "system")
    files = dict(zip(("gold", "system"), pair, strict=True))
    lines = {f"{role}_lines": inputs.word_lines(path) for role, path in files.items()}
    command = measure.treesql("score", "dependency", *pair, "--metric", "attachment")
    what = "treesql score dependency --metric attachment"
    return Task(what, command, measure.count_words(pair[0]), "words", files | lines)


def conll18(inputs: Inputs) -> Task:
    """The table of the shared task of 2018."""
    pair = inputs.conllu("gold", "system")
    files = dict(zip(("gold", "system"), pair, strict=True))
    command = measure.treesql("score", "dependency", *pair, "--conll18")
    return Task("treesql score dependency --conll18", command, measure.count_words(pair[0]), "words", files)


def brackets(inputs: Inputs) -> Task:
    """EVALB's scores from files."""
    pair = inputs.lines("trees-gold", "trees-test")
    files = dict(zip(("gold", "system"), pair, strict=True))
    command = measure.treesql("score", "constituency", *pair, "--metric", "evalb")
    return Task("treesql score constituency --metric evalb", command, _n_lines(pair[0]), "trees", files)


def links(inputs: Inputs) -> Task:
    """AER from files."""
    pair = inputs.lines("links-gold", "links-system")
    files = dict(zip(("gold", "system"), pair, strict=True))
    wpt = {f"{role}_wpt": measure.as_wpt(path) for role, path in files.items()}
    n_links = len(pair[0].read_bytes().split())
    command = measure.treesql("score", "alignment", *pair)
    return Task("treesql score alignment", command, n_links, "gold links", files | wpt)


def translations(inputs: Inputs) -> Task:
    """BLEU from files."""
    hypothesis, reference = inputs.lines("hypothesis", "reference")
    command = measure.treesql("score", "translation", hypothesis, "-r", reference, "--metric", "bleu")
    files = {"hypothesis": hypothesis, "reference": reference}
    return Task("treesql score translation --metric bleu", command, _n_lines(hypothesis), "sentences", files)


def lattices(inputs: Inputs) -> Task:
    """GER from files."""
    lattice, reference = inputs.lines("lattices", "lattices-reference")
    command = measure.treesql("score", "lattice", lattice, "-r", reference, "--metric", "ger")
    return Task("treesql score lattice --metric ger", command, _n_lines(lattice), "lattices", {})


TASKS: dict[str, Callable[[Inputs], Task]] = {
    peers.LOAD: load,
    peers.FILES: load_files,
    peers.CHECK: check,
    peers.LAS: las,
    peers.TABLE: conll18,
    peers.BRACKETS: brackets,
    peers.LINKS: links,
    peers.TRANSLATIONS: translations,
    peers.LATTICES: lattices,
}


def _n_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _load(inputs: Inputs, path: Path, *options: str) -> Command:
    """Load into a new database; what makes room for it is the same process before it becomes treesql."""
    database = inputs.folder / "new.duckdb"
    command = shlex.join(measure.treesql("load", database, path, *options))
    return ["/bin/sh", "-c", f"rm -f {shlex.quote(str(database))}; exec {command}"]


def rows(task: Task, costs: Mapping[str, Cost]) -> Iterator[list[str]]:
    """A row for the command, and one for each of its peers, with ratios to the command."""
    command = costs[task.what]
    for name, cost in costs.items():
        first = name == task.what
        yield [
            name if first else f"— {name}", f"{task.units:,} {task.unit}" if first else "", f"{cost.cpu:.2f}",
            f"{cost.wall:.2f}", f"{cost.peak:.0f}", f"{task.units / cost.cpu:,.0f}",
            "" if first else f"{cost.cpu / command.cpu:.1f}", "" if first else f"{cost.wall / command.wall:.1f}",
        ]  # fmt: skip


HEADER = ["", "of", "CPU s", "wall s", "peak MB", "per CPU s", "times treesql, CPU", "times treesql, wall"]


def growth(inputs: Inputs, millions: Sequence[float], repetitions: int) -> None:
    """Print what loading and scoring take of more and more words."""
    table_rows = []
    for size in millions:
        words = round(size * 1e6)
        gold, system = inputs.conllu("gold", "system", words=words)
        commands = {
            "treesql load": _load(inputs, gold, "--corpus", "c"),
            "treesql score dependency --metric attachment": measure.treesql(
                "score", "dependency", gold, system, "--metric", "attachment"
            ),
        }
        n_words = measure.count_words(gold)
        costs = measure.in_turn(commands, repetitions, one_core=False)
        table_rows += [
            [name, f"{n_words:,}", f"{c.cpu:.1f}", f"{c.wall:.1f}", f"{c.peak:.0f}", f"{1e6 * c.cpu / n_words:.2f}"]
            for name, c in costs.items()
        ]
        for path in (gold, system):
            path.unlink()
    print(measure.table(["", "words", "CPU s", "wall s", "peak MB", "CPU s per million words"], table_rows))


def main() -> None:
    given = _arguments()
    chosen = {name: TASKS[name] for name in given.only or TASKS}
    print(measure.machine(), end="\n\n")
    table: list[list[str]] = []
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(given.data, Path(folder), given.words)
        for name, make in chosen.items():
            task = make(inputs)
            commands = {task.what: task.command, **peers.commands(name, task.files, given.peer)}
            table += rows(task, measure.in_turn(commands, given.repetitions, one_core=False, failed=failed))
        print(measure.table(HEADER, table))
        if given.growth:
            growth(inputs, given.growth, given.repetitions)
    for name, line in failed.items():
        print(f"- failed: {name} ({line})")
    absent = peers.missing(list(chosen), given.peer)
    print("\n".join(f"- missing: {name} ({source})" for name, source in absent.items()) or "No peer is missing.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=_pair, action="append", default=[], metavar="ROLE=FILE")
    parser.add_argument("--peer", type=_pair, action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--only", nargs="+", choices=list(TASKS))
    parser.add_argument("--words", type=int, default=600_000)
    parser.add_argument("--growth", type=float, nargs="+", metavar="MILLIONS")
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    given.data = {role: Path(file) for role, file in given.data}
    given.peer = dict(given.peer)
    names = {peer.name for peer in peers.PEERS}
    for named, known in ((given.data, set(DATA)), (given.peer, names)):
        for unknown in sorted(set(named) - known):
            parser.error(f"{unknown} is none of {', '.join(sorted(known))}")
    return given


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r} has no =")
    return name, value


if __name__ == "__main__":
    main()
