"""Coverage-guided fuzzing of one reader, by hand: `python -m tests.robustness.guided penn FOLDER -max_total_time=600`.

Needs atheris (`pip install atheris`), which is none of the tests' dependencies. Arguments behind the notation are
libFuzzer's. What stops it is written to a file `crash-...`; put it into findings/ as NOTATION-WHAT once it is fixed.
Kernels are compiled, and not instrumented; with NUMBA_DISABLE_JIT=1 they are seen into, at a tenth of the speed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Run libFuzzer on the notation that is named first."""
    import atheris

    kernels = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "treesql" / "kernels").rglob("*.py")
    ]
    exclude = [] if os.environ.get("NUMBA_DISABLE_JIT") else kernels
    with atheris.instrument_imports(include=["treesql"], exclude=exclude):
        from tests.robustness.judging import judge
        from tests.robustness.notations import notations, options_of

    name, *arguments = sys.argv[1:] or [""]
    if name not in notations():
        sys.exit(f"name one of {', '.join(notations())}")
    notation = notations()[name]
    folder = Path(tempfile.mkdtemp(prefix="guided-"))
    seeds = folder / "seeds"
    seeds.mkdir()
    for number, seed in enumerate(notation.seeds):
        (seeds / str(number)).write_bytes(seed)

    def one_input(data: bytes) -> None:
        random = Random(data)
        options = options_of(notation, random)
        complaint = judge(notation, data, options, folder / "input", random, round_trip=random.random() < 0.01)
        if complaint:
            raise RuntimeError(complaint)

    own = [] if any(not argument.startswith("-") for argument in arguments) else [str(folder / "found")]
    if own:
        (folder / "found").mkdir()
    limits = ["-max_len=65536", "-timeout=60", "-rss_limit_mb=2048"]
    atheris.Setup([sys.argv[0], *limits, *arguments, *own, str(seeds)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
