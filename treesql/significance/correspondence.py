"""How sentences of lattices or hypotheses correspond to those of references: by ids where both have some, or by order.

The query `reference_sentences` joins them so. This module warns where ids were read as words, and brings the sentences
of several systems into one order.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from treesql.catalog import Query
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError
from treesql.kernels.arrays import Ints
from treesql.readers import FIRST, LAST, TEXT
from treesql.readers.texts.ids import MIN_LINES, looks_like_ids
from treesql.runtime.arrays import differs_from_previous, integers
from treesql.scoring.items import Record, ids_of_sentences, records_of, rows_read
from treesql.scoring.scores import SentenceSums

FAMILIES = ("lattice", "translation")
"""Families of queries whose sentences correspond by their ids."""

MAX_IN_PYTHON = 1000
"""Number of words up to which sets are compared in Python."""

FIRST_SENTENCES = 100
"""Number of sentences that are looked at before all of a text are."""

MAX_SENTENCES = 2**31 - 1
"""Number of sentences that no corpus reaches."""

_LINES = """
SELECT s.text
FROM sentences AS s
WHERE s.corpus = $corpus AND s.sentence < $n
ORDER BY s.sentence
"""

_WORD = re.compile(r"[^ \t]+")

_ENDS = {FIRST: r"^[ \t]*(?P<word>[^ \t]+)", LAST: r"(?P<word>[^ \t]+)[ \t]*$"}
"""Regular expressions of pyarrow.compute for the first and the last word of a line."""

_WORDS = """
SELECT w.sentence, w.form || '' AS form
FROM words AS w
WHERE w.corpus = $corpus AND w.sentence < $n
ORDER BY w.sentence, w.word
"""


def find_likely_ids(
    engine: Engine, systems: Sequence[str], references: Sequence[str], *, read_now: bool
) -> Iterator[Diagnostic]:
    """Warn of texts without ids whose first or last words, all distinct, are the ids of another corpus.

    Warns of numbers, too, if they also begin the lines of another text. read_now: whether the readers have already
    warned of words that look like ids by themselves.
    """
    records = records_of(engine)
    ids = {name: sentence_ids(engine, name) for name in dict.fromkeys([*systems, *references])}
    texts = [
        name for name, text_ids in ids.items() if records[name].kind == TEXT and text_ids.null_count == len(text_ids)
    ]
    ends: dict[str, dict[str, pa.Array]] = {}
    complete = any(not corpus_ids.null_count for corpus_ids in ids.values())
    for name in sorted(texts, key=lambda name: name not in systems):
        if name not in systems and read_now and not complete and not any(map(_has_numbers, ends.values())):
            break  # only numbers that begin two texts are ids
        ends[name] = _ends(engine, records[name], len(ids[name]))
    for name in ends:
        others = [other for other in (references if name in systems else systems) if other != name]
        for where, words in ends[name].items():
            look_like_ids = _look_like_ids(where, words)
            same_end = [ends[other][where] for other in others if where in ends.get(other, {})]
            if (look_like_ids and not read_now) or (
                not look_like_ids and _are_ids(words, [ids[other] for other in others], same_end)
            ):
                yield looks_like_ids(str(records[name].path), where, f"`{words[0].as_py()}`")
                break


def check_one_order(engine: Engine, systems: Sequence[str], references: Sequence[str]) -> None:
    """Raise UsageError if two systems have the same ids in different orders, and a reference has none."""
    ids = {name: sentence_ids(engine, name) for name in (*systems, *references)}
    without = next((name for name in references if ids[name].null_count == len(ids[name])), None)
    if without is None:
        return
    with_ids = [name for name in systems if not ids[name].null_count]
    for first, second in itertools.combinations(with_ids, 2):
        if not ids[first].equals(ids[second]) and same_ids(ids[first], ids[second]):
            raise UsageError(
                f"{first} and {second} have the same ids in different orders, and {without} has none: its lines cannot "
                "be those of both; give it ids (--ids), or both the same order"
            )


def renumber_sums(engine: Engine, query: Query, summed: SentenceSums, corpus: str, gold: str) -> SentenceSums:
    """Return a system's counts in the order of the gold corpus, if the sentences of both correspond by id."""
    place = corresponding_numbers(engine, query, corpus, gold)
    if place is None:
        return summed
    sentences = place[summed.sentences]
    order = np.argsort(sentences, kind="stable")
    return dataclasses.replace(summed, values=summed.values[order], sentences=sentences[order])


def renumber_items(engine: Engine, query: Query, items: pa.Table, corpus: str, gold: str) -> pa.Table:
    """Return a system's items with the sentence numbers of the gold corpus, if they have the column `sentence`."""
    place = corresponding_numbers(engine, query, corpus, gold) if "sentence" in items.schema.names else None
    if place is None:
        return items
    at = items.schema.get_field_index("sentence")
    renumbered = pa.array(place[items["sentence"].to_numpy()], items.schema.field(at).type)
    return items.set_column(at, "sentence", renumbered)


def corresponding_numbers(engine: Engine, query: Query, corpus: str, gold: str) -> Ints | None:
    """Return for every sentence of a corpus the number of the gold one with its id; None if order decides."""
    if query.family not in FAMILIES or corpus == gold:
        return None
    ids, gold_ids = sentence_ids(engine, corpus), sentence_ids(engine, gold)
    if ids.equals(gold_ids) or ids.null_count or gold_ids.null_count or not same_ids(ids, gold_ids):
        return None
    import pyarrow.compute as pc  # here, for it takes long to import, and few texts need it

    numbers: Ints = np.asarray(pc.index_in(ids, value_set=gold_ids).to_numpy(), dtype=np.int64)
    return numbers


def sentence_ids(engine: Engine, corpus: str) -> pa.Array:
    """Return the ids of a corpus's sentences in order, NULL for a sentence without one."""
    return _strings(ids_of_sentences(engine, corpus)["sent_id"])


def same_ids(ids: pa.Array, others: pa.Array) -> bool:
    """Whether two corpora have the same ids, each once."""
    return len(ids) == len(others) == len(ids.unique()) and ids.sort().equals(others.sort())


def _ends(engine: Engine, record: Record, n_lines: int) -> dict[str, pa.Array]:
    """Return the first and the last words of a text's lines, if all lines have some, and no two are the same."""
    distinct: dict[str, pa.Array] = {}
    for n in (FIRST_SENTENCES, MAX_SENTENCES):  # mostly the first ones show that words are no ids
        ends = _ends_of_sentences(engine, record, n)
        n_found = len(ends[FIRST])
        if n_found < max(MIN_LINES, min(n, n_lines)) or ends[FIRST].equals(ends[LAST]):
            return {}
        distinct = {where: words for where, words in ends.items() if _are_distinct(words)}
        if not distinct or n_found < n:
            break
    return distinct


def _ends_of_sentences(engine: Engine, record: Record, n: int) -> dict[str, pa.Array]:
    """Return the first and the last words of those of the first n sentences of a text that have words."""
    values = {"corpus": record.corpus, "n": n}
    if record.format == TEXT and not record.changed:  # lines have their words, which are not read then
        read = rows_read(engine, "sentences", record.corpus, ["text"])
        lines = engine.table(_LINES, values) if read is None else read.slice(0, n)
        return _ends_of_lines(lines["text"])
    words = engine.table(_WORDS, values)
    begins = differs_from_previous(integers(words["sentence"]))
    forms = words["form"].to_numpy()
    at_ends = {FIRST: forms[begins], LAST: forms[np.roll(begins, -1)]}
    return {where: pa.array(found.tolist(), pa.string()) for where, found in at_ends.items()}


def _ends_of_lines(lines: pa.ChunkedArray) -> dict[str, pa.Array]:
    """Return the first and the last words of those lines that have words; of few without pyarrow.compute."""
    if len(lines) <= MAX_IN_PYTHON:
        words = [found for line in lines.to_pylist() if (found := _WORD.findall(line or ""))]
        return {where: pa.array([found[at] for found in words], pa.string()) for where, at in ((FIRST, 0), (LAST, -1))}
    import pyarrow.compute as pc

    texts = _strings(lines)
    return {where: pc.extract_regex(texts, end).drop_null().field("word") for where, end in _ENDS.items()}


def _strings(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole if whole.type == pa.string() else whole.cast(pa.string())


def _are_distinct(words: pa.Array) -> bool:
    """Whether no two words are the same. Few are compared without pyarrow.compute, which takes long to import."""
    return len(words) == len(set(words.to_pylist()) if len(words) <= MAX_IN_PYTHON else words.unique())


def _all_match(pattern: str, words: pa.Array) -> bool:
    """Whether a pattern is found in all words; mostly the first ones show that it is not."""
    return all(re.search(pattern, word.as_py()) for word in words)


def _look_like_ids(where: str, words: pa.Array) -> bool:
    """Whether words look like ids by themselves, by the rules of the readers of texts."""
    patterns = ("[0-9]", "[A-Za-z_-]") if where == FIRST else (r"^\(.+\)$",)
    return all(_all_match(pattern, words) for pattern in patterns)


def _has_numbers(ends: Mapping[str, pa.Array]) -> bool:
    """Whether all the words at one end of a text's lines have digits."""
    return any(_all_match("[0-9]", words) for words in ends.values())


def _are_ids(words: pa.Array, ids: Sequence[pa.Array], others: Sequence[pa.Array]) -> bool:
    """Whether words are ids of another corpus or contain all of them, or are numbers that begin another's lines."""
    complete = [corpus_ids for corpus_ids in ids if not corpus_ids.null_count]
    if complete:
        import pyarrow.compute as pc  # here, for it takes long to import, and few texts need it

        plain = pc.replace_substring_regex(words, r"^\((.+)\)$", r"\1")
        if any(_within(plain, corpus_ids) or _within(corpus_ids, plain) for corpus_ids in complete):
            return True
    return _all_match("[0-9]", words) and any(same_ids(words, other) for other in others)


def _within(words: pa.Array, others: pa.Array) -> bool:
    import pyarrow.compute as pc  # here, as above

    return len(words) >= MIN_LINES and bool(pc.all(pc.is_in(words, value_set=others)).as_py())
