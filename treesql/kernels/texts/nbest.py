"""n-best lists: their texts as numbers, of every list its references and its hypotheses by the words of these;
errors and n-grams of the hypotheses.

Words stand between blanks or tabs. A word that no reference of the list has is 0, for it matches nothing. Expected
O(bytes), by a hash table for every list.

How many steps of each kind an alignment of two sequences with fewest edits has, for many pairs.

Sources: Levenshtein 1966; Wagner & Fischer 1974.

Errors of the hypotheses of n-best lists, each against the reference with fewest.

Edits are computed for 64 words of a reference at a time, as bits of a machine word: O(words * reference / 64). Sources:
Myers 1999, A fast bit-vector algorithm for approximate string matching based on dynamic programming; Hyyrö 2003, A
bit-vector algorithm for computing Levenshtein and Damerau edit distances.

N-grams that the hypotheses of n-best lists share with references, and BLEU and chrF of every hypothesis.

Sources: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation; Chen & Cherry 2014, A
systematic comparison of smoothing techniques for sentence-level BLEU; Popović 2015, chrF: character n-gram F-score for
automatic MT evaluation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Floats, Ints, Keys
from treesql.kernels.compiling import ONE, ZERO, compiled, count_cells, largest_difference, read_only
from treesql.kernels.keys import BASIS, PRIME, SPREAD
from treesql.kernels.texts.translation_edits import edits_of_pair, make_tables


class Texts(NamedTuple):
    """Texts of lists. numbers: of all items, one after the other; offsets: (texts + 1,); lists: (lists + 1,), the first
    and last text of every list."""

    numbers: Ints
    offsets: Ints
    lists: Ints


def number_words(
    text: Bytes, offsets: Ints, lists: Ints, references: Bytes, reference_offsets: Ints, reference_lists: Ints
) -> tuple[Texts, Texts]:
    """Return the words of hypotheses and of references as numbers from 1 on, by list.

    text, references: the bytes of all texts, concatenated; offsets: (texts + 1,); lists: (lists + 1,).
    """
    arrays = read_only(text, offsets, lists, references, reference_offsets, reference_lists)
    ends = _word_offsets(*arrays[:2]), _word_offsets(*arrays[3:5])
    numbers = np.zeros(int(ends[0][-1]), np.int64), np.zeros(int(ends[1][-1]), np.int64)
    _number_words(*(*arrays, *numbers))
    return Texts(numbers[0], ends[0], lists), Texts(numbers[1], ends[1], reference_lists)


@compiled
def _is_blank(byte: int) -> bool:
    return byte == 32 or byte == 9


def _word_offsets(text: Bytes, offsets: Ints) -> Ints:
    """Return the number of words before every text, and of all."""
    blank = (text == 32) | (text == 9)
    begins = ~blank
    begins[1:] &= blank[:-1]
    firsts = offsets[:-1][offsets[1:] > offsets[:-1]]
    begins[firsts] = ~blank[firsts]
    return np.searchsorted(np.flatnonzero(begins[: offsets[-1]]), offsets)


@compiled(wraps=True)
def _next_word(text: Bytes, at: int, end: int) -> tuple[int, int, np.uint64]:
    """Return where the next word begins and ends, and its key; it is empty at the end of the text."""
    while at < end and _is_blank(text[at]):
        at += 1
    start, key = at, BASIS
    while at < end and not _is_blank(text[at]):
        key = (key ^ np.uint64(text[at])) * PRIME
        at += 1
    return start, at, key


@compiled(wraps=True)
def _find_word(
    slots: Ints, words: Ints, keys: Keys, known: Bytes, text: Bytes, start: int, end: int, key: np.uint64
) -> int:
    """Return the slot of a word of a text, or the free slot for it.

    slots: numbers of words, 0 in free ones; words: (2, words), where they begin and end in `known`; keys: (words,).
    """
    last = len(slots) - 1
    slot = np.int64((key * SPREAD) >> np.uint64(32)) & last
    while slots[slot] > 0:
        word = slots[slot] - 1
        if keys[word] == key and words[1, word] - words[0, word] == end - start:
            same = True
            for at in range(end - start):
                if known[words[0, word] + at] != text[start + at]:
                    same = False
                    break
            if same:
                break
        slot = (slot + 1) & last
    return int(slot)


@compiled
def _number_words(
    text: Bytes, offsets: Ints, lists: Ints, references: Bytes, reference_offsets: Ints, reference_lists: Ints,
    numbers: Ints, reference_numbers: Ints,
) -> None:  # fmt: skip
    written, written_references = ZERO, ZERO
    table, words, keys = np.zeros(8, np.int64), np.zeros((2, 4), np.int64), np.zeros(4, np.uint64)
    for sentence in range(len(lists) - 1):
        first, last = reference_lists[sentence], reference_lists[sentence + 1]
        room = (reference_offsets[last] - reference_offsets[first]) // 2 + last - first + 1
        if room > len(keys):
            words, keys = np.zeros((2, 2 * room), np.int64), np.zeros(2 * room, np.uint64)
        size = 8
        while size < 2 * room:
            size *= 2
        if size > len(table):
            table = np.zeros(size, np.int64)
        slots = table[:size]
        slots[:] = 0
        distinct = 0
        for row in range(first, last):
            at = reference_offsets[row]
            while True:
                start, at, key = _next_word(references, at, reference_offsets[row + 1])
                if start == at:
                    break
                slot = _find_word(slots, words, keys, references, references, start, at, key)
                if slots[slot] == 0:
                    words[0, distinct], words[1, distinct], keys[distinct] = start, at, key
                    distinct += 1
                    slots[slot] = distinct
                reference_numbers[written_references] = slots[slot]
                written_references += 1
        for row in range(lists[sentence], lists[sentence + 1]):
            at = offsets[row]
            while True:
                start, at, key = _next_word(text, at, offsets[row + 1])
                if start == at:
                    break
                numbers[written] = slots[_find_word(slots, words, keys, references, text, start, at, key)]
                written += 1


def count_edits(hypotheses: Texts, references: Texts, substitution: int, gap: int) -> Ints:
    """Return for every pair the matches, substitutions, insertions and deletions of an alignment: (pairs, 4).

    substitution, gap: weights of a substitution, and of an insertion or deletion. Of the alignments with the least
    weight, that with most matches; its counts follow from its cost, for matches, substitutions and insertions are the
    items of the hypothesis, matches, substitutions and deletions those of the reference. Equal items at both ends
    match in such an alignment. O(m n) time at most, O(n) memory per pair.
    """
    counts = np.zeros((len(hypotheses.offsets) - 1, 4), np.int64)
    left, right = read_only(*hypotheses[:2]), read_only(*references[:2])
    _count_edits(left[0], left[1], right[0], right[1], substitution, gap, counts)
    return counts


@compiled(cost=count_cells)
def _count_edits(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, substitution: int, gap: int, counts: Ints
) -> None:
    row = np.empty(largest_difference(right_offsets) + 1, np.int64)
    for pair in range(len(counts)):
        first, other = left_offsets[pair], right_offsets[pair]
        end, other_end = left_offsets[pair + 1], right_offsets[pair + 1]
        n = end - first
        while first < end and other < other_end and left[first] == right[other]:
            first += 1
            other += 1
        while first < end and other < other_end and left[end - 1] == right[other_end - 1]:
            end -= 1
            other_end -= 1
        height, width = end - first, other_end - other
        unit = height + width + 1
        replaced, indel = substitution * unit, gap * unit
        for j in range(width + 1):
            row[j] = j * indel
        for i in range(height):
            item, corner = left[first + i], row[0]
            row[0] = corner + indel
            best = row[0]
            for j in range(width):
                least = corner + (-1 if item == right[other + j] else replaced)
                corner = row[j + 1]
                best = min(min(least, corner + indel), best + indel)
                row[j + 1] = best
        weight = -(-row[width] // unit)
        hits = weight * unit - row[width]
        # height + width = 2 hits + 2 substitutions + gaps, and weight = substitution * substitutions + gap * gaps
        pairs_left = height + width - 2 * hits
        substitutions = (gap * pairs_left - weight) // (2 * gap - substitution)
        counts[pair, 0] = hits + n - height
        counts[pair, 1] = substitutions
        counts[pair, 2] = height - hits - substitutions
        counts[pair, 3] = width - hits - substitutions


_ONE, _ZERO, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP, _BITS = np.uint64(63), 64

UNKNOWN = 1 << 40
"""The errors of a hypothesis that cannot have fewer than one before it in its list."""


def word_edits(hypotheses: Texts, references: Texts) -> Ints:
    """Return the fewest words to insert, delete or replace in every hypothesis: (hypotheses,). O(words)."""
    edits = np.full(len(hypotheses.offsets) - 1, UNKNOWN, np.int64)
    _word_edits(*(*read_only(*hypotheses, *references), edits))
    return edits


def word_differences(hypotheses: Texts, references: Texts) -> Ints:
    """Return the larger number of words that a hypothesis or its reference has beyond the other: (hypotheses,)."""
    differences = np.full(len(hypotheses.offsets) - 1, UNKNOWN, np.int64)
    _word_differences(*(*read_only(*hypotheses, *references), differences))
    return differences


def shift_edits(hypotheses: Texts, references: Texts) -> Ints:
    """Return the edits of TER of every hypothesis, UNKNOWN where one before it has no more: (hypotheses,).

    Shifts change no word, so that there are at least as many edits as words that differ; those that have more of these
    than the best one before has edits are passed over.
    """
    edits = np.full(len(hypotheses.offsets) - 1, UNKNOWN, np.int64)
    _shift_edits(*(*read_only(*hypotheses, *references), edits))
    return edits


@compiled
def _largest(numbers: Ints) -> int:
    largest = 0
    for number in numbers:
        largest = max(largest, number)
    return largest


@compiled
def _differences(words: Ints, reference_length: int, counts: Ints, seen: Ints) -> int:
    """Return the words that differ. counts: of the reference's words, by number; seen: zeros, which it leaves so."""
    shared = 0
    for word in words:
        if word > 0:
            seen[word] += 1
            shared += seen[word] <= counts[word]
    for word in words:
        seen[word] = 0
    return int(max(len(words), reference_length) - shared)


@compiled
def _word_differences(
    words: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    differences: Ints,
) -> None:  # fmt: skip
    n_numbers = _largest(references) + 1
    counts, seen = np.zeros(n_numbers, np.int64), np.zeros(n_numbers, np.int64)
    for sentence in range(len(lists) - 1):
        for row in range(reference_lists[sentence], reference_lists[sentence + 1]):
            reference = references[reference_offsets[row] : reference_offsets[row + 1]]
            for word in reference:
                counts[word] += 1
            for at in range(lists[sentence], lists[sentence + 1]):
                hypothesis = words[offsets[at] : offsets[at + 1]]
                differences[at] = min(differences[at], _differences(hypothesis, len(reference), counts, seen))
            for word in reference:
                counts[word] = 0


@compiled
def _word_edits(
    words: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    edits: Ints,
) -> None:  # fmt: skip
    blocks = largest_difference(reference_offsets) // _BITS + 1
    places = np.zeros((_largest(references) + 1, blocks), np.uint64)
    more, less = np.empty(blocks, np.uint64), np.empty(blocks, np.uint64)
    for sentence in range(len(lists) - 1):
        for row in range(reference_lists[sentence], reference_lists[sentence + 1]):
            start = reference_offsets[row]
            n = reference_offsets[row + 1] - start
            for place in range(n):
                places[references[start + place], place // _BITS] |= _ONE << np.uint64(place % _BITS)
            for at in range(lists[sentence], lists[sentence + 1]):
                hypothesis = words[offsets[at] : offsets[at + 1]]
                edits[at] = min(edits[at], _edits(hypothesis, n, places, more, less))
            for place in range(n):
                places[references[start + place], place // _BITS] = _ZERO


@compiled(wraps=True)
def _edits(words: Ints, n: int, places: Keys, more: Keys, less: Keys) -> int:
    """Return the edits of a hypothesis against a reference of n words.

    places: by number of a word and block, the places where the reference has it; more, less: by block, the places after
    which the cost of the column grows and falls by one.
    """
    if n == 0:
        return len(words)
    n_blocks = (n + _BITS - 1) // _BITS
    for block in range(n_blocks):
        more[block], less[block] = _ALL, _ZERO
    cost, last = n, np.uint64((n - 1) % _BITS)
    for word in words:
        carry_more, carry_less = _ONE, _ZERO
        for block in range(n_blocks):
            equal = places[word, block]
            vertical = equal | less[block]
            equal |= carry_less
            across = (((equal & more[block]) + more[block]) ^ more[block]) | equal
            grows = less[block] | ~(across | more[block])
            falls = more[block] & across
            top = last if block == n_blocks - 1 else _TOP
            next_more, next_less = (grows >> top) & _ONE, (falls >> top) & _ONE
            grows = (grows << _ONE) | carry_more
            falls = (falls << _ONE) | carry_less
            more[block] = falls | ~(vertical | grows)
            less[block] = grows & vertical
            carry_more, carry_less = next_more, next_less
        cost += int(np.int64(carry_more) - np.int64(carry_less))
    return cost


@compiled
def _shift_edits(
    words: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    edits: Ints,
) -> None:  # fmt: skip
    n_numbers = _largest(references) + 1
    counts, seen = np.zeros(n_numbers, np.int64), np.zeros(n_numbers, np.int64)
    tables = make_tables(largest_difference(offsets), largest_difference(reference_offsets))
    for sentence in range(len(lists) - 1):
        best = UNKNOWN
        for at in range(lists[sentence], lists[sentence + 1]):
            hypothesis = words[offsets[at] : offsets[at + 1]]
            for row in range(reference_lists[sentence], reference_lists[sentence + 1]):
                reference = references[reference_offsets[row] : reference_offsets[row + 1]]
                for word in reference:
                    counts[word] += 1
                differences = _differences(hypothesis, len(reference), counts, seen)
                for word in reference:
                    counts[word] = 0
                if differences < min(best, edits[at]):
                    edits[at] = min(edits[at], edits_of_pair(hypothesis, reference, tables))
            best = min(best, edits[at])


BLEU_ORDER, CHRF_ORDER = 4, 6
"""Maximum lengths of n-grams, of words and of characters."""

_BETA_SQUARE = 4.0
"""The weight of recall in chrF."""


def bleu(hypotheses: Texts, references: Texts) -> Floats:
    """Return BLEU of every hypothesis over the orders that it has, with exponential smoothing: (hypotheses,).

    An n-gram matches as often as the reference has it that has it most often. Expected O(words).
    """
    matches = shared_n_grams(hypotheses, references, BLEU_ORDER)
    scores = np.zeros(len(matches))
    _bleu(*(*read_only(matches, *hypotheses[1:], *references[1:]), scores))
    return scores


def chrf(hypotheses: Texts, references: Texts) -> Floats:
    """Return chrF of every hypothesis against the only reference of its list: (hypotheses,). Expected O(characters).

    Items are characters, without white space.
    """
    matches = shared_n_grams(hypotheses, references, CHRF_ORDER)
    scores = np.zeros(len(matches))
    _chrf(*(*read_only(matches, *hypotheses[1:], *references[1:]), scores))
    return scores


def shared_n_grams(hypotheses: Texts, references: Texts, longest: int) -> Ints:
    """Return the n-grams of every hypothesis that one of the references has: (hypotheses, longest)."""
    matches = np.zeros((len(hypotheses.offsets) - 1, longest), np.int64)
    _count(*(*read_only(*hypotheses, *references), matches))
    return matches


@compiled(wraps=True)
def _find_n_gram(slots: Ints, keys: Ints, key: int) -> int:
    """Return the slot of an n-gram, or the free slot for it. slots: numbers of n-grams plus 1, 0 for free ones."""
    last = len(slots) - 1
    slot = np.int64((np.uint64(key) * SPREAD) >> np.uint64(32)) & last
    while slots[slot] > 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & last
    return int(slot)


@compiled
def _count(
    items: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    matches: Ints,
) -> None:  # fmt: skip
    """An n-gram is found by the number of all its items but the last, and the last."""
    longest, width = matches.shape[1], ONE
    for item in references:
        width = max(width, int(item) + 1)
    table, keys = np.zeros(8, np.int64), np.zeros(0, np.int64)
    limits, seen, met, last = keys, keys, keys, np.empty(longest, np.int64)
    for sentence in range(len(lists) - 1):
        first, end = reference_lists[sentence], reference_lists[sentence + 1]
        room = (reference_offsets[end] - reference_offsets[first]) * longest
        if room > len(keys):
            keys, limits = np.zeros(2 * room, np.int64), np.zeros(2 * room, np.int64)
            seen, met = np.zeros(2 * room, np.int64), np.zeros(2 * room, np.int64)
        size = 8
        while size < 2 * room:
            size *= 2
        if size > len(table):
            table = np.zeros(size, np.int64)
        slots = table[:size]
        slots[:] = 0
        grams = ZERO
        for row in range(first, end):
            grams = _add_reference(
                references[reference_offsets[row] : reference_offsets[row + 1]], slots, keys, width, limits, seen, last,
                grams,
            )  # fmt: skip
        for at in range(lists[sentence], lists[sentence + 1]):
            n_met = 0
            last[:] = -1
            for item in items[offsets[at] : offsets[at + 1]]:
                for order in range(longest - 1, -1, -1):
                    gram = -1
                    if 0 < item < width and (order == 0 or last[order - 1] >= 0):
                        before = 0 if order == 0 else last[order - 1] + 1
                        gram = slots[_find_n_gram(slots, keys, before * width + item)] - 1
                    last[order] = gram
                    if gram >= 0:
                        if seen[gram] == 0:
                            met[n_met] = gram
                            n_met += 1
                        seen[gram] += 1
                        matches[at, order] += seen[gram] <= limits[gram]
            for place in range(n_met):
                seen[met[place]] = 0
        for gram in range(grams):
            limits[gram] = 0


@compiled
def _add_reference(
    items: Ints, slots: Ints, keys: Ints, width: int, limits: Ints, seen: Ints, last: Ints, grams: int
) -> int:
    """Raise the limits of n-grams to their numbers in a reference, and return the number of n-grams known.

    Two passes count them, and set the counts back.
    """
    for step in range(2):
        last[:] = -1
        for place in range(len(items)):
            for order in range(min(place + 1, len(last)) - 1, -1, -1):
                before = 0 if order == 0 else last[order - 1] + 1
                key = before * width + items[place]
                slot = _find_n_gram(slots, keys, key)
                if slots[slot] == 0:
                    keys[grams] = key
                    grams += 1
                    slots[slot] = grams
                gram = slots[slot] - 1
                last[order] = gram
                if step == 0:
                    seen[gram] += 1
                    limits[gram] = max(limits[gram], seen[gram])
                else:
                    seen[gram] = 0
    return grams


@compiled
def _bleu(
    matches: Ints, offsets: Ints, lists: Ints, reference_offsets: Ints, reference_lists: Ints, scores: Floats
) -> None:
    for sentence in range(len(lists) - 1):
        for at in range(lists[sentence], lists[sentence + 1]):
            n, closest = offsets[at + 1] - offsets[at], -1
            for row in range(reference_lists[sentence], reference_lists[sentence + 1]):
                size = reference_offsets[row + 1] - reference_offsets[row]
                nearer, as_near = abs(size - n) < abs(closest - n), abs(size - n) == abs(closest - n)
                if closest < 0 or nearer or (as_near and size < closest):
                    closest = size
            if matches[at, 0] == 0:
                continue
            orders, total, misses = min(n, matches.shape[1]), min(0.0, 1.0 - closest / n), 0
            for order in range(orders):
                misses += matches[at, order] == 0
                share = matches[at, order] if matches[at, order] > 0 else 0.5**misses
                total += math.log(share / (n - order)) / orders
            scores[at] = math.exp(total)


@compiled
def _chrf(
    matches: Ints, offsets: Ints, lists: Ints, reference_offsets: Ints, reference_lists: Ints, scores: Floats
) -> None:
    for sentence in range(len(lists) - 1):
        row = reference_lists[sentence]
        size = reference_offsets[row + 1] - reference_offsets[row]
        for at in range(lists[sentence], lists[sentence + 1]):
            n = offsets[at + 1] - offsets[at]
            orders = min(n, size, matches.shape[1])
            precision, recall = 0.0, 0.0
            for order in range(orders):
                precision += matches[at, order] / (n - order)
                recall += matches[at, order] / (size - order)
            if precision + recall > 0:
                precision, recall = precision / orders, recall / orders
                scores[at] = (1 + _BETA_SQUARE) * precision * recall / (_BETA_SQUARE * precision + recall)
