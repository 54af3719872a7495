"""A scorer of word alignments as one writes it in Python, line by line: what benchmarks/alignment.py compares with.

python benchmarks/plain_alignment.py GOLD SYSTEM
"""

from __future__ import annotations

import sys

Links = set[tuple[int, int]]


def links(line: str) -> tuple[Links, Links]:
    """The sure links of a line, and all."""
    sure, possible = set(), set()
    for link in line.split():
        i, j = link.replace("p", "-").split("-")
        pair = int(i), int(j)
        possible.add(pair)
        if "-" in link:
            sure.add(pair)
    return sure, possible


def main() -> None:
    proposed = wanted = right = sure_hits = 0
    with open(sys.argv[1]) as gold, open(sys.argv[2]) as system:
        for gold_line, line in zip(gold, system, strict=True):
            sure, possible = links(gold_line)
            _, links_of_system = links(line)
            proposed += len(links_of_system)
            wanted += len(sure)
            right += len(links_of_system & possible)
            sure_hits += len(links_of_system & sure)
    print(right / proposed, sure_hits / wanted, 1 - (right + sure_hits) / (proposed + wanted))


if __name__ == "__main__":
    main()
