"""Make a large CoNLL-U file by repeating a small one, forms, lemmas and sent_ids changed in every repetition.

python benchmarks/enlarge.py SMALL.conllu[.gz] TIMES > LARGE.conllu
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path


def main() -> None:
    path, times = Path(sys.argv[1]), int(sys.argv[2])
    text = gzip.open(path, "rt", encoding="utf-8").read() if path.suffix == ".gz" else path.read_text("utf-8")
    words = re.compile(r"^(\d[^\t]*\t[^\t\n]+)(\t[^\t\n]+)", re.MULTILINE)
    ids = re.compile(r"^(# sent_id = .*)$", re.MULTILINE)
    for repetition in range(times):
        changed = words.sub(lambda m, n=repetition: f"{m[1]}{n}{m[2]}{n}", text) if repetition else text
        sys.stdout.write(ids.sub(lambda m, n=repetition: f"{m[1]}-{n}", changed))


if __name__ == "__main__":
    main()
