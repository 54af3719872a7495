"""Translations of sentences, with the links between the words."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.drawing.grids import POSSIBLE
from treesql.drawing.pairs import Link
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError
from treesql.readers import ALIGNMENT
from treesql.sentences import lookup
from treesql.sentences.sentence import Sentence, Translation
from treesql.sentences.sentence_names import EngineCorpus
from treesql.storage import loading


def find_translations(
    sentences: Sequence[Sentence], target: EngineCorpus, alignment: EngineCorpus
) -> list[Translation]:
    """Return the translations of sentences, in their order; sentences, translations and links correspond by number.

    target, alignment: corpora. Raises UsageError if there is no such sentence, or a link leads out of one.
    """
    engine, corpus = target
    translations = []
    for sentence in sentences:
        translation = lookup.find_by_number(engine, corpus, sentence)
        translations.append(Translation(translation, _find_links(alignment, sentence, translation)))
    return translations


def find_translation(engine: Engine, sentence: Sentence, corpus: str, alignment: str | None = None) -> Translation:
    """Return the translation of a sentence of a database. alignment: the corpus of the links, else the one of both.

    Raises UnknownName, UsageError.
    """
    corpora = loading.corpus_names(engine)
    for name in filter(None, [corpus, alignment]):
        if name not in corpora:
            raise UnknownName("corpus", name, corpora)
    links = alignment or find_alignment(engine, sentence.corpus, corpus)
    return find_translations([sentence], (engine, corpus), (engine, links))[0]


def find_alignment(engine: Engine, corpus: str, other: str) -> str:
    """Return the alignment of a database that links the words of two corpora, in either direction.

    Raises UsageError if there is none, or several.
    """
    sql = (
        "SELECT DISTINCT a.corpus FROM alignments AS a WHERE (a.source_corpus = $corpus AND a.target_corpus = $other)"
        " OR (a.source_corpus = $other AND a.target_corpus = $corpus) ORDER BY a.corpus"
    )
    names = [name for (name,) in engine.rows(sql, {"corpus": corpus, "other": other})]
    if len(names) == 1:
        return str(names[0])
    if names:
        raise UsageError(
            f"several alignments link {corpus} and {other}: {', '.join(names)}; choose one with --links NAME"
        )
    raise UsageError(f"no alignment was loaded as one of {corpus} and {other}; name the links with --links")


def _find_links(alignment: EngineCorpus, original: Sentence, translation: Sentence) -> tuple[Link, ...]:
    engine, corpus = alignment
    sql = "SELECT c.kind, c.n_sentences FROM corpora AS c WHERE c.corpus = $corpus"
    [(kind, n_sentences)] = engine.rows(sql, {"corpus": corpus})
    if kind != ALIGNMENT:
        aligned = engine.rows("SELECT c.corpus FROM corpora AS c WHERE c.kind = 'alignment'")
        advice = f"alignments are {', '.join(name for (name,) in aligned)}" if aligned else "name an alignment"
        raise UsageError(f"{corpus} has no links between words; {advice}")
    if original.sentence >= n_sentences:
        raise UsageError(
            f"{corpus} has links of {n_sentences} sentences, none of {original.place}, number {original.sentence}"
        )
    sql = (
        "SELECT a.source, a.target, a.sure, a.source_corpus, a.target_corpus FROM alignments AS a"
        " WHERE a.corpus = $corpus AND a.sentence = $sentence ORDER BY a.source, a.target"
    )
    links = []
    for source, target, sure, source_corpus, target_corpus in engine.rows(
        sql, {"corpus": corpus, "sentence": original.sentence}
    ):
        is_reversed = original.corpus == target_corpus or translation.corpus == source_corpus
        first, second = (target, source) if is_reversed else (source, target)
        for place, sentence in ((first, original), (second, translation)):
            if place > len(sentence.words):
                raise UsageError(
                    f"{corpus} links word {place} of {sentence.place}, which has {len(sentence.words)}; "
                    "name what was aligned, and see --base and --reverse"
                )
        if first and second:
            links.append(Link(first, second, "" if sure else POSSIBLE))
    return tuple(links)
