"""Valid CoNLL-U files for Hypothesis, and a naive reader of them."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import strategies as st

from treesql.readers.source import describe_foreign

# Values may be any text without tabs and line ends. Some are drawn more often: the lengths around 12 bytes, at which
# a string moves out of its view, and what a reader might take for something else.
_character = st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r")
values = st.sampled_from(
    [
        "_",
        "_",
        "_",
        "a",
        "word",
        "Zwölfsilber",
        "twelve bytes",
        "thirteen bytes",
        "a b",
        "1\u00a0000",
        "漢字",
        "😀",
        "#",
        "__",
    ]
) | st.text(_character, min_size=1, max_size=16)
_comments = st.one_of(
    st.builds("# {} = {}".format, st.sampled_from(["sent_id", "text", "newdoc id", "newpar id", "x"]), values),
    st.sampled_from(["# newdoc", "# newpar", "#", "##", "# 1\t2\t3", "#sent_id=s"]),
)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """One sentence with its comments, multiword tokens, empty nodes and the blank line that ends it."""
    n = draw(st.integers(1, 6))
    lines = draw(st.lists(_comments, max_size=3))
    parsed = draw(st.booleans())
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: draw(st.sampled_from([0, *order[:done]])) for done, word in enumerate(order)}
    n_empty = {word: draw(st.sampled_from([0, 0, 0, 1, 2])) for word in range(n + 1)}
    nodes = [f"{word}.{i}" for word, last in n_empty.items() for i in range(1, last + 1)]
    nodes += map(str, range(n + 1))
    in_token = 0

    def deps() -> str:
        edges = draw(st.lists(st.tuples(st.sampled_from(nodes), _relations), max_size=2, unique=True))
        return "|".join(map(":".join, edges)) or "_"

    def fields(number: int) -> list[str]:
        return [draw(values) for _ in range(number)]

    for word in range(n + 1):
        if word:
            if word > in_token and draw(st.integers(0, 3)) == 0:
                in_token = draw(st.integers(word, n))
                lines.append("\t".join([f"{word}-{in_token}", *fields(5), "_", "_", "_", *fields(1)]))
            head = str(heads[word]) if parsed else "_"
            lines.append("\t".join([str(word), *fields(5), head, *fields(1), deps(), *fields(1)]))
        for i in range(1, n_empty[word] + 1):
            lines.append("\t".join([f"{word}.{i}", *fields(5), "_", "_", deps(), *fields(1)]))
    return "\n".join(lines) + "\n\n"


_relations = st.sampled_from(["nsubj", "conj:and", "nmod:à_côté_de", "root", "a:b:c", "."])
files = (
    st.lists(sentences(), min_size=1, max_size=4).map("".join).filter(lambda text: not describe_foreign(text.encode()))
)
"""Files, without those that have so many control characters that they are taken for binary ones."""


def naive(file: str) -> dict[str, list[tuple[Any, ...]]]:
    """What the tables of a file hold, read line by line; spans are those of `spans`."""
    found: dict[str, list[tuple[Any, ...]]] = {"words": [], "tokens": [], "empty_nodes": [], "enhanced_edges": []}
    for number, sentence in enumerate(file.split("\n\n")[:-1]):
        for line in sentence.split("\n"):
            if line.startswith("#"):
                continue
            node, form, lemma, *middle, head, deprel, deps, misc = line.split("\t")
            literal = form == "_" == lemma and "." not in node
            texts = ["_" if literal else null(lemma), *map(null, middle)]
            if "-" in node:
                first, last = map(int, node.split("-"))
                found["tokens"].append((number, first, last, form, *texts, null(misc)))
                continue
            word, index = map(int, node.split(".")) if "." in node else (int(node), 0)
            if index:
                found["empty_nodes"].append((number, word, index, null(form), *texts, null(deps), null(misc)))
            else:
                rest = null(head) and int(head), null(deprel), null(deps), null(misc)
                found["words"].append((number, word, form, *texts, *rest))
            for edge in deps.split("|") if deps != "_" else []:
                target, relation = edge.split(":", 1)
                head_word, _, head_index = target.partition(".")
                found["enhanced_edges"].append((number, int(head_word), int(head_index or 0), word, index, relation))
    return found


def null(value: str) -> str | None:
    return None if value == "_" else value


def spans(file: str) -> list[tuple[int, int]]:
    """Where the words of a file begin and end in its text without spaces."""
    found, end, in_token = [], 0, 0
    for line in file.split("\n"):
        node, _, rest = line.partition("\t")
        if not node or node.startswith("#") or "." in node:
            continue
        width = sum(unicodedata.category(character) != "Zs" for character in rest.split("\t")[0])
        if "-" in node:
            first, last = map(int, node.split("-"))
            found += [(end, end + width)] * (last - first + 1)
            in_token, end = last - first + 1, end + width
        elif in_token:
            in_token -= 1
        else:
            found.append((end, end + width))
            end += width
    return found
