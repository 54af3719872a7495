"""Runs commands of every kind in the current folder and prints a digest of what each printed and of all files written.

python -m tests.house.every_command THREADS BLOCK EVERY TIMES: DuckDB with so many threads, blocks of files of so many
words, all commands (EVERY is 1) or every n-th of a name and those that write what they read, on fixtures so many
times over. All runs print the same lines, whatever THREADS, BLOCK and PYTHONHASHSEED are.
"""

from __future__ import annotations

import hashlib
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
from click.testing import CliRunner

from tests.conftest import FIXTURES

GOLD, A, B = "gold.conllu", "parser-a.conllu", "parser-b.conllu"
LINKS, LINKS_A = "links.pharaoh", "links-a.pharaoh"
TREES = "gold.mrg test.mrg"
PATHS = "reference.conllu hypothesis.conllu reference-hypothesis.align"
LATTICES = "lattices.plf --phrases"
REFERENCES = "-r lattices.txt -r lattices-2.txt"
PARALLEL = f"{GOLD} {A} {GOLD} {B} {LINKS} {LINKS_A}"
TABLES = ("relation_agreement", "relation_confusions", "upos_accuracy", "head_directions", "head_distances",
          "error_words", "error_contexts", "frame_confusions")  # fmt: skip
SEED = "--seed 7 --runs 300"

COMMANDS = f"""
score dependency {GOLD} {A} {B} --signature
score dependency {GOLD} {A} --ci --format csv
score dependency {GOLD} {A} --by newdoc
score dependency {GOLD} {A} --by upos --metric weighted_attachment --ci
score dependency {GOLD} {A} --by sentence --format csv
score dependency {GOLD} {A} --weights {B} --weights {GOLD} --format csv
score dependency {GOLD} {A} --errors
score dependency {GOLD} {A} --conll18 --format csv
score dependency {GOLD} {GOLD} --enhanced --format csv
score dependency {GOLD} raw.conllu --format csv
score dependency {GOLD} raw.conllu --conll18 --format csv
score dependency {GOLD} bad.conllu
score constituency {TREES} --with ted --with sentences --format csv
score constituency {TREES} --by sentence --format csv
score constituency {TREES} --evalb
score newick trees.nwk trees.nwk --rooting unrooted --format csv
score alignment {LINKS} {LINKS_A} --format csv
score alignment {LINKS} {LINKS_A} --with effort --format csv
score parallel {PARALLEL} --weight-a 0.3 --format csv
score paths {PATHS} --by sentence --format csv
score paths {PATHS} --errors
score trees reference.conllu hypothesis.conllu --costs aligned --alignment reference-hypothesis.align --format csv
score lattice {LATTICES} {REFERENCES} --ci --format csv
score lattice {LATTICES} {REFERENCES} --by sentence --format csv
score translation hypotheses.txt {REFERENCES} --format csv
score translation hypotheses.txt {REFERENCES} --errors
score alignment {LINKS} {LINKS_A} --table threshold_curve --format csv
score dependency {GOLD} {A} {B} --by upos --wide --format csv
compare dependency {GOLD} {A} {B} --metric las --metric wlas --metric exact_match {SEED}
compare dependency {GOLD} {A} {B} --metric wlas --stratum newdoc {SEED} --format csv
compare constituency gold.mrg --system a=test.mrg --system b=gold.mrg {SEED} --format csv
compare newick trees.nwk --system a=trees.nwk --system b=trees-2.nwk {SEED} --format csv
compare alignment {LINKS} --system a={LINKS_A} --system b=links-b.pharaoh {SEED} --format csv
compare parallel {GOLD} {GOLD} {LINKS} --system a={A},{B},{LINKS_A} --system b={B},{B},{LINKS_A} {SEED} --format csv
compare paths reference.conllu --system a=hypothesis.conllu,reference-hypothesis.align
    --system b=hypothesis.conllu,back.align {SEED} --format csv
compare lattice --system a=lattices.plf --system b=pruned.plf {REFERENCES} --phrases {SEED} --format csv
compare translation --system a=hypotheses.txt --system b=lattices-2.txt -r lattices.txt {SEED} --format csv
report dependency {GOLD} {A} {B} -o report.html --data report
report constituency gold.mrg test.mrg -o trees.html
report alignment {LINKS} --system a={LINKS_A} --system b=links-b.pharaoh -o links.html
report translation --system a=hypotheses.txt --system b=lattices-2.txt -r lattices.txt -o translations.html --seed 3
stats {GOLD} {A} --format csv
stats {GOLD} --relations --format csv
stats {GOLD} {A} --table consistency_checks --format csv
stats {GOLD} {A} --table all_checks --format csv
diff {GOLD} {A} --format csv --signature
diff {GOLD} {A} --by upos --format csv
diff {GOLD} {A} --changes --format csv
diff {GOLD} {A} --list
wde {GOLD} {A} {B} --format csv
wde {GOLD} {A} --vocabulary relation --forms lemma --long --format csv
wde {GOLD} {A} --chart wde.svg
score dependency {GOLD} {A} {B} --by sentence -o sentences.csv
correlate sentences.csv --chart heat.svg
typology gold-treebanks outputs -o typology
find {GOLD} "pattern {{ e: H -> X }}" --by e.label,X.upos --format csv
find {GOLD} "pattern {{ e: H -> X; X [Number] }}" --by X.Number --whether "H [upos=VERB]" --format csv
find {GOLD} "pattern {{ e: H -> X }}" --enhanced --columns e.label,X.form --format csv
find {GOLD} "pattern {{ V [upos=VERB]; V -> X }}" --kwic 3 --sort left --format csv
find {GOLD} "pattern {{ e: H -> X; H [upos] }}" --by H.upos,X.upos --association --format csv
find {GOLD} "pattern {{ e: H -> X; H [upos] }}" --by X.left(1),e.1 --grid --share column --format csv
find {GOLD} --request "nouns=pattern {{ X [upos=NOUN] }}" --request "verbs=pattern {{ X [upos=VERB] }}" --format csv
find {GOLD} "pattern {{ X [upos=NUON] }}"
find {GOLD} "pattern {{ X [upos=NOUN]; Y [upos=VERB]; X << Y }} without {{ X -[obj|nsubj]-> Z; Z [lemma] }}" --sql
find {GOLD} "pattern {{ X [upos=VERB] }}" --draw --limit 2
show {GOLD} 0 --system {A}
show gold.mrg 0
show {GOLD} 0 --aligned {GOLD} --links {LINKS} --system {LINKS_A} --grid
lattice oracle {LATTICES} {REFERENCES} --measure gper --format csv
lattice oracle {LATTICES} {REFERENCES} --measure bleu --corpus-bleu --format csv
lattice oracle {LATTICES} {REFERENCES} --measure score --edge-weights 0.5 --format csv
lattice prune {LATTICES} --criterion posterior --threshold 0.3 --scale 0.5 -o likely.jsonl --report csv
lattice prune {LATTICES} {REFERENCES} -o pruned.jsonl --report csv
lattice prune {LATTICES} {REFERENCES} --greedy -o greedy.jsonl --report csv
lattice curve lattices.plf pruned.plf --phrases {REFERENCES} --table points --format csv
lattice curve lattices.plf pruned.plf --phrases {REFERENCES} --metric best_bleu --edge-weights 1 --format csv
lattice curve {LATTICES} {REFERENCES} --table pruned --thresholds -2:2 --format csv --chart pruned.svg
lattice examples {LATTICES} {REFERENCES} -o examples.parquet
lattice fit examples.parquet -o arbiter.json
lattice apply arbiter.json {LATTICES} {REFERENCES} -o applied.jsonl
align symmetrise {LINKS} {LINKS_A} --source {GOLD} --target {GOLD} --method grow-diag -o links-both.pharaoh
score alignment {LINKS} links-a.pharaoh --by sentence --format csv
load t.duckdb {GOLD} --corpus gold
load t.duckdb {A} --corpus parser-a
load t.duckdb {LINKS} --corpus links --source-corpus gold --target-corpus gold
load t.duckdb lattices.plf --phrases --corpus lattices
score dependency gold parser-a --db t.duckdb --format csv
wde t.duckdb --format csv
stats t.duckdb --format csv
sql t.duckdb "FROM features"
sql t.duckdb "SELECT sentence, sum(gold_weight) AS w FROM weighted_attachment('gold', 'parser-a') GROUP BY 1 ORDER BY 1"
export t.duckdb set
export t.duckdb back.conllu --corpus gold
load t.duckdb {TREES} --corpus trees
export t.duckdb leaves.nwk --corpus trees --leaves numbered --delete-traces --collapse-unary
queries
queries attachment
"""
"""A command a line; a line that begins with blanks goes on."""


def chosen(every: int) -> list[str]:
    """The commands of a name (`score`, `find`) every n-th, with those that write what they read."""
    lines = re.sub(r"\n +", " ", COMMANDS).strip().splitlines()
    seen: Counter[str] = Counter()
    counted = []
    for line in lines:
        name = line.split()[0]
        counted.append("bad.conllu" in line or seen[name] % every == 0)
        seen[name] += 1
    found: list[str] = []
    for line, is_counted in reversed(list(zip(lines, counted, strict=True))):
        written = re.search(r"^load (\S+)| -o (\S+)", line)
        file = written and (written[1] or written[2])
        if is_counted or (file and any(f" {file} " in f"{other} " for other in found)):
            found.insert(0, line)
    return found


def main(threads: int, block: int, every: int, times: int) -> Iterator[str]:
    """A line for every command, with the digest of what it printed, and for every file."""
    from treesql.cli import group
    from treesql.evaluation import sources
    from treesql.readers import source

    connect = duckdb.connect

    def with_threads(*arguments: object, **options: object) -> duckdb.DuckDBPyConnection:
        connection = connect(*arguments, **options)  # type: ignore[arg-type]
        connection.execute(f"SET threads = {threads}")
        return connection

    duckdb.connect = with_threads  # type: ignore[assignment]
    sources.MIN_BLOCK_WORDS = block
    source.Source.chunks.__defaults__ = (16 * block, *(source.Source.chunks.__defaults__ or ())[1:])
    warnings.simplefilter("ignore")
    lay_files(times)
    for line in chosen(every):
        arguments = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        ran = CliRunner().invoke(group, arguments)
        told = f"{ran.output}\n{'' if ran.exception is None else f'{type(ran.exception).__name__}: {ran.exception}'}"
        Path("log").mkdir(exist_ok=True)
        (Path("log") / f"{hashlib.sha256(line.encode()).hexdigest()[:8]}.txt").write_text(f"{line}\n{told}")
        yield f"{hashlib.sha256(told.encode()).hexdigest()[:16]} {ran.exit_code} {line}"
    for path in sorted(Path().rglob("*")):
        timed = path.suffix == ".duckdb" or {"corpora", "_manifest"} & set(path.parts)  # they have times of loading
        if path.is_file() and not timed:
            yield f"{hashlib.sha256(path.read_bytes()).hexdigest()[:16]} file {path}"


def lay_files(times: int = 12) -> None:
    """The fixtures, each so many times over, and some changed, in the current folder."""
    for path in sorted(FIXTURES.glob("*.*")):
        text = path.read_text()
        Path(path.name).write_text("".join(_varied(text, at) for at in range(times)))
    gold = Path(GOLD).read_text()
    hello = "1\tHello\thello\tINTJ\tUH\t_\t0\troot\t0:root\tSpaceAfter=No\n2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t1:punct\t_\n"
    raw = "1\tHel\thel\tX\tUH\t_\t2\tdep\t_\tSpaceAfter=No\n2\tlo!\tlo\tINTJ\tUH\t_\t0\troot\t_\t_\n"
    Path("raw.conllu").write_text(gold.replace(hello, raw))
    Path("bad.conllu").write_text(gold.replace("\tnsubj\t", "\t\t", 3).replace("\tsat\t", "\tsat\tx\t", 2))
    Path("trees-2.nwk").write_text("\n".join(reversed(Path("trees.nwk").read_text().splitlines())) + "\n")
    Path("links-b.pharaoh").write_text(Path(LINKS).read_text().replace("p", "-"))
    links = Path("reference-hypothesis.align").read_text()
    Path("back.align").write_text(links.replace("0-3", "0-0"))
    Path("pruned.plf").write_text(Path("lattices.plf").read_text().replace("('hat',-1.2,1),", ""))
    for folder, files in (("gold-treebanks", (GOLD, A, B)), ("outputs", (B, GOLD, A))):
        for name, file in zip(("one", "two", "three"), files, strict=True):
            Path(folder).mkdir(exist_ok=True)
            Path(folder, f"{name}.conllu").write_text(Path(file).read_text())


def _varied(text: str, number: int) -> str:
    """A fixture with other names of sentences and documents, and, in CoNLL-U, other forms."""
    named = re.sub(r"(# (?:sent_id|newdoc id) = \S+)", rf"\1-{number}", text)
    return re.sub(r"\t(mat|cat|coffee|tea|hearing|drinks)\t", lambda one: f"\t{one[1]}{number**2 % 7}\t", named)


if __name__ == "__main__":
    for line in main(*map(int, sys.argv[1:])):
        print(line, flush=True)
