"""EVALB's output, byte by byte, for scripts that parse it.

Source: EVALB (Sekine & Collins 1997, revision of 2006).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_HEAD = """\
  Sent.                        Matched  Bracket   Cross        Correct Tag
 ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy
============================================================================
"""
_RULE = _HEAD.splitlines()[-1]
_STATUS = {"ok": 0, "error": 1, "skip": 2}


def layout(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows of evalb_table as EVALB prints them, its spelling included, with its summaries; of one system."""
    lines = [_HEAD.rstrip("\n")]
    for row in rows:
        matched, gold, test = row["matched"], row["gold"], row["test"]
        lines.append(
            f"{row['sentence'] + 1:4d}  {row['length']:3d}    {_STATUS[row['outcome']]}  "
            f"{_percent(matched, gold):6.2f} {_percent(matched, test):6.2f}   {matched:3d}    {gold:3d}  {test:3d}    "
            f"{row['crossing']:3d}   {row['tags']:4d}  {row['correct_tags']:4d}   "
            f"{_percent(row['correct_tags'], row['tags']):6.2f}"
        )
    sums = {name: sum(row[name] for row in rows) for name in _SUMMED}
    lines.append(_RULE)
    brackets = ""
    if sums["gold"] and sums["test"]:
        brackets = (
            f"{'':16}{_percent(sums['matched'], sums['gold']):6.2f} {_percent(sums['matched'], sums['test']):6.2f} "
            f"{sums['matched']:6d} {sums['gold']:5d} {sums['test']:5d}  {sums['crossing']:5d}"
        )
    accuracy = _percent(sums["correct_tags"], sums["tags"])
    lines.append(f"{brackets}  {sums['tags']:5d} {sums['correct_tags']:5d}   {accuracy:6.2f}")
    lines += ["=== Summary ===", "", "-- All --", *_summary(rows)]
    for cutoff in sorted({row["cutoff_length"] for row in rows}):
        lines += ["", f"-- len<={cutoff} --", *_summary([row for row in rows if row["length"] <= cutoff])]
    return "\n".join(lines) + "\n"


_SUMMED = ("matched", "gold", "test", "crossing", "tags", "correct_tags")


def _summary(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    valid = [row for row in rows if row["outcome"] == "ok"]
    for name, outcome in (("", None), ("Error", "error"), ("Skip ", "skip"), ("Valid", "ok")):
        count = sum(outcome in (None, row["outcome"]) for row in rows)
        yield f"{f'Number of {name} sentence' if name else 'Number of sentence':25} = {count:6d}"
    sums = {name: sum(row[name] for row in valid) for name in _SUMMED}
    recall, precision = _percent(sums["matched"], sums["gold"]), _percent(sums["matched"], sums["test"])
    complete = sum(row["matched"] == row["gold"] == row["test"] for row in valid)
    measures = {
        "Bracketing Recall": recall,
        "Bracketing Precision": precision,
        "Bracketing FMeasure": 2 * precision * recall / (precision + recall) if precision + recall else math.nan,
        "Complete match": _percent(complete, len(valid)),
        "Average crossing": sums["crossing"] / len(valid) if valid else 0.0,
        "No crossing": _percent(sum(row["crossing"] == 0 for row in valid), len(valid)),
        "2 or less crossing": _percent(sum(row["crossing"] <= 2 for row in valid), len(valid)),
        "Tagging accuracy": _percent(sums["correct_tags"], sums["tags"]),
    }
    for name, value in measures.items():
        yield f"{name:25} = {value:6.2f}" if value == value else f"{name:25} =   -nan"


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
