"""The short form of the fuzzing of readers, what it has found, and that it finds what it should."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from tests.conftest import thorough_but
from tests.house.rules import in_turn
from tests.robustness import fuzz_readers, notations
from tests.robustness.judging import judge
from tests.robustness.mutations import mutated
from tests.robustness.notations import PARQUET, Notation
from treesql.readers import Options

FINDINGS = sorted(Path(__file__).with_name("findings").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(("every", "times"), thorough_but([(3, 1), (1, 50)], (3, 1)))
def test_inputs_at_random(every: int, times: int) -> None:
    """By hand, many more: `python -m tests.robustness.fuzz_readers --inputs 100000 --seed 7`. every: n-th notation."""
    names = sorted(notations.notations())[::every]
    inputs = times * len(names)
    found = fuzz_readers.campaign(1, 0, inputs, names, every=5)
    assert not found.failures
    assert sum(found.inputs.values()) == inputs
    assert set(found.inputs) == set(names)


@pytest.mark.spread(20)
@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.name)
def test_findings_stay_fixed(path: Path, tmp_path: Path) -> None:
    own = max((name for name in notations.notations() if path.name.startswith(name)), key=len)
    notation = notations.notations()[own]
    for number, given in enumerate(notation.options * 2):
        options, random = Options(**given), Random(number)
        assert judge(notation, path.read_bytes(), options, tmp_path / "input", random, round_trip=True) == ""


def test_inputs_are_the_same_whenever_they_are_made() -> None:
    names = sorted(set(notations.notations()) - {PARQUET})  # its seeds say when they were made
    made = [fuzz_readers.make(1, number, names)[:2] for number in range(200)]
    assert made == [fuzz_readers.make(1, number, names)[:2] for number in range(200)]
    assert len({data for _, data in made}) > 190
    assert made != [fuzz_readers.make(2, number, names)[:2] for number in range(200)]


def test_inputs_are_not_large() -> None:
    assert max(len(mutated([b"a\n" * 1000], Random(seed))) for seed in range(300)) <= 1 << 16


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        (lambda path, size, options: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda path, size, options: size, "another outcome when"),
        (lambda path, size, options: int("x"), "ValueError: invalid literal"),
        (lambda path, size, options: path.read_bytes(), ""),
    ],
)
def test_what_is_wrong_with_a_reader_is_seen(read: notations.Read, complaint: str, tmp_path: Path) -> None:
    notation = Notation((b"a\n",), read, "text")
    found = judge(notation, b"a\n", Options(), tmp_path / "input", Random(0), round_trip=False)
    assert found.startswith(complaint)
    assert bool(found) == bool(complaint)


def test_a_round_trip_that_changes_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treesql.writers.plf.write", lambda *given: given[-1].write(b"()\n") and None)
    notation = notations.notations()["plf"]
    random = Random(1)  # whose first number lets the format itself be written
    found = judge(notation, notation.seeds[0], Options(), tmp_path / "input", random, round_trip=True)
    assert found.startswith("other rows of ")


BEGIN = "import json, os, time; print('[]', flush=True); print(json.dumps([7, 'text']), flush=True); "


@in_turn(
    ("code", "failure"),
    [
        ("os.abort()", "death with exit code -6: "),
        ("raise ValueError('no')", "death with exit code 1: ValueError: no"),
        ("time.sleep(60)", "not done after 0.6 seconds"),
        ("print(json.dumps([7, '', 0.2, 1 << 20]), flush=True)", "0.2 seconds"),
        ("print(json.dumps([7, '', 0.0, 2 << 30]), flush=True)", "2048 MB of memory"),
        ("print(json.dumps([7, 'wrong', 0.0, 1 << 20]), flush=True)", "wrong"),
        ("print(json.dumps([7, '', 0.0, 1 << 20]), flush=True)", None),
    ],
)
def test_deaths_hangs_and_memory_are_seen(code: str, failure: str | None) -> None:
    found = fuzz_readers.Found()
    then = fuzz_readers.run([sys.executable, "-c", BEGIN + code], 7, 10, found, seconds=0.1)
    assert found.failures == ({} if failure is None else {7: ("text", failure)})
    assert then == (8 if failure and not failure.startswith(("0.2", "wrong")) else 10)
