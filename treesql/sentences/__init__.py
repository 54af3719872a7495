"""Sentences read from the tables, and drawings of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.sentences.bitext import find_translation as find_translation
    from treesql.sentences.drawn_sentences import DrawnSentences as DrawnSentences
    from treesql.sentences.drawn_sentences import DrawnWith as DrawnWith
    from treesql.sentences.drawn_sentences import show_of as show_of
    from treesql.sentences.listing import ListedSentences as ListedSentences
    from treesql.sentences.listing import find_layers as find_layers
    from treesql.sentences.listing import list_neighbours as list_neighbours
    from treesql.sentences.listing import list_sentences as list_sentences
    from treesql.sentences.lookup import find_sentences as find_sentences
    from treesql.sentences.sentence import Sentence as Sentence
    from treesql.sentences.sentence import Translation as Translation
    from treesql.sentences.sentence_names import names_of as names_of
else:  # imported when they are first used: a database that is open may never be read by sentences
    _NAMES = {
        "treesql.sentences.bitext": ("find_translation",),
        "treesql.sentences.drawn_sentences": ("DrawnSentences", "DrawnWith", "show_of"),
        "treesql.sentences.listing": ("ListedSentences", "find_layers", "list_neighbours", "list_sentences"),
        "treesql.sentences.lookup": ("find_sentences",),
        "treesql.sentences.sentence": ("Sentence", "Translation"),
        "treesql.sentences.sentence_names": ("names_of",),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)
