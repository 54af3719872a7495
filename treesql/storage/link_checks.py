"""Checks that links lie within their sentences, and that they were read with the right base and direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from treesql import readers
from treesql.engines import Engine
from treesql.engines.relations import record_of
from treesql.errors import Diagnostic, InvalidInput
from treesql.kernels.arrays import Ints
from treesql.readers import Notation

FAULTS_SHOWN = 5
SAMPLE_SIZE = 1000
"""Maximum number of sentences by which ways to read links are compared."""

_MAX_POSITION = 1 << 26
"""Bound of positions of words in a sentence, of which none is longer."""

MIN_LINKS_GAINED = 8
"""Minimum number of additional agreeing links for a warning; it must also be a tenth of those that agree."""

_LINKED_TEXTS = """
SELECT s.corpus AS source, t.corpus AS target
FROM (SELECT min(a.source_corpus) AS source, min(a.target_corpus) AS target
      FROM alignments AS a WHERE a.corpus = $corpus) AS l
LEFT JOIN corpora AS s ON s.corpus = l.source
LEFT JOIN corpora AS t ON t.corpus = l.target
"""


@dataclass(frozen=True)
class LinkReading:
    """A way to read the links of a file. reversed: whether source and target are swapped; shift: added to positions."""

    reversed: bool
    shift: int

    def source(self, link: str) -> str:
        """SQL for the position of the source word."""
        return f"{link}.{'target' if self.reversed else 'source'} + {self.shift}"

    def target(self, link: str) -> str:
        """SQL for the position of the target word."""
        return f"{link}.{'source' if self.reversed else 'target'} + {self.shift}"

    def of(self, links: Ints) -> Ints:
        """Links that are read so, int64[3, links]: numbers of sentences, and positions of source and target words."""
        sentences, source, target = links
        positions = (target, source) if self.reversed else (source, target)
        return np.stack([sentences, *(position + self.shift for position in positions)])


def other_readings(form: str, notation: Notation, side: str = "") -> dict[LinkReading, str]:
    """The other ways to read a file, and the options that select them; the likeliest first.

    side: the prefix of the options' names, as `gold-` in `--gold-base`.
    """
    base = _base(form, notation)
    turned = f"without --{side}reverse" if notation.reverse else f"with --{side}reverse"
    readings = {LinkReading(True, 0): turned}
    if base is None:
        return readings
    other = f"with --{side}base {1 - base}"
    shift = 1 if base else -1
    return {**readings, LinkReading(False, shift): other, LinkReading(True, shift): f"{turned} and {other}"}


def readings_with_gold(
    form: str, notation: Notation, gold_form: str, gold_notation: Notation
) -> dict[LinkReading, str]:
    """The other ways to read a file or the gold file, as ways to read the former, and the options that select them.

    Reading the gold file with the other base is the same as shifting the links of the file the other way. Where both
    files are of one format, --base is for both unless --gold-base is given.
    """
    gold_base = _base(gold_form, gold_notation)
    readings = other_readings(form, notation)
    if form == gold_form and gold_base is not None:
        readings = {
            way: f"{option} --gold-base {gold_base}" if way.shift else option for way, option in readings.items()
        }
    if gold_base is not None:
        shift = -1 if gold_base else 1
        for way, option in list(readings.items()):
            if not way.shift:
                readings.setdefault(LinkReading(way.reversed, shift), f"{option} and with --gold-base {1 - gold_base}")
        readings.setdefault(LinkReading(False, shift), f"with --gold-base {1 - gold_base}")
    return readings


def readings_of_loaded() -> dict[LinkReading, str]:
    """The other ways in which a loaded alignment could have been read."""
    return {
        LinkReading(True, 0): "turned round",
        LinkReading(False, -1): "with every position one lower",
        LinkReading(False, 1): "with every position one higher",
    }


def _base(form: str, notation: Notation) -> int | None:
    """The number of a sentence's first word in a file; None where a format has no other."""
    module = readers.reader_module(form)
    if hasattr(module, "FIXED_BASE"):
        return None
    base: int = module.BASE if notation.base is None else notation.base
    return base


def linked_texts(engine: Engine, corpus: str) -> tuple[str | None, str | None]:
    """The corpora whose words loaded links connect, of the source and of the target; None for those not loaded."""
    [(source, target)] = engine.rows(_LINKED_TEXTS, {"corpus": corpus})
    return source, target


def check_links(
    engine: Engine,
    corpus: str,
    source: str | None,
    target: str | None,
    others: Mapping[LinkReading, str],
) -> None:
    """Raises InvalidInput where links of an alignment lie outside of their sentences.

    source, target: the corpora of these, None where they are unknown. others: other ways to read the links; the hint
    names one that leaves far fewer links outside.
    """
    for text in (source, target):
        if text is not None:
            _check_sentence_counts(engine, corpus, text)
    values = {"corpus": corpus, "source": source, "target": target}
    counted = [f"sum(CASE WHEN {_outside(way)} THEN 1 ELSE 0 END)" for way in (LinkReading(False, 0), *others)]
    sql = f"SELECT count(*), {', '.join(counted)} FROM {_WITH_LENGTHS}"
    [(n, outside, *elsewhere)] = engine.rows(sql, values)
    if not outside:
        return
    texts = [text for text in (source, target) if text]
    hint = f"check whether {' and '.join(texts)} {'are' if len(texts) > 1 else 'is'} what was aligned"
    if others:
        fewest, way = min(zip(elsewhere, others.values(), strict=True), key=lambda pair: int(pair[0]))
        if 2 * fewest < outside:
            hint = f"{way} it would be {fewest or 'none'}; try that"
    first = engine.rows(
        f"SELECT s.file, s.line, a.source, a.target, a.source_words, a.target_words FROM {_WITH_LENGTHS} "
        "JOIN sentences AS s ON s.corpus = $corpus AND s.sentence = a.sentence "
        f"WHERE {_outside(LinkReading(False, 0))} ORDER BY a.sentence, a.source, a.target LIMIT {FAULTS_SHOWN}",
        values,
    )
    what = f"links outside of their sentences: {outside:,} of {n:,}"
    faults = [Diagnostic.error(first[0][0], 0, what, hint)]
    for file, line, *link in first:
        faults.append(Diagnostic.error(file, line, _described(*link), "fix the link, or the texts"))
    raise InvalidInput(faults)


_WITH_LENGTHS = """
    (SELECT l.sentence, l.source, l.target,
            CASE WHEN $source IS NOT NULL THEN coalesce(x.n_words, 0) END AS source_words,
            CASE WHEN $target IS NOT NULL THEN coalesce(y.n_words, 0) END AS target_words
     FROM alignments AS l
     LEFT JOIN (SELECT * FROM sentences WHERE corpus = $source) AS x ON x.sentence = l.sentence
     LEFT JOIN (SELECT * FROM sentences WHERE corpus = $target) AS y ON y.sentence = l.sentence
     WHERE l.corpus = $corpus) AS a
"""


def _outside(way: LinkReading) -> str:
    """SQL for links, `a`, with a word outside of its sentence. Word 0 of a null link is not outside."""
    least = 1 if way.shift else 0
    source, target = way.source("a"), way.target("a")
    return (
        f"(a.source_words IS NOT NULL AND NOT {source} BETWEEN {least} AND a.source_words "
        f"OR a.target_words IS NOT NULL AND NOT {target} BETWEEN {least} AND a.target_words)"
    )


def _described(source: int, target: int, source_words: int | None, target_words: int | None) -> str:
    if source_words is not None and source > source_words:
        return f"a link of source word {source}, in a sentence of {source_words}"
    return f"a link of target word {target}, in a sentence of {target_words}"


def _check_sentence_counts(engine: Engine, corpus: str, text: str) -> None:
    """Raises InvalidInput where an alignment and a text differ in length; a WPT file may have fewer sentences."""
    record, wanted = record_of(engine, corpus), record_of(engine, text).n_sentences
    n = record.n_sentences
    if n > wanted or (n < wanted and record.format != "wpt"):
        what = f"{n:,} sentence{'s' if n != 1 else ''}, where {text} has {wanted:,}"
        raise InvalidInput(
            [Diagnostic.error(str(record.path), 0, what, "give the text that was aligned, a sentence a line")]
        )


def find_extra_links(engine: Engine, gold: str, corpus: str) -> Diagnostic | None:
    """A warning where an alignment has links after the last gold sentence, which only a WPT gold file allows."""
    gold_record, record = record_of(engine, gold), record_of(engine, corpus)
    n_gold = gold_record.n_sentences
    if record.n_sentences <= n_gold or gold_record.format != "wpt":
        return None
    sql = "SELECT count(*) FROM alignments WHERE corpus = $corpus AND sentence >= $n_gold"
    [(n_links,)] = engine.rows(sql, {"corpus": corpus, "n_gold": n_gold})
    if not n_links:
        return None
    what = f"links of sentences after the last gold one, {n_gold}: {n_links}"
    return Diagnostic.warning(str(record.path), 0, what, "they count as wrong; a row per sentence leaves them out")


def _sampled_links(engine: Engine, corpus: str) -> Ints:
    """Links of the first sentences of an alignment, as of `LinkReading.of`."""
    sql = "SELECT a.sentence, a.source, a.target FROM alignments AS a WHERE a.corpus = $corpus AND a.sentence < $n"
    rows = engine.table(sql, {"corpus": corpus, "n": SAMPLE_SIZE}, aggregated=True)
    return np.stack([column.to_numpy() for column in rows.columns]).astype(np.int64)


def _keys(links: Ints) -> Ints:
    """A number for every link, the same for the same link. Positions may be one lower or higher than in a file."""
    sentences, source, target = links
    keys: Ints = (sentences * _MAX_POSITION + source + 1) * _MAX_POSITION + target + 1
    return keys


def suggest_notation(engine: Engine, gold: str, corpus: str, others: Mapping[LinkReading, str]) -> Diagnostic | None:
    """A warning where links agree with the gold links far better if they are read in another way."""
    if not others:
        return None
    links, gold_links = (_sampled_links(engine, name) for name in (corpus, gold))
    known = _keys(gold_links)
    now, *elsewhere = (
        int(np.isin(_keys(reading.of(links)), known).sum()) for reading in (LinkReading(False, 0), *others)
    )
    readings = (
        (n_links, not reading.reversed, option)
        for n_links, (reading, option) in zip(elsewhere, others.items(), strict=True)
    )
    most, _, way = max(readings, key=lambda candidate: candidate[:2])  # on a diagonal a reversal changes nothing
    if not most or most < now + max(MIN_LINKS_GAINED, now / 10):
        return None
    path = str(record_of(engine, corpus).path)
    what = f"{now:,} of the first {links.shape[1]:,} links are those of {gold}; {way} it would be {most:,}"
    return Diagnostic.warning(path, 0, what, "check whether base and direction are right")
