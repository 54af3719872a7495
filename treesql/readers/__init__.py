"""Readers: one module per file format, files in, Arrow batches of schemas/ out. They know nothing of DuckDB.

A format is a module of this package, in the folder of what it holds, with `SUFFIXES` (the endings of its files), `KIND`
(of its corpora, of catalog.kinds.KINDS) and `read(source, state, options)`. Formats of lattices and n-best lists have
`SCORE_SENSES`, what their scores may be, of catalog.kinds; the first where nothing is declared. These constants are
literals on one line, so that they are found without importing the module: `--from` takes its name. samples/ has a small
file of each format whose kernels take long to compile, which reaches them all. A format whose small files can be read
at once has `text_to_join(source, options)` and `read_together(texts, options, state)`, see conllu. Files of unknown
endings are recognised by their first lines.
"""

from __future__ import annotations

import hashlib
import importlib
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from treesql.catalog.kinds import COST, LOG_LIKELIHOOD, SENSES, USUAL, FileFormat, formats_in
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError
from treesql.readers.source import (
    PACKED_ENDINGS,
    UNITS,
    Content,
    FileLayout,
    Source,
    is_readable_file,
    size_of,
    without_packed_ending,
)
from treesql.runtime.failures import with_checked_arguments

if TYPE_CHECKING:
    import pyarrow as pa


Batch = Mapping[str, "pa.RecordBatch"]
"""Rows for tables of schemas/, by table name; without the columns that are computed at load, and without `corpus`."""


PARQUET = "parquet"
CONLLU, CONLLU_PLUS = "conllu", "conllup"

MAX_LINES_BEFORE = 3
"""Maximum line, not counting comments before it, of the first fault of a file that is said to be of another format."""

DEPENDENCY = "dependency"
"""The kind of dependency treebanks."""

TEXT = "text"
"""The format of plain texts, and their kind."""

CTM, STM = "ctm", "stm"
"""The formats of words and of segments with times."""

NBEST = "nbest"
"""The format of n-best lists, which recognises their notations itself, and their kind."""

ALIGNMENT, LATTICE = "alignment", "lattice"
"""The kinds of links between words, and of lattices."""

WITHOUT_WORDS = (ALIGNMENT, LATTICE, NBEST)
"""Kinds of corpora that have no rows of words."""

FIRST, LAST, NONE = IDS = ("first", "last", "none")
"""Where ids of plain texts stand: the first or last word of every line, or nowhere."""


GROUP_BYTES = 1 << 20
"""Maximum size of small files that are read at once, together. Their rows wait in memory until all are read."""

GROUP_FILES = 256
"""Maximum number of files that are read at once."""

BYTES_PER_WORD = 16
"""One size bounds the bytes of a sentence, tree or lattice, and its words, edges or links, one for this many bytes, so
that a damaged or hostile file cannot take all memory."""

_LARGEST_MAX = 1 << 31
"""Offsets into a chunk of a file are of 32 bits."""

_max_sentence = ContextVar("max_sentence", default=16 << 20)


def default_max_sentence() -> int:
    """Maximum number of bytes of a sentence by default."""
    return _max_sentence.get()


@with_checked_arguments
@contextmanager
def max_sentence(size: int | str | None) -> Iterator[None]:
    """Within this block, the maximum size of a sentence, tree or lattice is this one where none is named.

    size: a number of bytes, or a size such as "64MB", with a word or edge for every 16 of them; None for no change.
    Raises UsageError.
    """
    token = _max_sentence.set(default_max_sentence() if size is None else parse_max_sentence(size))
    try:
        yield
    finally:
        _max_sentence.reset(token)


def parse_max_sentence(text: str | int) -> int:
    """A number of bytes, such as `64MB`, `500 kB`, `1g` or `4096`; units are powers of 1024. Raises UsageError."""
    match = re.fullmatch(r"([0-9]{1,10})\s*([kmg]?)i?b?", str(text).strip(), re.IGNORECASE | re.ASCII)
    size = int(match[1]) * UNITS[match[2].lower()] if match else 0
    if not 0 < size < _LARGEST_MAX:
        raise UsageError(f"the largest sentence cannot be {text!r}; write a size below 2 GB, such as 64MB")
    return size


@dataclass(frozen=True)
class Notation:
    """How links between words are written: the number of a sentence's first word (None: as the format has it), whether
    the target word stands first, whether links to the empty word are kept; and the corpora that the words are of."""

    base: int | None = None
    reverse: bool = False
    null_links: bool = False
    source_corpus: str | None = None
    target_corpus: str | None = None


@dataclass(frozen=True)
class Options:
    """How to read: what is refused, and which columns are read (None: all of every table).

    phrases: whether the label of a lattice edge is split at blanks into words; symbols: the file with the words of the
    numbers in OpenFst's and Kaldi's lattices; max_sentence: maximum number of bytes of a sentence, tree or lattice,
    which also bounds its words (see BYTES_PER_WORD); scores: what the scores of PLF, JSON lines and n-best lists are,
    of SENSES (None: as the format has it). ids: where those of a plain text are, of IDS (None: nowhere, with a warning
    where words look like ids); `none` leaves out those of any format. last_rank: how many of the first hypotheses of
    an n-best list are kept, 0: all. segments: the `.stm` file that words with times are cut by.
    """

    permissive: bool = False
    strict: bool = False
    columns: Mapping[str, frozenset[str]] | None = None
    notation: Notation = Notation()
    phrases: bool = False
    symbols: str | None = None
    max_sentence: int = field(default_factory=default_max_sentence)
    scores: str | None = None
    ids: str | None = None
    last_rank: int = 0
    segments: str | None = None

    def wants(self, table: str, column: str | None = None) -> bool:
        """Whether a table, or a column of it, is to be read."""
        if self.columns is None:
            return True
        return table in self.columns and (column is None or column in self.columns[table])


@dataclass
class State:
    """The state of reading a corpus, over all its files.

    labels: the labels and tags of constituency trees, and the number of each. cyclic: whether sentences were taken
    whose heads form a cycle. ids: the names of its lattices; sent_ids: the keys of those of its sentences.
    stored_corpus: the corpus whose rows the reader of Parquet reads, where files have those of others. layouts: of its
    files, in order.
    """

    sentences: int = 0
    characters: int = 0
    labels: dict[bytes, int] = field(default_factory=dict)
    cyclic: bool = False
    ids: set[str] = field(default_factory=set)
    sent_ids: Any = None
    stored_corpus: str | None = None
    layouts: list[FileLayout] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


def formats() -> Mapping[str, FileFormat]:
    """All formats that are read, by name: sorted by kind."""
    return formats_in(__path__[0])


def samples() -> dict[str, list[str]]:
    """The files in samples/ of every format that has some there, one for each notation, by the format's name."""
    paths_of_format: dict[str, list[str]] = {}
    for path in sorted((Path(__file__).parent / "samples").iterdir()):
        paths_of_format.setdefault(path.name.split(".")[0], []).append(str(path))
    return paths_of_format


def endings_in_folders(kind: str | None = None, form: str | None = None) -> list[str]:
    """The endings of the files that are taken from a folder: of a format, else of a kind, else of all but texts, which
    in folders of treebanks are notes and licences. Raises UnknownName."""
    if form is not None:
        return list(formats()[format_of([], form)].suffixes)
    taken = [
        file_format
        for file_format in formats().values()
        if (file_format.kind != TEXT if kind is None else file_format.kind == kind)
    ]
    return [ending for file_format in taken for ending in file_format.suffixes]


def reader_module(name: str) -> ModuleType:
    """The module of a format."""
    return importlib.import_module(f"{__name__}.{formats()[name].module}")


def kind(form: str) -> str:
    """The kind of a format's corpora, of catalog.kinds.KINDS; ANY_KIND for data sets."""
    return formats()[form].kind


def score_sense(form: str, declared: str | None = None) -> str | None:
    """What the scores of a format's edges are, of SENSES; None for formats without lattices.

    declared: what the user says that they are. Raises UnknownName, UsageError where the format says otherwise.
    """
    senses = formats()[form].score_senses
    if declared is None or declared in senses:
        return declared or next(iter(senses), None)
    if declared not in SENSES:
        raise UnknownName("kind of scores", declared, SENSES)
    if not senses:
        raise UsageError(f"--scores is for lattices and n-best lists; {form} files have no scores")
    senses_of_format = score_sense_in_words(senses[0])
    raise UsageError(f"the scores of {form} files are {senses_of_format}; --scores is for plf, jsonl and nbest")


def score_sense_in_words(sense: str) -> str:
    """A sense of scores in words."""
    return {COST: "costs", LOG_LIKELIHOOD: "log-likelihoods"}[sense]


def check_options(form: str, options: Options) -> None:
    """Raises UsageError where an option does not apply to files of a format."""
    score_sense(form, options.scores)
    if options.ids not in (None, *IDS):
        raise UnknownName("place of ids", options.ids, IDS)
    if options.ids in (FIRST, LAST) and form != TEXT:
        raise UsageError(f"--ids {options.ids} is for plain texts, and these are {form} files")
    if options.ids == NONE and form == PARQUET:
        raise UsageError("--ids is for texts and other files; a data set keeps the ids that it has")


def describe_kind(kind: str) -> str:
    """The content of a kind of corpora in words."""
    contents = {
        "alignment": "links between words",
        "lattice": "lattices",
        TEXT: "words without trees",
        NBEST: "n-best lists",
    }
    return contents.get(kind, f"{kind} trees")


def format_of(paths: Iterable[str], name: str | None, kind: str | None = None) -> str:
    """The format of this name, else that of the files' endings or content. Raises UnknownName, UsageError where
    files are of several formats, InvalidInput where nothing says which one a file is of.

    kind: the expected kind of corpus, where that is known. A plain text is one by its ending only where no other file
    says otherwise and no other kind is wanted.
    """
    paths = list(paths)
    known = next((path.form for path in paths if isinstance(path, Content) and path.form is not None), None)
    if known is not None:
        return known
    if name is not None:
        if name not in formats():
            raise UnknownName("format", name, formats())
        return _as_kind(name, kind)
    if kind == NBEST and not any(path.endswith(f".{PARQUET}") for path in paths):
        return NBEST
    path_of_format = {form: path for path in reversed(paths) if (form := _format_of_file(path))}
    if len(path_of_format) > 1 or kind not in (None, TEXT):
        path_of_format.pop(TEXT, None)
    alike = {other for form in path_of_format for other in ALIKE.get(form, ())}
    for path in [] if kind == TEXT else paths:
        form = None if format_of_ending(path) else _format_of_content(path, kind)
        if form is not None and form not in alike:
            path_of_format.setdefault(form, path)
    if len(path_of_format) > 1:
        described = ", ".join(f"{path} is {form}" for form, path in sorted(path_of_format.items()))
        hint = "give those of one format at a time, or name the format with --from"
        raise UsageError(f"the files are of several formats ({described}); {hint}")
    if not path_of_format and kind is None and paths and is_readable_file(paths[0]):
        what = "neither its ending nor its content says which format it is"
        raise InvalidInput([Diagnostic.error(paths[0], 0, what, f"name one with --from: {', '.join(formats())}")])
    return _as_kind(next(iter(path_of_format), USUAL[kind or DEPENDENCY]), kind)


def _as_kind(form: str, kind: str | None) -> str:
    """The format that reads the files of a format as corpora of another kind, FORMAT_KIND; without one, the format."""
    other = f"{form}_{kind}"
    return other if other in formats() else form


def _format_of_file(path: str) -> str | None:
    """The format of a file's ending, or of its first line if that names other columns than those of CoNLL-U."""
    form = format_of_ending(path)
    if form == CONLLU and is_readable_file(path):
        try:
            head = Source(path, digest=False).peek()
        except InvalidInput:  # which is reported when the file is read
            return form
        if recognise_format(head) == CONLLU_PLUS:
            return CONLLU_PLUS
    return form


def _format_of_content(path: str, kind: str | None) -> str | None:
    """The format that a file looks like, if it is of the kind that is expected (None: any).

    Raises InvalidInput for what is no text format.
    """
    if not is_readable_file(path):
        return None
    form = recognise_format(Source(path, digest=False).peek())
    return form if form is not None and kind in (None, formats()[form].kind) else None


def check_corpus(form: str, path: str, state: State) -> None:
    """Check a corpus as a whole after all its files were read. path: the file in errors. Raises InvalidInput."""
    if hasattr(reader_module(form), "check_corpus"):
        reader_module(form).check_corpus(path, state)


def without_ending(name: str) -> str:
    """The name of a file without the endings of compression and of a format; empty if it is nothing else."""
    plain = without_packed_ending(name)
    endings = [end for file_format in formats().values() for end in file_format.suffixes if plain.endswith(end)]
    return plain.removesuffix(max(endings, key=len, default=""))


def format_of_ending(path: str) -> str | None:
    """The format with the longest ending that a path has, `.fst.txt` being more than `.txt`; None if it has none."""
    if isinstance(path, Content):
        return None
    plain = without_packed_ending(path)
    endings = [
        (len(end), file_format.name)
        for file_format in formats().values()
        for end in file_format.suffixes
        if plain.endswith(end)
    ]
    return max(endings)[1] if endings else None


def read(source: Source, form: str, state: State, options: Options) -> Iterator[Batch]:
    """The rows of one file. Raises InvalidInput at the end, with up to 20 faults; earlier rows are invalid then."""
    state.layouts.append(source.layout)
    try:
        yield from reader_module(form).read(source, state, options)
    except InvalidInput as error:
        raise _error_of_format(source, form, error) from None
    if form == TEXT and (recognised := recognise_format(source.head)) in NEVER_TEXT:
        what = f"this looks like {recognised}, and every line is read as a sentence"
        state.warnings.append(Diagnostic.warning(source.name, 0, what, f"read it with --from {recognised}"))
    warning = source.layout.warning(source.name)
    if warning:
        state.warnings.append(warning)


Reading = tuple[Sequence[Source], Iterator[Batch]]
"""A file, or small ones that are read at once, and their rows."""


def read_files(
    paths: Sequence[str], form: str, state: State, options: Options, progress: Callable[[int], object] | None = None
) -> Iterator[Reading]:
    """The files of a corpus in their order, with the rows of each as `read` yields them; small ones are read at once.

    All rows have to be taken before the next files. progress: called with the number of bytes read since the last call.
    """
    for group in _small_together(paths, form):
        if len(group) > 1:
            yield from _SmallFiles(group, form, state, options, progress).read()
        else:
            source = Source(group[0], progress)
            yield [source], read(source, form, state, options)


def _small_together(paths: Sequence[str], form: str) -> Iterator[list[str]]:
    """Files in their order: one, or small ones that may be read at once."""
    group: list[str] = []
    size = 0
    joins = len(paths) > 1 and hasattr(reader_module(form), "read_together")
    for path in paths:
        small = joins and is_readable_file(path) and not path.endswith(PACKED_ENDINGS)
        n_bytes = size_of(path) if small else GROUP_BYTES
        if group and (size + n_bytes > GROUP_BYTES or len(group) == GROUP_FILES):
            yield group
            group, size = [], 0
        group.append(path)
        size += n_bytes
    if group:
        yield group


@dataclass(frozen=True)
class _SmallFiles:
    """Small files of a corpus: those of which there is nothing to say are read at once, the others alone."""

    paths: Sequence[str]
    form: str
    state: State
    options: Options
    progress: Callable[[int], object] | None
    sources: dict[str, Source] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)

    def read(self) -> Iterator[Reading]:
        """The files in their order, as for `read_files`."""
        for path in self.paths:
            source = Source(path)
            try:
                text = reader_module(self.form).text_to_join(source, self.options)
            except InvalidInput:  # which is reported when the file is read alone
                continue
            if text is not None:
                self.sources[path], self.texts[path] = source, text
        yield from self._read_runs(self.paths, self.texts.keys())

    def _read_runs(self, paths: Iterable[str], joinable: Collection[str]) -> Iterator[Reading]:
        """Files in their order, runs of those that may be read at once together."""
        for together, run in itertools.groupby(paths, key=joinable.__contains__):
            if together:
                yield from self._read_run(list(run))
                continue
            for path in run:
                source = Source(path, self.progress)
                yield [source], read(source, self.form, self.state, self.options)

    def _read_run(self, paths: Sequence[str]) -> Iterator[Reading]:
        texts = {path: self.texts[path] for path in paths}
        joined = reader_module(self.form).read_together(texts, self.options, self.state) if len(paths) > 1 else None
        if joined is not None and len(joined.names) == len(paths):
            yield [self.sources[path] for path in paths], self._rows(joined)
        else:
            yield from self._read_runs(paths, () if joined is None else joined.names)

    def _rows(self, joined: Any) -> Iterator[Batch]:
        yield joined.rows
        joined.add_to(self.state)
        self.state.layouts += [self.sources[path].layout for path in joined.names]
        if self.progress is not None:
            self.progress(sum(len(self.texts[path]) for path in joined.names))


def _error_of_format(source: Source, form: str, error: InvalidInput) -> InvalidInput:
    """One error for a file that fails at its beginning and looks like another format; else its own errors."""
    recognised, first = recognise_format(source.head), error.faults[0]
    last = MAX_LINES_BEFORE + comments_before(source.head)
    alike = form in ALIKE.get(str(recognised), ()) and not (recognised == CONLLU and RANGE_ID.match(first.what))
    if recognised in (None, form) or alike or not (0 < first.line <= last or RANGE_ID.match(first.what)):
        return error
    what = f"this does not look like {form}: {first.what}; it looks like {recognised}"
    return InvalidInput(
        [Diagnostic.error(source.name, first.line, what, f"read it with --from {recognised}", first.column)]
    )


CHANGES_ROWS: Mapping[str, tuple[str, ...]] = {
    "base": (),
    "ids": (),
    "null_links": (),
    "permissive": (),
    "phrases": ("plf",),
    "reverse": (),
    "scores": ("jsonl", "nbest", "nbest_lattice", "plf"),
    "segments": ("ctm", "stm"),
    "symbols": ("kaldi", "openfst"),
}
"""Options with which one file gives other rows, and the formats that take them; none: every format that can."""

CHANGES_NOTHING = frozenset(
    {"columns", "last_rank", "max_sentence", "notation", "source_corpus", "strict", "target_corpus"}
)
"""Options that refuse files, leave out columns or hypotheses that nothing reads, or name corpora: where rows are read,
they say the same."""


def reading(form: str, options: Options, state: State) -> str:
    """The options that changed the rows of a corpus, in alphabetical order: `base:1 reverse`; empty if none did.

    form: the format read. state: what reading has met; `permissive` is said of corpora with cycles alone, which are
    refused without it. A table of symbols, or of segments, is cited by the first digits of its SHA-256.
    """
    values = {option.name: getattr(options, option.name) for option in fields_of(Options)}
    values |= {option.name: getattr(options.notation, option.name) for option in fields_of(Notation)}
    defaults = {option.name: option.default for kind in (Options, Notation) for option in fields_of(kind)}
    values |= {"permissive": state.cyclic, "base": None if values["base"] == usual_base(form) else values["base"]}
    given = {
        name: value
        for name, value in values.items()
        if name in CHANGES_ROWS and value != defaults[name] and form in (CHANGES_ROWS[name] or (form,))
    }
    return " ".join(name if value is True else f"{name}:{_cited(name, value)}" for name, value in sorted(given.items()))


def usual_base(form: str) -> int | None:
    """The number of a sentence's first word in files of a format if nothing else is said; None where none is known."""
    base: int | None = getattr(reader_module(form), "BASE", None)
    return base


def _cited(name: str, value: object) -> str:
    if name in ("symbols", "segments"):
        data = value.data if isinstance(value, Content) else Path(str(value)).read_bytes()
        return hashlib.sha256(data).hexdigest()[:6]
    return str(value)


_NODE_LINE = re.compile(r"\d+(?:[-.]\d+)?\t")
_LINKS = re.compile(r"\d+[-p?]\d+(?::[SP\d.]+)?(?: \d+[-p?]\d+(?::[SP\d.]+)?)*\s*")
_WPT_LINE = re.compile(r"\d+\s+\d+\s+\d+\s+[SP](?:\s+[\d.]+)?\s*")
_BY_BEGINNING = [
    ("tigerxml", re.compile(r"(?:<\?xml\b[^<]*)?\s*(?:<[?!][^<]*)*<corpus[\s>]")),
    ("giza", re.compile(r"# Sentence pair \(")),
    ("wordpairs", re.compile(r"[^\n|]* \|\|\| [^\n|]* \|\|\| [^\n|]*<sep>")),
    ("nbest", re.compile(r"\d+ \|\|\| ")),
    ("jsonl_alignment", re.compile(r"\{[^\n]*\"(?:links|alignment)\": *\[")),
    ("nbest", re.compile(r"\{[^\[\n]*\"(?:hypotheses|nbest)\": *\[")),
    ("export", re.compile(r"(?:%%.*\n)*#(?:FORMAT|BOS|BOT)\b")),
    ("slf", re.compile(r"VERSION=")),
    ("discbracket", re.compile(r"\(\s*[^\s()]*(?:\s*\([^\s()]*)*\s+\d+=[^\s()]")),
    ("plf", re.compile(r"\(\(\(\s*['\"]")),
    ("newick", re.compile(r"\([^\s()][^()\n]*,.*;", re.S)),
    ("newick", re.compile(r"\(+[^()\s]*[,:].*;", re.S)),
    ("penn", re.compile(r"\((?:\s*\()*\s*(?:\)|[^\s(),'\"]+[\s(])")),
    ("jsonl", re.compile(r"\{\s*\"")),
]

_TIME = r"[0-9]+(?:\.[0-9]*)?"
_TIMED = [
    ("ctm", re.compile(rf"\S+\s+\S+\s+{_TIME}\s+{_TIME}\s+\S+(?:\s+(?:{_TIME}|NA)(?:\s+\S+){{0,2}})?\s*")),
    ("stm", re.compile(rf"\S+\s+\S+\s+\S+\s+{_TIME}\s+{_TIME}(?:\s.*)?")),
]
"""Formats of words with times, and a line of each."""

_SUBTITLES = re.compile(r"(?:WEBVTT|[0-9]+\n)?\s*(?:[0-9]+:)?[0-9]+:[0-9]+[.,][0-9]+ --> ", re.M)
_SPEAKERS = re.compile(r"SPEAKER[ \t]+\S+[ \t]+\S+[ \t]+[0-9.]+[ \t]+[0-9.]+[ \t]")

ALIKE = {
    "conllu": {"conllx"}, "conllx": {"conllu"}, "pharaoh": {"talp"}, "penn": {"newick", "plf"},
    "newick": {"penn"}, "slf": {"kaldi", "openfst"}, "nbest": {"nbest_lattice"},
    "jsonl": {"nbest", "nbest_lattice", "jsonl_alignment"}, "ctm": {"text", "stm"}, "stm": {"text", "ctm"},
}  # fmt: skip
"""By the format that is recognised, others whose files may begin alike, or whose readers name it themselves."""

NEVER_TEXT = frozenset({"nbest", "conllu", "conllx", "conllup", "export", "slf", "plf", "jsonl", "giza", "tigerxml"})
"""Formats whose beginnings no text has; one may begin with a bracket, or with numbers."""

RANGE_ID = re.compile(r"ID `\d+[-.]\d+`")
"""The beginning of CoNLL-X's error of a multiword token or an empty node, which CoNLL-U has."""


def recognise_format(head: bytes) -> str | None:
    """The format of a file with these first bytes, None where several are possible."""
    text = head.decode("utf-8", "replace").lstrip("\n")
    if names_other_columns(text):
        return "conllup"
    for name, pattern in _BY_BEGINNING:
        if pattern.match(text):
            return name
    line = first_line(text)
    n_fields = line.count("\t") + 1
    if _NODE_LINE.match(line) and n_fields in (8, 10):
        return "conllu" if n_fields == 10 else "conllx"
    if _LINKS.fullmatch(line):
        return "pharaoh"
    return "wpt" if _WPT_LINE.fullmatch(line) else recognise_times(text)


def recognise_times(text: str) -> str | None:
    """The format of words with times that all lines of a text are of, but the last, which may be cut off."""
    kept = (line for line in text.split("\n") if line.strip() and not line.lstrip().startswith(";;"))
    first = next(kept, None)
    if first is None or not any(pattern.fullmatch(first) for _, pattern in _TIMED):
        return None
    lines = [first, *kept]
    lines = lines[:-1] if len(lines) > 1 and not text.endswith("\n") else lines
    for name, pattern in _TIMED:
        if lines and all("." in line and pattern.fullmatch(line) for line in lines):
            return name
    return None


def describe_times(head: bytes) -> tuple[str, str] | None:
    """What a file of words with times is, and what to do; None for other texts. head: its first bytes."""
    text = head.decode("utf-8", "replace").lstrip("\n")
    hint = "write the words alone, a sentence a line; --ids none reads it as it stands"
    if _SUBTITLES.match(text):
        return "this looks like subtitles, with times", hint
    if _SPEAKERS.match(text):
        return "this looks like RTTM, speakers with times", hint
    name = recognise_times(text)
    hint = f"read it with --from {name}, or with --ids none as it stands"
    return None if name is None else (f"this looks like {name}, words with times", hint)


def comments_before(head: bytes) -> int:
    """Number of blank lines and comments at the beginning of a file."""
    lines = head.decode("utf-8", "replace").split("\n")
    return next((at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))


def first_line(text: str) -> str:
    """The first line that is neither blank nor a comment; empty if there is none."""
    return next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")


STANDARD_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The columns of CoNLL-U; the first line of CoNLL-U Plus, `# global.columns = ID FORM ... PARSEME:MWE`, names others.

Source: https://universaldependencies.org/ext-format.html.
"""

REQUIRED_COLUMNS = STANDARD_COLUMNS[:2]
"""The columns without which there are no words."""

MAX_NAME_SHOWN = 60
"""Maximum number of characters of a name in an error."""

COLUMNS_EXAMPLE = "# global.columns = ID FORM PARSEME:MWE"

FURTHER_NAME = r"[A-Z0-9_.-]+(?::[A-Z0-9_.-]+)+"
"""What a column that CoNLL-U does not have may be called, as a regular expression: PROJECT:NAME."""

_COLUMNS_LINE = re.compile(r"#[ \t]*global\.columns[ \t]*=[ \t]?(.*)", re.DOTALL)


def column_names_in(line: str) -> tuple[str, ...] | None:
    """The names of the columns in a line, None if it names no columns. An empty name is one between two spaces."""
    match = _COLUMNS_LINE.fullmatch(line)
    if match is None:
        return None
    return tuple(match[1].split(" ")) if match[1] else ()


def names_other_columns(head: str) -> bool:
    """Whether the first line of a text names other columns than those of CoNLL-U, in which it is just a comment."""
    names = column_names_in(head.partition("\n")[0])
    return names is not None and names != STANDARD_COLUMNS


def further_columns(names: Iterable[str]) -> tuple[str, ...]:
    """The columns among these that CoNLL-U does not have."""
    return tuple(name for name in names if name not in STANDARD_COLUMNS)


def is_further_name(name: str) -> bool:
    """Whether a column that CoNLL-U does not have may be called this: PROJECT:NAME."""
    return re.fullmatch(FURTHER_NAME, name) is not None


def find_column_faults(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the names of the columns of a file, and what to do about it."""
    meant = set()
    if "" in names:
        yield "a column has an empty name", "separate the names by single spaces"
    for name in dict.fromkeys(filter(None, names)):
        if name not in STANDARD_COLUMNS and not is_further_name(name):
            import difflib  # here, for few files name columns of their own

            close = difflib.get_close_matches(name.upper(), STANDARD_COLUMNS, 1)
            meant.update(close)
            yield f"there is no column {_quoted(name)}", _better_name(name, close)
        if names.count(name) > 1:
            yield f"column {_quoted(name)} is named {names.count(name)} times", "give each column its own name"
    for name in REQUIRED_COLUMNS:
        if name not in names and name not in meant:
            yield (
                f"there is no column {name}",
                f"words need {' and '.join(REQUIRED_COLUMNS)}, as in `{COLUMNS_EXAMPLE}`",
            )


def _better_name(name: str, close: Sequence[str]) -> str:
    """What to call a column with a name that it cannot have. close: the column of CoNLL-U that may be meant."""
    if "\t" in name:
        return "separate the names by single spaces, not tabs"
    if close:
        return f"did you mean {close[0]}? A column of another project is called PROJECT:NAME, such as PARSEME:MWE"
    if is_further_name(name.upper()):
        return f"write it in capital letters, {name.upper()}"
    return "a column of another project is called PROJECT:NAME, such as PARSEME:MWE, in capital letters"


def _quoted(name: str) -> str:
    return f"`{name}`" if len(name) <= MAX_NAME_SHOWN else f"`{name[:MAX_NAME_SHOWN]}...`"
