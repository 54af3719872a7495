"""What people wait for: run treesql's commands as users type them, each beside its peers, and print one table.

python benchmarks/waits.py [--data ROLE=FILE ...] [--peer NAME=COMMAND ...] [--only TASK ...] [--large]
    [--words 600000] [--growth MILLIONS ...] [--repetitions 3]

Every command runs in a process of its own, with the settings and the cores that users have; commands take turns, and
medians are reported, with peak memory and the command of every row. ROLE is one of those in `DATA`; roles that are not
given are files of fixtures/. Files are repeated up to the size of a task. Peers that are not found, or fail, are named
at the end; --peer names the command of one that is elsewhere, for example eval07.pl="perl eval07.pl". --large: tasks
that take minutes as well. --growth: loading and scoring of so many million words as well.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import measure
import peers
from measure import Command, Cost

ROOT = Path(__file__).parent.parent
FIXTURES, EVALB_PARAMETERS = ROOT / "fixtures", ROOT / "schemas" / "evalb_parameters.csv"

DATA = {
    "conllu": "gold.conllu",
    "gold": "gold.conllu",
    "system": "parser-a.conllu",
    "other-system": "parser-b.conllu",
    "trees-gold": "gold.mrg",
    "trees-test": "test.mrg",
    "links-gold": "links.pharaoh",
    "links-system": "links-a.pharaoh",
    "hypothesis": "hypotheses.txt",
    "reference": "lattices.txt",
    "lattices": "lattices.plf",
    "lattices-reference": "lattices.txt",
    "curve-a": "",
    "curve-b": "",
    "curve-reference": "",
}
"""Files by role: those of fixtures/ unless others are given. Two roles of one task belong to the same sentences.

curve-a, curve-b: the lattices of a system, a file per density, separated by commas; tasks of roles that have no file in
fixtures/ are left out where none is given."""

SMALL_FILES, CORPORA, WORDS_OF_SMALL_FILE = 1000, 5000, 30
REPORTED_WORDS, WORDS_OF_TREEBANK, DIFF_WORDS, TREES, MANY_TREES = 25_000, 11_000, 1_500_000, 10_200, 300_000
LINKS, MANY_LINKS, SPOKEN_SENTENCES, SENTENCES = 600_000, 6_000_000, 10_000, 68_000

CHANGED = 100
"""Every so many words one has another head in the new version of a treebank."""

PARAMETERS = "COLLINS"
"""The parameter set of EVALB that its parameter file is written from."""


@dataclass(frozen=True)
class Task:
    """A command of treesql, on as many units. files: what peers are given, by role; peers: the task they have."""

    what: str
    command: Command
    units: int
    unit: str
    files: Mapping[str, object] = field(default_factory=dict)
    peers: str = ""


class NotGiven(Exception):
    """A role whose file is not given, and that has none in fixtures/."""


class Inputs:
    """The files of the tasks, made in a folder when they are asked for."""

    def __init__(self, given: Mapping[str, Path], folder: Path, words: int) -> None:
        self._given, self.folder, self._words = given, folder, words

    def conllu(self, *roles: str, words: int | None = None) -> list[Path]:
        """CoNLL-U files of these roles, repeated, or cut, so that the first has so many words, about."""
        wanted = words or self._words
        n_words = measure.count_words(self._path(roles[0]))
        paths = [self._repeated(role, self._times(n_words, wanted), ".conllu", number_sentences=True) for role in roles]
        return paths if n_words < 2 * wanted else _first_sentences(paths, wanted)

    def lines(self, *roles: str, size: int, words: bool = False, with_words: bool = False) -> list[Path]:
        """Files with an entry per line, repeated as often as the first needs to have so many lines, or words.

        with_words: without lines that are empty in one of them, as not all programs count these.
        """
        text = self._read(roles[0])
        times = self._times(len(text.split()) if words else text.count(b"\n"), size)
        paths = [self._repeated(role, times, self._path(role).suffix) for role in roles]
        if not with_words:
            return paths
        rows = [row for row in zip(*(path.read_bytes().splitlines() for path in paths), strict=True) if all(row)]
        filled = [path.with_suffix(f".filled{path.suffix}") for path in paths]
        for path, lines in zip(filled, zip(*rows, strict=True), strict=True):
            path.write_bytes(b"\n".join([*lines, b""]))
        return filled

    def small_files(self, n: int) -> Path:
        """A folder of small CoNLL-U files."""
        folder = self.folder / f"small-{n}"
        folder.mkdir(exist_ok=True)
        sentences = self._read("conllu").strip(b"\n").split(b"\n\n")
        at = 0
        for number in range(n):
            part: list[bytes] = []
            while sum(map(_n_words, part)) < WORDS_OF_SMALL_FILE:
                part.append(sentences[at % len(sentences)])
                at += 1
            (folder / f"{number:04}.conllu").write_bytes(b"\n\n".join(part) + b"\n\n")
        return folder

    def with_other_heads(self, path: Path) -> Path:
        """A copy of a treebank in which one of CHANGED words hangs from the root of its sentence instead."""
        out = path.with_suffix(".new.conllu")
        n = 0
        with path.open("rb") as sentences, out.open("wb") as written:
            for is_blank, group in itertools.groupby(sentences, lambda line: not line.strip()):
                lines = [line.split(b"\t") for line in group]
                root = next((fields[0] for fields in lines if len(fields) > 6 and fields[6] == b"0"), b"0")
                for fields in lines if not is_blank else ():
                    if fields[0].isdigit():
                        n += 1
                        if n % CHANGED == 0 and fields[6] != b"0":
                            fields[6] = root
                written.writelines(b"\t".join(fields) for fields in lines)
        return out

    def parameters(self) -> Path:
        """The parameter file of EVALB, from the set that treesql uses by default."""
        out = self.folder / f"{PARAMETERS}.prm"
        rows = csv.DictReader(io.StringIO(EVALB_PARAMETERS.read_text("utf-8")))
        lines = [
            " ".join(filter(None, (row["parameter"], row["value"], row["same_as"])))
            for row in rows
            if row["parameter_set"] == PARAMETERS
        ]
        out.write_text("\n".join(["DEBUG 0", *lines, ""]), "utf-8")
        return out

    def word_lines(self, path: Path) -> Path:
        """What eval07.pl reads: the words and the blank lines."""
        out = path.with_suffix(".lines")
        with path.open("rb") as lines, out.open("wb") as written:
            written.writelines(line for line in lines if not line.strip() or line.split(b"\t", 1)[0].isdigit())
        return out

    def treebanks(self, n: int, *roles: str) -> list[Path]:
        """A folder per role with so many treebanks: consecutive parts of its file, of WORDS_OF_TREEBANK words."""
        files = self.conllu(*roles, words=n * WORDS_OF_TREEBANK)
        texts = [file.read_bytes().split(b"\n\n") for file in files]
        folders = [self.folder / f"{n}-{role}" for role in roles]
        size = len(texts[0]) // n
        for folder, sentences in zip(folders, texts, strict=True):
            folder.mkdir(exist_ok=True)
            for at in range(n):
                part = sentences[at * size : (at + 1) * size]
                (folder / f"part{at}.conllu").write_bytes(b"\n\n".join([*part, b""]))
        return folders

    def given(self, role: str) -> str:
        """What is given for a role that has no file in fixtures/. Raises NotGiven."""
        if role not in self._given:
            raise NotGiven(role)
        return str(self._given[role])

    def database(self, *paths: Path) -> Path:
        """A new database with these files."""
        path = self.folder / f"{paths[0].stem}.duckdb"
        if not path.exists():
            measure.run(measure.treesql("load", path, *paths), one_core=False)
        return path

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


def _first_sentences(paths: Sequence[Path], words: int) -> list[Path]:
    """Files with the first sentences of others, as many as have so many words in the first of these."""
    cut = [path.with_suffix(f".{words}{path.suffix}") for path in paths]
    texts = [path.read_bytes().split(b"\n\n") for path in paths]
    counted = itertools.accumulate(map(_n_words, texts[0]))
    n = sum(1 for _ in itertools.takewhile(lambda n_words: n_words < words, counted)) + 1
    for path, sentences in zip(cut, texts, strict=True):
        path.write_bytes(b"\n\n".join([*sentences[:n], b""]))
    return cut


def _n_words(sentence: bytes) -> int:
    return sum(line.split(b"\t", 1)[0].isdigit() for line in sentence.split(b"\n"))


def load(inputs: Inputs) -> Task:
    """One corpus, into a new database; udapi reads it."""
    [file] = inputs.conllu("conllu")
    command = _load(inputs, file, "--corpus", "c")
    return Task("treesql load", command, measure.count_words(file), "words", {"file": file}, peers.LOAD)


def load_files(inputs: Inputs) -> Task:
    """Small files, a corpus each."""
    folder = inputs.small_files(SMALL_FILES)
    return Task(f"treesql load, {SMALL_FILES:,} files", _load(inputs, folder), SMALL_FILES, "files")


def check(inputs: Inputs) -> Task:
    """A file is read, and checked."""
    [file] = inputs.conllu("conllu")
    words = measure.count_words(file)
    return Task("treesql check", measure.treesql("check", file), words, "words", {"file": file}, peers.CHECK)


def las(inputs: Inputs) -> Task:
    """Attachment scores from files."""
    pair = inputs.conllu("gold", "system")
    files = dict(zip(("gold", "system"), pair, strict=True))
    lines = {f"{role}_lines": inputs.word_lines(path) for role, path in files.items()}
    command = measure.treesql("score", "dependency", *pair, "--metric", "attachment")
    what = "treesql score dependency --metric attachment"
    return Task(what, command, measure.count_words(pair[0]), "words", files | lines, peers.LAS)


def conll18(inputs: Inputs) -> Task:
    """The table of the shared task of 2018."""
    pair = inputs.conllu("gold", "system")
    files = dict(zip(("gold", "system"), pair, strict=True))
    command = measure.treesql("score", "dependency", *pair, "--conll18")
    words = measure.count_words(pair[0])
    return Task("treesql score dependency --conll18", command, words, "words", files, peers.TABLE)


def brackets(inputs: Inputs, n: int = TREES) -> Task:
    """EVALB's scores from files."""
    pair = inputs.lines("trees-gold", "trees-test", size=n)
    files = {"gold": pair[0], "system": pair[1], "parameters": inputs.parameters()}
    command = measure.treesql("score", "constituency", *pair, "--metric", "evalb")
    n_trees = _n_lines(pair[0])
    what = f"treesql score constituency --metric evalb, {n_trees:,}"
    return Task(what, command, n_trees, "trees", files, peers.BRACKETS)


def links(inputs: Inputs, n: int = LINKS) -> Task:
    """AER from files."""
    pair = inputs.lines("links-gold", "links-system", size=n, words=True)
    files = dict(zip(("gold", "system"), pair, strict=True))
    wpt = {f"{role}_wpt": measure.as_wpt(path) for role, path in files.items()}
    n_links = len(pair[0].read_bytes().split())
    command = measure.treesql("score", "alignment", *pair)
    return Task(f"treesql score alignment, {n_links:,}", command, n_links, "gold links", files | wpt, peers.LINKS)


def bleu(inputs: Inputs, *options: str) -> Task:
    """BLEU from files."""
    hypothesis, reference = inputs.lines("hypothesis", "reference", size=SENTENCES)
    written = " ".join(("treesql score translation --metric bleu", *options))
    command = measure.treesql("score", "translation", hypothesis, "-r", reference, "--metric", "bleu", *options)
    files = {"hypothesis": hypothesis, "reference": reference}
    task = peers.TOKENISED_TRANSLATIONS if options else peers.TRANSLATIONS
    return Task(written, command, _n_lines(hypothesis), "sentences", files, task)


def wer(inputs: Inputs) -> Task:
    """WER from files."""
    hypothesis, reference = inputs.lines("hypothesis", "reference", size=SPOKEN_SENTENCES, with_words=True)
    command = measure.treesql("score", "translation", hypothesis, "-r", reference, "--metric", "wer")
    files = {"hypothesis": hypothesis, "reference": reference}
    what = "treesql score translation --metric wer"
    return Task(what, command, _n_lines(hypothesis), "sentences", files, peers.SPEECH)


def lattices(inputs: Inputs) -> Task:
    """GER from files."""
    lattice, reference = inputs.lines("lattices", "lattices-reference", size=8_000)
    command = measure.treesql("score", "lattice", lattice, "-r", reference, "--metric", "ger")
    return Task("treesql score lattice --metric ger", command, _n_lines(lattice), "lattices")


def report(inputs: Inputs) -> Task:
    """The page of two parsers."""
    files = inputs.conllu("gold", "system", "other-system", words=REPORTED_WORDS)
    command = measure.treesql("report", "dependency", *files, "-o", inputs.folder / "report.html")
    return Task("treesql report dependency, 2 systems", command, measure.count_words(files[0]), "words")


def translation_report(inputs: Inputs) -> Task:
    """The page of a translation with four references."""
    hypothesis, reference = inputs.lines("hypothesis", "reference", size=1)
    references = [reference, *(reference.with_suffix(f".{number}.txt") for number in (2, 3, 4))]
    for path in references[1:]:
        path.write_bytes(reference.read_bytes())
    options: list[str | Path] = [part for path in references for part in ("-r", path)]
    command = measure.treesql("report", "translation", hypothesis, *options, "-o", inputs.folder / "report.html")
    return Task("treesql report translation, 4 references", command, _n_lines(hypothesis), "sentences")


def diff(inputs: Inputs, words: int | None = None) -> Task:
    """Two versions of a treebank, of which one in a hundred heads differs."""
    [old] = inputs.conllu("conllu", words=words)
    n_words = measure.count_words(old)
    command = measure.treesql("diff", old, inputs.with_other_heads(old))
    return Task(f"treesql diff, {n_words:,}", command, n_words, "words")


def treebanks_report(inputs: Inputs) -> Task:
    """The page of three parsers on seven treebanks."""
    folders = inputs.treebanks(7, "gold", "system", "other-system")
    third = folders[1].with_name("7-third")
    shutil.copytree(folders[1], third, dirs_exist_ok=True)
    command = measure.treesql("report", "dependency", *folders, third, "-o", inputs.folder / "report.html")
    return Task("treesql report dependency, 7 treebanks, 3 systems", command, 7 * WORDS_OF_TREEBANK, "words")


def typology(inputs: Inputs) -> Task:
    """Nine treebanks, and two outputs of each."""
    gold, *systems = inputs.treebanks(9, "gold", "system", "other-system")
    outputs = inputs.folder / "outputs"
    outputs.mkdir(exist_ok=True)
    for name, folder in zip("ab", systems, strict=True):
        for file in folder.iterdir():
            shutil.copy(file, outputs / f"{file.stem}.{name}.conllu")
    command = measure.treesql("typology", gold, outputs, "-o", inputs.folder / "typology.html")
    return Task("treesql typology", command, 18, "outputs")


def curve(inputs: Inputs) -> Task:
    """The page of two systems' lattices at several densities."""
    systems = [f"{name}={inputs.given(f'curve-{name}')}" for name in "ab"]
    named = [part for system in systems for part in ("--system", system)]
    page: list[str | Path] = ["--report", inputs.folder / "curve.html"]
    command = measure.treesql("lattice", "curve", *named, "-r", inputs.given("curve-reference"), *page)
    return Task("treesql lattice curve --report, 2 systems", command, systems[0].count(",") + 1, "densities")


def consistency_session(inputs: Inputs) -> Task:
    """All statistics of consistency, in one session."""
    [file] = inputs.conllu("conllu", words=REPORTED_WORDS * 8)
    command = measure.child("consistency", inputs.database(file))
    return Task("statistics of consistency, in one session", command, measure.count_words(file), "words")


def consistency(database: str) -> measure.Reported:
    """Run all statistics of consistency on a database of one corpus."""
    import treesql

    names = [query.name for query in treesql.queries() if query.folder == "consistency" and query.kind == "statistic"]
    with treesql.connect(database, read_only=True) as db:
        return {name: float(len(db.query(name).rows())) for name in names}


def of_corpora(inputs: Inputs, name: str) -> Task:
    """A statistic of a database of many corpora."""
    database = inputs.database(inputs.small_files(CORPORA))
    return Task(f"treesql {name}, {CORPORA:,} corpora", measure.treesql(name, database), CORPORA, "corpora")


def find_in_files(inputs: Inputs) -> Task:
    """The first hits among many small files."""
    folder = inputs.small_files(CORPORA)
    command = measure.treesql("find", folder, "pattern { X [upos=NOUN] }", "--limit", "3")
    return Task(f"treesql find, {CORPORA:,} files", command, CORPORA, "files")


TASKS: dict[str, Callable[[Inputs], Task]] = {
    "load": load,
    "load-files": load_files,
    "check": check,
    "las": las,
    "conll18": conll18,
    "brackets": brackets,
    "links": links,
    "wer": wer,
    "bleu": bleu,
    "bleu-13a": lambda inputs: bleu(inputs, "--tokenize", "13a"),
    "lattices": lattices,
    "report": report,
    "report-translation": translation_report,
    "report-treebanks": treebanks_report,
    "typology": typology,
    "curve": curve,
    "diff": diff,
    "consistency": consistency_session,
    "stats": partial(of_corpora, name="stats"),
    "wde": partial(of_corpora, name="wde"),
    "find": find_in_files,
}

LARGE_TASKS: dict[str, Callable[[Inputs], Task]] = {
    "brackets-300000": partial(brackets, n=MANY_TREES),
    "links-6000000": partial(links, n=MANY_LINKS),
    "diff-1500000": partial(diff, words=DIFF_WORDS),
}
"""Those that take minutes, beside slow peers."""


def _n_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _load(inputs: Inputs, path: Path, *options: str) -> Command:
    """Load into a new database; what makes room for it is the same process before it becomes treesql."""
    database = inputs.folder / "new.duckdb"
    command = shlex.join(measure.treesql("load", database, path, *options))
    return ["/bin/sh", "-c", f"rm -f {shlex.quote(str(database))}; exec {command}"]


def rows(task: Task, commands: Mapping[str, Command], costs: Mapping[str, Cost]) -> Iterator[list[str]]:
    """A row for the command, and one for each of its peers, with ratios to the command."""
    command = costs[task.what]
    for name, cost in costs.items():
        first = name == task.what
        yield [
            name if first else f"— {name}", f"{task.units:,} {task.unit}" if first else "", f"{cost.cpu:.2f}",
            f"{cost.wall:.2f}", f"{cost.peak:.0f}", f"{task.units / cost.cpu:,.0f}",
            "" if first else f"{cost.cpu / command.cpu:.1f}", "" if first else f"{cost.wall / command.wall:.1f}",
            f"`{_shown(commands[name])}`",
        ]  # fmt: skip


def _shown(command: Command) -> str:
    """A command as one would type it: files by their names alone."""
    words = command[2].rpartition("exec ")[2].split() if command[:2] == ["/bin/sh", "-c"] else list(command)
    shown = shlex.join(Path(word).name if "/" in word else word for word in words)
    return shown.removeprefix("env ").replace("|", "\\|")


HEADER = ["", "of", "CPU s", "wall s", "peak MB", "per CPU s", "times treesql, CPU", "times treesql, wall", "command"]


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
    known = {**TASKS, **LARGE_TASKS}
    chosen = given.only or [*TASKS, *(LARGE_TASKS if given.large else ())]
    print(measure.machine(), end="\n\n")
    print(measure.table(HEADER, []), end="", flush=True)
    failed: dict[str, str] = {}
    compared: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(given.data, Path(folder), given.words)
        for name in chosen:
            try:
                task = known[name](inputs)
                commands = {task.what: task.command, **peers.commands(task.peers, task.files, given.peer)}
                costs = measure.in_turn(commands, given.repetitions, one_core=False, failed=failed)
            except NotGiven as role:
                failed[name] = f"give --data {role}=FILE"
                continue
            except measure.CommandFailed as error:
                failed[name] = str(error).strip().rpartition("\n")[2]
                continue
            for row in rows(task, commands, costs):  # each as it is known: all of them take an hour
                print(f"| {' | '.join(row)} |", flush=True)
            compared.append(task.peers)
        print()
        if given.growth:
            growth(inputs, given.growth, given.repetitions)
    for name, line in failed.items():
        print(f"- not measured: {name} ({line})")
    absent = peers.missing(compared, given.peer)
    print("\n".join(f"- missing: {name} ({source})" for name, source in absent.items()) or "No peer is missing.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=_pair, action="append", default=[], metavar="ROLE=FILE")
    parser.add_argument("--peer", type=_pair, action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--only", nargs="+", choices=[*TASKS, *LARGE_TASKS])
    parser.add_argument("--large", action="store_true")
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
    measure.start(main, {"consistency": consistency})
