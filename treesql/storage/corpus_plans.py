"""From what users give to corpora, before any is read: paths, or what is in memory in their place (bytes, open files,
lists of sentences, data frames); then of files one of a given name, one per file or folder, or those of a data set.

Their names, treebanks and languages are those of files and folders, as Universal Dependencies has them:
`UD_English-EWT/en_ewt-ud-dev.conllu`.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

from treesql import readers
from treesql.catalog import schemas
from treesql.catalog.kinds import USUAL
from treesql.engines import manifests, parquet_parts
from treesql.engines.corpus_groups import FEATURES
from treesql.engines.parquet_parts import StoredPart
from treesql.errors import DatabaseError, Diagnostic, InvalidInput, UnknownName, UsageError, shortened
from treesql.readers import (
    ALIGNMENT,
    DEPENDENCY,
    PARQUET,
    TEXT,
    Notation,
    Options,
    format_of_ending,
    formats,
    recognise_format,
)
from treesql.readers.frames import as_frames
from treesql.readers.source import (
    CHUNK_BYTES,
    STANDARD_INPUT,
    Content,
    Source,
    expand,
    files_below,
    without_packed_ending,
)
from treesql.runtime.failures import shown

Buffer = bytes | bytearray | memoryview
"""Bytes that are in memory."""

BYTES, LIST = "bytes", "list"
"""What stands for the name of a file in signatures."""

_WHAT = "a file, bytes, an open file, a list of sentences, or data frames"
_OF_TEXTS = "check the path; in Python, a text is given as an open file (io.StringIO), or as a list of sentences"


@runtime_checkable
class Readable(Protocol):
    """An open file, of bytes or of text, or whatever else has `read`."""

    def read(self) -> Any:
        """The rest of the file."""


@runtime_checkable
class Frame(Protocol):
    """A data frame: of Polars, pandas or Arrow, a relation of DuckDB, or whatever else gives its rows to Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, as a capsule of Arrow's C stream interface."""


File = str | Path | bytes | Readable | Sequence[str] | Frame | Mapping[str, Any]
"""A path, or what is given in memory in place of a file: bytes, an open file, a list of sentences, a data frame with
the rows of a table, or a mapping of names of tables to data frames."""

MAX_NAMES = 100
"""Maximum number of texts with blanks that are looked for as files: a list of more has sentences."""

Inputs = File | Sequence[File]
"""A file or a corpus, or several; or what is given in memory in its place."""


class GivenSentences(list[str]):
    """A list of sentences, also where files have their names."""


def is_in_memory(value: object) -> bool:
    """Whether a value is bytes, an open file, a list of sentences, or data frames instead of files."""
    if isinstance(value, Content | Buffer) or hasattr(value, "read") or is_framed(value):
        return True
    return _is_list(value) and len(value) > 0 and not _names_files(value)


def is_framed(value: object) -> bool:
    """Whether a value is a data frame, or a mapping of names of tables to some."""
    if isinstance(value, Mapping):
        return any(name in schemas.all_tables() for name in value)
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "collect_schema")  # a lazy frame of Polars


def as_path(value: Any, name: str, kind: str | None = None, form: str | None = None) -> str:
    """The path of a file as it is; what is given in memory as its content, by the name that messages cite.

    kind: of corpora, whose usual format lists of sentences have unless `form` names another one; None for the one that
    the first sentence looks like. Raises UsageError for other values, InvalidInput for damaged bytes of a packed file,
    and for frames that are no rows of a table.
    """
    if isinstance(value, Content):
        return value
    if is_framed(value):
        return as_frames(value, name, kind)
    if isinstance(value, str | Path):
        if "\n" in str(value) and not _is_there(str(value)):
            path = shortened(str(value).replace("\n", "\\x0a"))
            raise InvalidInput([Diagnostic.error(path, 0, "there is no such file", _OF_TEXTS)])
        return str(value)
    if hasattr(value, "read"):
        try:
            value = value.read()
            value = value.encode() if isinstance(value, str) else value
        except (OSError, ValueError) as error:  # it is closed, or of another encoding
            raise UsageError(f"{name} cannot be read: {error}; give {_WHAT}") from None
    if isinstance(value, Buffer):
        return Content(name, _unpacked(name, bytes(value)), BYTES)
    if _is_list(value):
        if value and _names_files(value):
            raise UsageError(f"{name} is a list of files, and one is read; give one")
        if form is not None and form not in formats():
            raise UsageError(f"{name} is a list of sentences; --from {form} names no format of theirs")
        return Content(name, _joined(value, name, form or _format_of(value, kind)), LIST)
    if isinstance(value, Mapping) and value:
        names = ", ".join(map(str, value))
        raise UsageError(
            f"{name} is a mapping without a table: {names}; give {{TABLE: frame}}, such as {{'words': frame}}"
        )
    if isinstance(value, list | tuple) and (other := other_than_texts(value)):
        raise UsageError(f"{name} is no list of sentences{other}")
    what = 'its rows: .with_format("arrow")[:]' if hasattr(value, "with_format") else _WHAT  # of Hugging Face
    raise UsageError(f"{name} is {shown(value)}; give {what}")


def as_paths(
    values: Sequence[Any], name: str, kind: str | None = None, form: str | None = None, *, loaded: bool = False
) -> list[str]:
    """The paths of several files, as `as_path` returns each. Where there are several, numbers follow the name.

    loaded: whether corpora of a database are named, which stay as they are. Raises UsageError for others then.
    """
    if loaded:
        return [as_corpus(value, name) for value in values]
    names = [name] if len(values) == 1 else [f"{name} {number}" for number in range(1, len(values) + 1)]
    return [as_path(value, named, kind, form) for value, named in zip(values, names, strict=True)]


def as_sentences(value: Any) -> Any:
    """A list of texts as one of sentences, whatever files there are, and each of several lists; others as they are."""
    if not isinstance(value, list | tuple):
        return value
    return GivenSentences(value) if _is_list(value) else [as_sentences(item) for item in value]


def as_corpus(value: Any, name: str) -> str:
    """The name of a corpus of a database as it is. Raises UsageError for other values."""
    if not isinstance(value, str | Path):
        raise UsageError(f"{name} is {shown(value)}; name a corpus of the database, or leave out db")
    return str(value)


def each_of(values: Any) -> list[Any]:
    """The inputs in what may be one of them, or several."""
    if isinstance(values, str | Path) or is_in_memory(values):
        return [values]
    return list(values)


def other_than_texts(items: Sequence[Any]) -> str:
    """What messages add where several values are given: the first one that is no sentence of a list, or is taken for a
    file among sentences."""
    numbered = list(enumerate(items, start=1))
    others = ((number, item) for number, item in numbered if not isinstance(item, str | Path))
    for number, item in others:
        return f"; item {number} is {shown(item)}, and a sentence is text"
    if not any(" " in str(item) for item in items):
        return ""
    named = ((number, item) for number, item in numbered if " " not in str(item) and _names_files([str(item)]))
    for number, item in named:
        return f"; item {number} is taken for a file: {item}; give sentences as a text that is open (io.StringIO)"
    return ""


def _format_of(items: Sequence[str], kind: str | None) -> str:
    """The format of sentences of a kind of corpora; of any kind, the one that the first of them looks like."""
    if kind is not None:
        return USUAL[kind]
    return recognise_format(next(filter(str.strip, items), "").encode()) or TEXT


def _is_list(value: Any) -> TypeGuard[Sequence[str]]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return False
    return all(issubclass(kind, str) and not issubclass(kind, Content) for kind in set(map(type, value)))


def _names_files(items: Sequence[str]) -> bool:
    """Whether texts name files, instead of being sentences: one is there, or has the ending of a format.

    Names with blanks are looked for among the first MAX_NAMES of them only.
    """
    if isinstance(items, GivenSentences):
        return False
    if list(items) == [STANDARD_INPUT]:
        return True
    names = [item for at, item in enumerate(items) if at < MAX_NAMES or (" " not in item and _is_a_word(item))]
    return any(_looks_like_a_file(item) or (_is_there(item) and any(map(str.isalnum, item))) for item in names)


def _is_there(path: str) -> bool:
    if os.path.exists(path):  # not for a sentence that is longer than any name, or has a NUL in it
        return True
    try:
        return _is_a_word(path) and glob.has_magic(path) and any(glob.iglob(path, recursive=True))
    except (OSError, ValueError):
        return False


def is_sentence(value: Any) -> bool:
    """Whether a text has blanks, as sentences do, and names nothing that is there."""
    return type(value) is str and len(value.split(maxsplit=1)) > 1 and not _is_there(value)


def _looks_like_a_file(item: str) -> bool:
    return _is_a_word(item) and format_of_ending(item) is not None


def _is_a_word(item: str) -> bool:
    """Whether a text is not empty and has no white space."""
    return item.split(maxsplit=1) == [item]


def _joined(items: Sequence[str], name: str, form: str) -> bytes:
    """The text of a file with one sentence for every item. Raises UsageError for an item that is not one sentence."""
    if not items:
        raise UsageError(f"{name} is an empty list; give {_WHAT}")
    kind = formats()[form].kind
    blocks = kind == DEPENDENCY
    sentences = list(items)
    whole = "".join(sentences)
    if blocks or "\n" in whole or "\r" in whole:
        sentences = [item.replace("\r\n", "\n") for item in sentences]
        sentences = [item.strip("\n") if blocks else item.removesuffix("\n") for item in sentences]
        for number, sentence in enumerate(sentences, start=1):
            if blocks and (not sentence.strip() or "\n\n" in sentence):
                raise UsageError(f"{name}: item {number} is not one sentence of {form}; give one for each")
            if kind in (TEXT, ALIGNMENT) and ("\n" in sentence or "\r" in sentence):
                raise UsageError(f"{name}: item {number} has a line break in it; give a sentence for each item")
    between = "\n\n" if blocks else "\n"
    try:
        return f"{between.join(sentences)}{between}".encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} has a character that is none of Unicode: {error.object[error.start]!a}") from None


def _unpacked(name: str, data: bytes) -> bytes:
    """Bytes without the packing that their first ones name."""
    source = Source(Content(name, data, BYTES), digest=False)
    return b"".join(source.unpacked_blocks(CHUNK_BYTES))


_RELEASED = re.compile(r"UD_(?P<language>[A-Z]\w*)(?:-(?P<name>\w+))?")
_BARE = re.compile(r"(?P<language>[A-Z][A-Za-z_]*)-(?P<name>\w+)")
"""A folder's name as released, and without `UD_`, as other folders may be called as well: `Parser-A`."""

_FILE = re.compile(
    r"(?P<code>[a-z]{2,3}(?:_(?P<name>[a-z0-9]+))?)(?P<ud>-ud)?(?:-(?P<part>train|dev|test))?(?P<rest>[-.].*)?"
)


@dataclass(frozen=True)
class FolderName:
    """What a folder's name says. treebank: `English-EWT`; language: `English`; name: `EWT`; released: after `UD_`."""

    treebank: str
    language: str
    name: str | None
    released: bool


@dataclass(frozen=True)
class FileName:
    """What a file's name says. code: `en_ewt`; name: `ewt`; released: whether `-ud` follows; part: train, dev or test;
    rest: what follows that, with the ending.
    """

    code: str
    name: str | None
    released: bool
    part: str | None
    rest: str


def read_folder(name: str) -> FolderName | None:
    """Return what the name of a folder says, None if it is not like one of Universal Dependencies."""
    released = _RELEASED.fullmatch(name)
    matched = released or _BARE.fullmatch(name)
    if matched is None:
        return None
    treebank = name.removeprefix("UD_") if released else name
    return FolderName(treebank, matched["language"].replace("_", " "), matched["name"], released is not None)


def read_file(name: str) -> FileName | None:
    """Return what the name of a file says, or the code alone; None if it is not like one of Universal Dependencies."""
    matched = _FILE.fullmatch(name)
    if matched is None:
        return None
    return FileName(matched["code"], matched["name"], bool(matched["ud"]), matched["part"], matched["rest"] or "")


def treebank_and_language(path: str) -> tuple[str | None, str | None]:
    """The treebank and the language of a file of Universal Dependencies by its folder: English-EWT and English.

    The folder is the nearest one of a name such as `UD_English-EWT`; or the file's own, `English-EWT`, where the file
    is called like `en_ewt-ud-dev.conllu`. None for other files.
    """
    parents = Path(os.path.abspath(path)).parents
    named = [read_folder(parent.name) for parent in parents]
    described = next((folder for folder in named if folder is not None and folder.released), None)
    if described is None:
        file, folder = read_file(Path(path).name), named[0]
        if file is not None and file.released and folder is not None and (folder.name or "").lower() == file.name:
            described = folder
    return (None, None) if described is None else (described.treebank, described.language)


def names_of_inputs(paths: Sequence[str], *, before_stars: bool = False) -> list[str]:
    """The last parts of paths that are read for one piece of work; the paths themselves where two are equal.

    before_stars: whether a pattern is named by the folder before its stars.
    """
    names = [name_of_input(_before_stars(path) if before_stars else path) for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def name_of_input(path: str) -> str:
    """The last part of a path, of a folder such as `..` its own name; `stdin` for standard input."""
    if isinstance(path, Content):
        return path
    return "stdin" if path == STANDARD_INPUT else Path(os.path.abspath(path)).name or path


def _before_stars(path: str) -> str:
    if not glob.has_magic(path) or Path(path).exists():
        return path
    parts = itertools.takewhile(lambda part: not glob.has_magic(part), Path(path).parts)
    return os.path.join("", *parts) or path


def names_of_files(paths: Sequence[str]) -> Mapping[str, str]:
    """A name for every file: its own without the ending of a format. Raises UsageError where no names are left.

    Equal names have that of their folder in front, and the folders above while they are equal. Files of one folder that
    differ in their endings alone keep these.
    """
    stems = {path: (_folder(path), _without_ending(Path(path).name)) for path in paths}
    alike = Counter(stems.values())
    return _distinct(
        {
            path: (folder, stem if alike[folder, stem] == 1 else Path(path).name)
            for path, (folder, stem) in stems.items()
        }
    )


def names_of_folders(paths: Sequence[str]) -> Mapping[str, str]:
    """A name for every file, that of its folder: equal for files of one folder, otherwise distinct."""
    folders = {_folder(path) for path in paths}
    names = _distinct({str(folder): (folder.parent, folder.name or str(folder)) for folder in folders})
    return {path: names[str(_folder(path))] for path in paths}


def _distinct(places: Mapping[str, tuple[Path, str]]) -> Mapping[str, str]:
    """Names that differ: with as many folders in front as this takes. places: the folder of every one, and its name."""
    names = {path: name for path, (_, name) in places.items()}
    folders = {path: [part for part in folder.parts if part != folder.anchor] for path, (folder, _) in places.items()}
    while equal := [path for path, n in _counts(names).items() if n > 1]:
        if not any(folders[path] for path in equal):
            raise UsageError(
                f"several files would be the corpus {names[equal[0]]!r}; load them one by one with --corpus"
            )
        for path in equal:
            if folders[path]:
                names[path] = f"{folders[path].pop()}/{names[path]}"
    return names


def _counts(names: Mapping[str, str]) -> Mapping[str, int]:
    """How many have the name of each."""
    counts = Counter(names.values())
    return {path: counts[name] for path, name in names.items()}


def _folder(path: str) -> Path:
    return Path(os.path.abspath(path)).parent


def _without_ending(name: str) -> str:
    """The name of a file without its endings; that of a format stays if it is all there is."""
    return readers.without_ending(name) or without_packed_ending(name)


FILE, FOLDER = EACH = ("file", "folder")
"""What becomes a corpus."""

_NEEDED = frozenset({"corpora", "sentences", "words"})
"""Tables that a data set must have of every corpus."""


@dataclass(frozen=True)
class StoredCorpus:
    """A corpus of a data set. files: in the order in which they are read. parts: its parts, if a manifest lists them.

    shares_parts: whether the parts hold other corpora as well. folder, manifest: which has the parts, and lists them.
    """

    name: str
    files: tuple[str, ...]
    parts: tuple[StoredPart, ...] = ()
    shares_parts: bool = False
    folder: str = ""
    manifest: manifests.Identity | None = None

    def find_damage(self) -> list[Diagnostic]:
        """The parts that are not as they were written. Raises DatabaseError where the folder has another manifest."""
        faults = parquet_parts.find_damage(self.parts)
        if faults and manifests.identity_of(self.folder) != self.manifest:
            raise _changed(self.folder)
        return faults


@dataclass(frozen=True)
class CorpusFiles:
    """Files to load as one corpus. notation: of the links in them; None where that of the options holds. segments: the
    `.stm` file that their words are cut by. named: whether the user has named the format. stored: the corpus of a data
    set."""

    files: tuple[str, ...]
    form: str
    corpus: str
    treebank: str | None = None
    language: str | None = None
    notation: Notation | None = None
    segments: str | None = None
    named: bool = False
    stored: StoredCorpus | None = None

    @property
    def kind(self) -> str:
        """The kind of corpus of the format."""
        return readers.kind(self.form)

    @property
    def is_framed(self) -> bool:
        """Whether it is data frames in place of files."""
        return any(isinstance(file, Content) and file.form is not None for file in self.files)

    @property
    def linked(self) -> list[str]:
        """The corpora whose words an alignment links, as far as they are named."""
        notation = self.notation or Notation()
        return [corpus for corpus in (notation.source_corpus, notation.target_corpus) if corpus is not None]

    @property
    def shared_name(self) -> str | None:
        """The corpus of a data set whose rows are read from parts that hold others as well."""
        return self.stored.name if self.stored is not None and self.stored.shares_parts else None

    def find_misnamed(self) -> list[Diagnostic]:
        """A warning of files that are read as another format than their endings say, unless the user has named it."""
        if self.named:
            return []
        endings = {file: readers.format_of_ending(file) or self.form for file in self.files}
        other = {file: form for file, form in endings.items() if self.form not in (form, f"{form}_{self.kind}")}
        if not other:
            return []
        first, form = next(iter(other.items()))
        more = "" if len(other) == 1 else f", and {len(other) - 1:,} more file{'s' if len(other) > 2 else ''}"
        what = f"read as {self.form}, where its ending is that of {form}{more}"
        return [Diagnostic.warning(first, 0, what, f"name the format with --from {self.form}, or rename the file")]


@dataclass(frozen=True)
class CorpusPlan:
    """Corpora to load. together: whether in one transaction; left_out: number of files with endings of no format."""

    corpora: tuple[CorpusFiles, ...]
    together: bool
    left_out: int = 0


def plan_corpora(
    paths: Iterable[str | Path],
    options: Options,
    *,
    corpus: str | None = None,
    each: str | None = None,
    form: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    notation: Notation | None = None,
) -> CorpusPlan:
    """Find the files behind paths: one corpus of this name, or one for each file or folder, or those of a data set.

    Parameters as for `treesql.load`. Raises InvalidInput where there is no such file, UsageError, UnknownName.
    """
    named = [str(path) for path in paths]
    if each not in (None, *EACH):
        raise UnknownName("kind of corpora", str(each), EACH)
    if corpus is not None:
        if each is not None:
            raise UsageError("--each is for corpora that are named after their files; leave out --corpus, or --each")
        return _plan_together(plan_loads(named, corpus, form, treebank, language, notation=notation), options)
    if STANDARD_INPUT in named:
        raise UsageError("the corpus of standard input needs a name: --corpus NAME")
    if any(isinstance(path, Content) for path in named):
        raise UsageError("a corpus that is given in memory needs a name: --corpus NAME")
    files, left_out = _find_treebank_files(named, form)
    forms = {file: readers.format_of([file], form) for file in files}
    if PARQUET in forms.values():
        if each is not None:
            raise UsageError("--each does not apply to a data set, whose corpora have names")
        if set(forms.values()) != {PARQUET}:
            raise UsageError("these are a Parquet data set and other files; load them one by one")
        return _plan_together(plan_loads(named, None, PARQUET, notation=notation), options)
    _check_notation(notation, forms.values(), "these")
    for known_form in sorted(set(forms.values())):
        readers.check_options(known_form, options)
    planned = []
    for name, of_corpus in _by_folder(forms) if each == FOLDER else _by_file(forms):
        corpus_form = forms[of_corpus[0]]
        links = notation if readers.kind(corpus_form) == ALIGNMENT else None
        ud_treebank, ud_language = treebank_and_language(of_corpus[0])
        described = (treebank or ud_treebank, language or ud_language)
        planned.append(CorpusFiles(tuple(of_corpus), corpus_form, name, *described, links, named=form is not None))
    return CorpusPlan(tuple(planned), False, left_out)


def plan_loads(
    paths: Iterable[str | Path],
    corpus: str | None,
    form: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    *,
    notation: Notation | None = None,
    kind: str | None = None,
) -> list[CorpusFiles]:
    """Find the files behind paths, patterns and folders, and their format: one corpus, or those of a Parquet data set.

    corpus: its name; of a data set the corpus of this name, or the only one under this name; None for all of a data
    set, and for a corpus without a name. notation: how links are written, for alignments alone. kind: the expected kind
    of corpus, which determines the usual format. Raises InvalidInput, UnknownName, UsageError.
    """
    if corpus == "":
        raise UsageError("the name of a corpus cannot be empty")
    if corpus is not None and "\0" in corpus:
        raise UsageError("the name of a corpus cannot have a NUL character in it; leave it out")
    files = find_files(paths, form)
    named = form is not None
    form = readers.format_of(files, form, kind)
    _check_notation(notation, [form], form)
    repeated = next((file for at, file in enumerate(files) if file in files[:at]), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is named twice; a corpus takes each file once")
    if form != PARQUET:
        planned = CorpusFiles(tuple(files), form, corpus or "", treebank, language, notation, named=named)
        if len(files) > 1 and planned.is_framed:
            raise UsageError("a corpus is one data frame, or one mapping of tables; put the rows of several together")
        return [planned]
    corpora = find_stored(files)
    if corpus is not None and corpus not in corpora and len(corpora) > 1:
        raise UnknownName("corpus of the data set", corpus, corpora)
    chosen = [corpora[corpus]] if corpus in corpora else corpora.values()
    return [CorpusFiles(stored.files, PARQUET, corpus or stored.name, stored=stored) for stored in chosen]


def find_files(paths: Iterable[str | Path], form: str | None = None) -> list[str]:
    """The files behind paths, patterns and folders, of which those with endings of a format are taken, or of any.

    Raises InvalidInput where nothing is there, UnknownName, UsageError.
    """
    named = [str(path) for path in paths]
    if not named:
        raise UsageError("name at least one file")
    return expand(named, readers.endings_in_folders(form=form))


def _plan_together(corpora: Sequence[CorpusFiles], options: Options) -> CorpusPlan:
    for corpus in corpora:
        readers.check_options(corpus.form, options)
    return CorpusPlan(tuple(corpora), together=True)


def _check_notation(notation: Notation | None, forms: Iterable[str], whose: str) -> None:
    """Raises UsageError where links are to be read in some way, and no format has links. whose: the files'."""
    if notation not in (None, Notation()) and all(readers.kind(form) != ALIGNMENT for form in forms):
        raise UsageError(
            f"base, direction, null links and linked corpora are for alignments; {whose} files have no links"
        )


def _find_treebank_files(paths: Sequence[str], form: str | None) -> tuple[list[str], int]:
    """The files behind paths, each once, in order; and the number of those that are left out, as no format has them."""
    find_files(paths, form)  # raises with all paths that do not exist
    selected: dict[str, str] = {}
    left_out: set[str] = set()
    for path in paths:
        here = find_files([path], form)
        if Path(path).is_dir():
            others = {str(file) for file in files_below(Path(path), ("",))} - set(here)
        else:
            others = _not_meant(here) if form is None and glob.has_magic(path) else set()
        left_out |= {os.path.abspath(file) for file in others}
        selected |= {os.path.abspath(file): file for file in here if file not in others}
    return list(selected.values()), len(left_out - selected.keys())


def _not_meant(files: Sequence[str]) -> set[str]:
    """The files that a pattern has matched beside those with endings of formats; texts are notes beside treebanks."""
    forms = {file: readers.format_of_ending(file) for file in files}
    for others in ({None, TEXT}, {None}):
        if set(forms.values()) - others:
            return {file for file, form in forms.items() if form in others}
    return set()


def _by_file(forms: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """A corpus for each file: its name and files."""
    names = names_of_files(list(forms))
    return ((names[file], [file]) for file in forms)


def _by_folder(forms: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """A corpus for each folder; for each format of a folder that has several, called `FOLDER.FORMAT`."""
    names = names_of_folders(list(forms))
    folders: dict[str, dict[str, list[str]]] = {}
    for file, name in names.items():
        folders.setdefault(name, {}).setdefault(forms[file], []).append(file)
    for name, by_form in folders.items():
        for form, files in by_form.items():
            yield name if len(by_form) == 1 else f"{name}.{form}", sorted(files)


def find_stored(files: Sequence[str]) -> dict[str, StoredCorpus]:
    """The corpora of data sets by name: of a folder with a manifest those that it lists, as far as files are named.

    Raises UsageError where a corpus lacks tables, DatabaseError.
    """
    corpora: dict[str, StoredCorpus] = {}
    for root, named in _by_data_set(files).items():
        corpora |= _listed(root, named) if manifests.is_data_set(root) else _unlisted(list(named.values()))
    if not corpora:
        raise UsageError("these Parquet files are not a data set; name the folder that `treesql export` wrote")
    return corpora


def find_damaged_parts(folder: str) -> list[Diagnostic]:
    """The parts of a folder that are not as they were written; none where it has no manifest. Raises DatabaseError."""
    if not manifests.is_data_set(folder):
        return []
    return manifests.retry_changed(
        folder,
        lambda: parquet_parts.find_all_damage(folder, manifests.read_manifest(folder, find_parts=False)),
        lambda faults: not faults,
    )


def without_unlisted(files: Sequence[str]) -> list[str]:
    """Files without those that are in the place of parts and that no manifest lists. Raises DatabaseError."""
    unlisted: set[Path] = set()
    for root, named in _by_data_set([file for file in files if file.endswith(f".{PARQUET}")]).items():
        if manifests.is_data_set(root):
            groups = manifests.read_manifest(root, find_parts=False)
            unlisted |= named.keys() - {Path(part.path) for part in parquet_parts.parts_of(root, groups)}
    return [file for file in files if _absolute(file) not in unlisted]


def _by_data_set(files: Sequence[str]) -> dict[str, dict[Path, str]]:
    """Files by the folder that a data set would be, FOLDER/TABLE/NAME/FILE, and by their absolute paths."""
    folders: dict[str, dict[Path, str]] = {}
    for file in files:
        above = Path(file).parents
        folders.setdefault(str(above[2] if len(above) > 2 else above[-1]), {})[_absolute(file)] = file
    return folders


def _absolute(file: str) -> Path:
    """An absolute path; paths are equal in any notation of the system."""
    return Path(os.path.abspath(file))


def _changed(folder: str) -> DatabaseError:
    return DatabaseError(f"{folder}: the folder has changed while it was read; load it again")


def _listed(root: str, named: dict[Path, str]) -> dict[str, StoredCorpus]:
    """The corpora that the manifest of a folder lists. named: files by their absolute paths."""
    reader = readers.reader_module(PARQUET)
    corpora = {}
    identity = manifests.identity_of(root)
    groups = manifests.retry_changed(root, lambda: manifests.read_manifest(root))
    listed = {Path(part.path) for part in parquet_parts.parts_of(root, groups)}
    if not all(path.exists() for path in named.keys() - listed):  # removed since they were found
        raise _changed(root)
    for group in groups:
        parts = [part for part in parquet_parts.parts_of(root, [group]) if Path(part.path) in named]
        tables = {part.table for part in parts}
        files = reader.in_order(named[Path(part.path)] for part in parts if part.table != FEATURES)
        for entry in group.corpora if files else ():
            _refuse_lacking(entry.corpus, tables, has_words=entry.n_words > 0)
            corpora[entry.corpus] = StoredCorpus(
                entry.corpus, tuple(files), tuple(parts), len(group.corpora) > 1, root, identity
            )
    return corpora


def _unlisted(files: Sequence[str]) -> dict[str, StoredCorpus]:
    """The corpora of files without a manifest, each with parts of its own."""
    reader = readers.reader_module(PARQUET)
    members: dict[str, list[str]] = {}
    for file in files:
        name = reader.corpus_of(file)
        if name is not None:
            members.setdefault(name, []).append(file)
    corpora = {}
    for name, listed in members.items():
        tables = {reader.table_of(file): file for file in listed}
        _refuse_lacking(name, tables.keys(), has_words="corpora" not in tables or reader.has_words(tables["corpora"]))
        corpora[name] = StoredCorpus(name, tuple(reader.in_order(listed)))
    return corpora


def _refuse_lacking(corpus: str, tables: Set[str], *, has_words: bool) -> None:
    """Raises UsageError where a corpus lacks tables that it must have.

    has_words: whether it may have words; if not, it is an alignment, lattices, or a text of empty lines.
    """
    lacking = sorted(_NEEDED - tables) if has_words else sorted({"corpora"} - tables)
    if lacking:
        raise UsageError(f"the data set has no {' and no '.join(lacking)} of {corpus!r}; export it again")
