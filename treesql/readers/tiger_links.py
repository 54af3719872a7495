"""Links between the elements of a sentence of TIGER-XML: the parents and functions of its words and phrases."""

from __future__ import annotations

from treesql.readers.fields import Faults
from treesql.readers.tiger_elements import OPEN, TigerSentence

ROOT = 0
"""The number of the root above all phrases, which is no phrase."""

MAX_SHOWN = 60
"""Maximum number of characters of a value that an error message quotes."""


class LinkedSentence:
    """A sentence with the parents and functions of its words and phrases, counted from 1 (0: the root); notes its first
    fault.

    phrases: places among the elements <nt>, which may hold the root, too. secondary: word and phrase that hang there,
    one of them 0, the further parent, and the label.
    """

    def __init__(self, sentence: TigerSentence, faults: Faults) -> None:
        self.sentence = sentence
        self.above, self.word_functions = [-1] * len(sentence.words), [""] * len(sentence.words)
        self.phrases = [*range(len(sentence.phrases))]
        for at, values in enumerate(sentence.phrases):
            if values.get("id") == sentence.root and _is_root(values):
                self.phrases.remove(at)
        self.parents, self.phrase_functions = [-1] * len(self.phrases), [""] * len(self.phrases)
        self.secondary: list[tuple[int, int, int, str]] = []
        self._numbers: dict[str | None, int] = {}
        fault = self._number() or self._link() or self._link_secondary() or self._find_second_root()
        if fault:
            faults.add(*fault)
        self.above = [max(parent, ROOT) for parent in self.above] if -1 in self.above else self.above
        self.parents = [max(parent, ROOT) for parent in self.parents] if -1 in self.parents else self.parents

    def _number(self) -> tuple[int, str, str] | None:
        """Number words from 1 on and phrases from -1 down, by their ids."""
        sentence, numbers = self.sentence, self._numbers
        if not sentence.name:
            return sentence.line, "<s> without an id", 'give every sentence one: <s id="s1">'
        n_words, n_phrases = len(sentence.words), len(self.phrases)
        numbers.update(zip([values.get("id") for values in sentence.words], range(1, n_words + 1), strict=True))
        names = [sentence.phrases[place].get("id") for place in self.phrases]
        numbers.update(zip(names, range(-1, -n_phrases - 1, -1), strict=True))
        roots = len(sentence.phrases) - len(self.phrases)
        if roots:
            numbers[sentence.root] = ROOT
        if None in numbers or len(numbers) != n_words + n_phrases + min(roots, 1) or roots > 1:
            return self._describe_ids()
        if all(values.get("word") for values in sentence.words):
            return None
        lines = zip(sentence.words, sentence.word_lines, strict=True)
        line = next(line for values, line in lines if not values.get("word"))
        return line, "<t> without a word", 'write the word as in word="cat"'

    def _describe_ids(self) -> tuple[int, str, str]:
        """The first element without an id of its own."""
        sentence, had = self.sentence, set()
        elements = [*zip(sentence.words, sentence.word_lines, strict=True)]
        elements += zip(sentence.phrases, sentence.phrase_lines, strict=True)
        for values, line in elements:
            name = values.get("id")
            if name is None:
                return line, "an element without an id", "give every word and phrase one"
            if name in had:
                what = f"id `{name[:MAX_SHOWN]}` is given twice"
                return line, what, "give every word and phrase of a sentence its own id"
            had.add(name)
        return sentence.line, "ids that are not distinct", "give every word and phrase of a sentence its own id"

    def _link(self) -> tuple[int, str, str] | None:
        numbers, above, parents = self._numbers, self.above, self.parents
        word_functions, phrase_functions = self.word_functions, self.phrase_functions
        sentence = self.sentence
        for place, edges in enumerate(sentence.children):
            parent = -numbers[sentence.phrases[place]["id"]]
            for edge in edges:
                number = numbers.get(edge.get("idref"))
                if number is None:
                    return self._describe_edge(place, edge.get("idref"))
                if number > 0 and above[number - 1] < 0:
                    above[number - 1], word_functions[number - 1] = parent, edge.get("label", "")
                elif number < 0 and parents[-number - 1] < 0:
                    parents[-number - 1], phrase_functions[-number - 1] = parent, edge.get("label", "")
                else:
                    what = f"`{edge['idref'][:MAX_SHOWN]}` has two parents" if number else "the root is below a phrase"
                    hint = "keep one edge to it; further parents are secondary edges, <secedge>"
                    return sentence.phrase_lines[place], what, hint
        return None

    def _describe_edge(self, place: int, name: str | None) -> tuple[int, str, str]:
        line, phrase = self.sentence.phrase_lines[place], self.sentence.phrases[place]["id"][:MAX_SHOWN]
        if name is None:
            return line, f"<edge> of `{phrase}` without an idref", 'name the child by its id: idref="s1_1"'
        what = f"an edge of `{phrase}` to `{name[:MAX_SHOWN]}`, which the sentence does not have"
        return line, what, "name a word or a phrase"

    def _link_secondary(self) -> tuple[int, str, str] | None:
        """As in TIGER, the element with the edge hangs below the one that it names; but a word is never a parent."""
        for had_by, values, line in self.sentence.secondary:
            owner = had_by if had_by > 0 else self._numbers[self.sentence.phrases[-had_by - 1]["id"]]
            name = values.get("idref")
            number = self._numbers.get(name)
            if name is None:
                return line, "<secedge> without an idref", 'name the further parent by its id: idref="s1_500"'
            if number is None:
                what = f"a secondary edge to `{name[:MAX_SHOWN]}`, which the sentence does not have"
                return line, what, "name a phrase"
            if number > 0:
                owner, number = number, owner
            if number > 0 or owner == ROOT:
                return line, "a secondary edge between two words, or above the root", "let it lead to a phrase"
            label = values.get("label", "")
            word, node = (owner, 0) if owner > 0 else (0, -owner)
            self.secondary.append((word, node, -number, "" if label == OPEN else label))
        return None

    def _find_second_root(self) -> tuple[int, str, str] | None:
        """A second root; words without a parent hang below the root."""
        sentence = self.sentence
        if not sentence.root:
            return None
        if sentence.root not in self._numbers:
            return sentence.line, f"root `{sentence.root[:MAX_SHOWN]}` does not exist", "name a phrase or a word"
        tops = [place for place, parent in zip(self.phrases, self.parents, strict=True) if parent < 0]
        if len(tops) < 2 or self._numbers[sentence.root] == ROOT:
            return None
        names = " and ".join(f"`{sentence.phrases[place]['id'][:MAX_SHOWN]}`" for place in tops[:2])
        hint = 'hang one below the other, or both below a phrase of the category "VROOT", named as root'
        return sentence.phrase_lines[tops[1]], f"two roots, {names}", hint


def _is_root(values: dict[str, str]) -> bool:
    """Whether the phrase that a sentence names as root is the root above all others, which is no phrase."""
    return "id" in values and (values.get("cat") == "VROOT" or values["id"].endswith("VROOT"))
