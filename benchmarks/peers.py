"""The programs that treesql's commands are compared with: how each is called, and where to get it."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from measure import Command


@dataclass(frozen=True)
class Peer:
    """A program. task: the task that it is compared in; arguments: what follows its command, files in braces by role.

    program: as it is found in the PATH; module: of Python, if it is one. source: where to get it.
    """

    name: str
    task: str
    arguments: str
    source: str
    program: str | None = None
    module: str | None = None
    code: str | None = None


LOAD, CHECK, LAS, TABLE, BRACKETS, LINKS = "load", "check", "las", "conll18", "brackets", "links"
SPEECH, TRANSLATIONS, TOKENISED_TRANSLATIONS = "speech", "translations", "tokenised translations"

PEERS = (
    Peer(
        "pyconll", CHECK, "{file}", "pip install pyconll", module="pyconll",
        code="import sys; from pyconll.load import iter_from_file; [None for _ in iter_from_file(sys.argv[1])]",
    ),
    Peer(
        "conllu", CHECK, "{file}", "pip install conllu", module="conllu",
        code="import sys; from conllu import parse_incr; [None for _ in parse_incr(open(sys.argv[1]))]",
    ),
    # The command collects no garbage, and takes a third of the time of `Document(file)`.
    Peer("udapy", LOAD, "read.Conllu files={file}", "pip install udapi", program="udapy"),
    Peer("udapy", CHECK, "read.Conllu files={file}", "pip install udapi", program="udapy"),
    Peer(
        "udpipe", CHECK, "{file}", "pip install ufal.udpipe", module="ufal.udpipe",
        code="import sys; import ufal.udpipe as u; r = u.InputFormat.newConlluInputFormat(); "
        "r.setText(open(sys.argv[1], encoding='utf-8').read()); s = u.Sentence(); e = u.ProcessingError()\n"
        "while r.nextSentence(s, e): pass\n"
        "if e.occurred(): sys.exit(e.message)",
    ),
    Peer("eval07.pl", LAS, "-q -g {gold_lines} -s {system_lines}", "the shared task of CoNLL 2007; needs perl"),
    Peer("conll18_ud_eval.py", LAS, "-v {gold} {system}", "universaldependencies.org/conll18"),
    Peer(
        "udeval", LAS, "--no-enhanced --multiple-roots-okay -v {gold} {system}", "pip install udtools", program="udeval"
    ),
    Peer("conll18_ud_eval.py", TABLE, "-v {gold} {system}", "universaldependencies.org/conll18"),
    Peer(
        "evalb", BRACKETS, "-p {parameters} -e 1000000 {gold} {system}", "nlp.cs.nyu.edu/evalb, built with -O2",
        program="evalb",
    ),
    Peer("aer.py", LINKS, "{gold} {system}", "github.com/lilt/alignment-scripts"),
    Peer("wa_eval_align.pl", LINKS, "{gold_wpt} {system_wpt}", "the shared task of WPT 2003; needs perl"),
    Peer("jiwer", SPEECH, "-r {reference} -h {hypothesis}", "pip install jiwer", program="jiwer"),
    Peer(
        "jiwer.wer", SPEECH, "{reference} {hypothesis}", "pip install jiwer", module="jiwer",
        code="import sys, jiwer; r, h = (open(f).read().splitlines() for f in sys.argv[1:]); print(jiwer.wer(r, h))",
    ),
    Peer(
        "sacrebleu", TRANSLATIONS, "{reference} -i {hypothesis} -m bleu --tokenize none", "pip install sacrebleu",
        program="sacrebleu",
    ),
    Peer(
        "sacrebleu", TOKENISED_TRANSLATIONS, "{reference} -i {hypothesis} -m bleu", "pip install sacrebleu",
        program="sacrebleu",
    ),
)  # fmt: skip


def commands(task: str, files: Mapping[str, object], given: Mapping[str, str]) -> dict[str, Command]:
    """The commands of those peers of a task that are here, by name. given: commands of peers by name."""
    return {peer.name: command for peer in PEERS if peer.task == task and (command := _command(peer, files, given))}


def missing(tasks: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Where to get those peers of some tasks that are not here, by name."""
    return {peer.name: peer.source for peer in PEERS if peer.task in tasks and not _start(peer, given)}


def _command(peer: Peer, files: Mapping[str, object], given: Mapping[str, str]) -> Command | None:
    start = _start(peer, given)
    # Not by the Python of this process alone, whose commands report measurements of their own.
    return ["/usr/bin/env", *start, *peer.arguments.format_map(files).split()] if start else None


def _start(peer: Peer, given: Mapping[str, str]) -> list[str]:
    """The beginning of a peer's command; empty where it is not here."""
    if peer.name in given:
        return shlex.split(given[peer.name])
    if peer.program is not None:
        program = shutil.which(
            peer.program, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        )
        return [program] if program else []
    if peer.module is not None and peer.code is not None and _is_installed(peer.module):
        return [sys.executable, "-c", peer.code]
    return []


def _is_installed(module: str) -> bool:
    """Whether a module can be imported; the package that it is in may be missing as well."""
    with suppress(ModuleNotFoundError):
        return importlib.util.find_spec(module) is not None
    return False
