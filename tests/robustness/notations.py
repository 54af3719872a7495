"""All that treesql reads, with files to begin from: formats, tables of symbols, parameters, weights, requests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import treesql
from tests.conftest import FIXTURES
from tests.readers import files
from tests.readers.reading import Piecewise
from treesql import readers, writers
from treesql.errors import TimeLimit
from treesql.readers import Options, State
from treesql.readers.lattices import graphs
from treesql.scoring import evalb_parameters, relation_tables

Read = Callable[[Path, int, Options], object]
"""Called with a file, the bytes read at a time, and options; what comes of it must not depend on the second."""

PARQUET = "parquet"


@dataclass(frozen=True)
class Notation:
    """What is read: seeds to make inputs from, how it is read, and options, one of which is taken.

    form: the format that `load` takes, None for what is no corpus. writes: whether it can be written in it.
    """

    seeds: tuple[bytes, ...]
    read: Read
    form: str | None = None
    writes: bool = False
    options: tuple[Mapping[str, Any], ...] = field(default=({},))


def _tables(form: str) -> Read:
    def read(path: Path, size: int, options: Options) -> object:
        tables: dict[str, list[dict[str, Any]]] = {}
        state = State()
        for batch in readers.read(Piecewise(str(path), size), form, state, options):
            for name, rows in batch.items():
                rows.validate(full=True)
                tables.setdefault(name, []).extend(rows.to_pylist())
        sentences = tables.get("sentences", [])
        assert len(sentences) == state.sentences
        assert sum(row["n_words"] for row in sentences) == len(tables.get("words", []))
        return tables, [str(warning) for warning in state.warnings]

    return read


_LISTS = (
    b"utt-a-1 the cat\nutt-a-2\nutt-b-1 x\n",
    b'{"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2, "features": {"lm": -1}}]}\n',
)


def _fixtures(*names: str) -> tuple[bytes, ...]:
    return tuple((FIXTURES / name).read_bytes() for name in names)


_PHARAOH = b"0-0 1-2 2p1\n\n0?3 12-1:P 4-4:S\n"
_WPT = b"0001 1 1 S\n1 2 1 p 0.5\n3 4 5\n3 0 1 1e-3\n"
_LATTICES = {form: text.encode() for form, text in files.LATTICE_FILES.items()}
_LOOSE = ({}, {"permissive": True}, {"strict": True})
_EVALB = b"DEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\n# a\nDELETE_LABEL TOP\nEQ_LABEL ADVP PRT\nEQ_WORD a b\n"
_REQUESTS = (
    b'pattern { V [upos=VERB]; e: V -[1=nsubj]-> S } without { V -[obj]-> O }',
    b"pattern { X [lemma=\"be\"|re\"ha.*\", !Number]; X -[^punct|det]-> Y; X << Y; Y.form <> X.form }",
    b"global { is_projective; sent_id = re\"a.*\" } pattern { * -> X; X.Number = Y.Number; X >> Y; id: X[form=/a/i] }",
)  # fmt: skip


def _read_symbols(path: Path, size: int, options: Options) -> object:
    return graphs.read_symbols(str(path))


def _read_evalb(path: Path, size: int, options: Options) -> object:
    parameters = evalb_parameters.read_parameters(path)
    return parameters, parameters.rows


def _read_weights(path: Path, size: int, options: Options) -> object:
    return relation_tables.read_weights(str(path))


def _read_classes(path: Path, size: int, options: Options) -> object:
    engine = _database().engine
    relation_tables.install_classes(engine, str(path))
    return engine.rows("SELECT c.relation, c.class FROM relation_classes AS c ORDER BY c.relation, c.class")


def _read_request(path: Path, size: int, options: Options) -> object:
    """Read a request, and find its first matches in a treebank."""
    request = path.read_bytes().decode("utf-8", "replace")
    try:
        _database().find(request, corpus="gold", limit=3, timeout=2)
    except TimeLimit:
        return None
    return None


@cache
def _database() -> treesql.Database:
    db = treesql.connect()
    db.load(FIXTURES / "gold.conllu", corpus="gold")
    return db


def _read_parquet(path: Path, size: int, options: Options) -> object:
    """Load a data set, one of whose files has these bytes: that which the first byte says."""
    data = path.read_bytes()
    files = _data_set()
    with tempfile.TemporaryDirectory() as name:
        for at, (file, own) in enumerate(files.items()):
            place = Path(name) / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data[1:] if data[:1] == bytes([at % 256]) else own)
        _database().load(name, replace=True)
    return None


@cache
def _data_set() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as name, treesql.connect() as db:
        files = ("gold.conllu", "gold.mrg", "links.pharaoh", "lattices.plf", "expressions.conllup")
        for corpus, file in zip("abcde", files, strict=True):
            db.load(FIXTURES / file, corpus=corpus)
        written = db.export(Path(name) / "set")
        return {str(file.relative_to(name)): file.read_bytes() for file in sorted(written)}


def _parquet_seeds() -> tuple[bytes, ...]:
    return tuple(bytes([at]) + data for at, data in enumerate(_data_set().values()))


@cache
def notations() -> dict[str, Notation]:
    """All notations by name."""
    return text_notations() | {PARQUET: Notation(_parquet_seeds(), _read_parquet)}


@cache
def text_notations() -> dict[str, Notation]:
    """All but data sets, whose seeds have to be written."""
    conllu = (*_fixtures("gold.conllu", "parser-a.conllu"), files.CONLLU.encode())
    found = {
        "conllu": Notation(conllu, _tables("conllu"), "conllu", writes=True, options=_LOOSE),
        "conllup": Notation(
            _fixtures("expressions.conllup", "reordered.cupt"),
            _tables("conllup"),
            "conllup",
            writes=True,
            options=_LOOSE,
        ),
        "conllx": Notation(
            (files.TEN_COLUMNS.encode(), files.EIGHT_COLUMNS.encode()), _tables("conllx"), "conllx", options=_LOOSE
        ),
        "penn": Notation(_fixtures("gold.mrg", "test.mrg"), _tables("penn"), "penn", writes=True, options=_LOOSE),
        "trn": Notation((b"the cat (utt-1)\n;; a comment\n\na dog (utt-2)\n(utt-3)\n",), _tables("trn"), "trn"),
        "text": Notation(
            ("the  cat\n\n\tsat\u00a0here \n".encode(), *_fixtures("lattices.txt")),
            _tables("text"),
            "text",
            options=({}, {}, {"ids": "first"}, {"ids": "last"}),
        ),
        "pharaoh": Notation((_PHARAOH, *_fixtures("links.pharaoh")), _tables("pharaoh"), "pharaoh", writes=True),
        "nbest": Notation((*_fixtures("lists.nbest"), *_LISTS), _tables("nbest"), "nbest"),
        "nbest_lattice": Notation(_fixtures("lists.nbest"), _tables("nbest_lattice"), "nbest_lattice"),
        "talp": Notation((b"1-1 2-2 2-2\n3p1",), _tables("talp"), "talp"),
        "wpt": Notation((_WPT,), _tables("wpt"), "wpt", writes=True),
        "giza": Notation((files.GIZA,), _tables("giza"), "giza"),
        "plf": Notation((_LATTICES["plf"], *_fixtures("lattices.plf")), _tables("plf"), "plf", writes=True),
        "plf-phrases": Notation(_fixtures("lattices.plf"), _tables("plf"), "plf", options=({"phrases": True},)),
        "slf": Notation((_LATTICES["slf"],), _tables("slf"), "slf"),
        "openfst": Notation((_LATTICES["openfst"],), _tables("openfst"), "openfst", writes=True),
        "kaldi": Notation((_LATTICES["kaldi"],), _tables("kaldi"), "kaldi"),
        "jsonl": Notation((_LATTICES["jsonl"],), _tables("jsonl"), "jsonl", writes=True),
        "symbols": Notation((files.SYMBOLS.encode(),), _read_symbols),
        "evalb": Notation((_EVALB,), _read_evalb),
        "weights": Notation((b"relation,weight\nnsubj,0.5\nobj,1\n", b"# a\nnsubj 0.5\nobj 1\n"), _read_weights),
        "classes": Notation((b"relation,class\nnsubj,content\ncase,function\n",), _read_classes),
        "request": Notation(_REQUESTS, _read_request),
    }
    return found | {form: _from_fixtures(form) for form in readers.formats() if form not in {*found, PARQUET}}


def _from_fixtures(form: str) -> Notation:
    """A format of which nothing more is known: its seeds are the fixtures with its endings."""
    suffixes = readers.formats()[form].suffixes
    names = sorted(path.name for path in FIXTURES.iterdir() if path.name.endswith(suffixes))
    assert names, f"add a small file to fixtures/ whose name ends in {' or '.join(suffixes)}"
    return Notation(_fixtures(*names), _tables(form), form, writes=form in writers.formats())


def options_of(notation: Notation, random: Random) -> Options:
    """One of the options that a notation is read with."""
    return Options(**random.choice(notation.options))
