"""Make a large CoNLL-U file by repeating a small one, forms, lemmas and sent_ids changed in every repetition.

python benchmarks/enlarge.py SMALL.conllu[.gz] TIMES [--same-words] > LARGE.conllu

--same-words: forms and lemmas stay, so that the vocabulary does not grow.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("small", type=Path)
    parser.add_argument("times", type=int)
    parser.add_argument("--same-words", action="store_true")
    given = parser.parse_args()
    for text in itertools.islice(repeated(given.small, same_words=given.same_words), given.times):
        sys.stdout.write(text)


def repeated(small: Path, *, same_words: bool = False) -> Iterator[str]:
    """The text of a file again and again, with other sent_ids and, unless `same_words`, other forms and lemmas."""
    packed = small.read_bytes()
    text = (gzip.decompress(packed) if small.suffix == ".gz" else packed).decode()
    words = re.compile(r"^(\d[^\t]*\t[^\t\n]+)(\t[^\t\n]+)", re.MULTILINE)
    ids = re.compile(r"^(# sent_id = .*)$", re.MULTILINE)
    for repetition in itertools.count():
        same = same_words or not repetition
        changed = text if same else words.sub(rf"\g<1>{repetition}\g<2>{repetition}", text)
        yield ids.sub(rf"\g<1>-{repetition}", changed)


if __name__ == "__main__":
    main()
