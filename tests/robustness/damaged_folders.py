"""Folders of Parquet with damage that a seed chooses: they are read as they were written, or refused.

    python -m tests.robustness.damaged_folders --folders 300 --seed 1

prints how often each kind of damage was refused or did not matter; the exit code is 1 if anything was wrong: other rows
without an error, an error of more than a line, another exception than a TreesqlError, damage that `treesql check` does
not name, or a corpus that cannot be dropped. Every other folder counts as a large one, of which what a plan reads is
compared.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq

import treesql
from tests.conftest import FIXTURES
from tests.storage.parts import change_manifest, restamp
from treesql.catalog import schemas
from treesql.engines import duckdb_folders, manifests
from treesql.errors import TreesqlError
from treesql.storage import folders
from treesql.writers import parquet

TABLES = [table.name for table in schemas.corpus_tables()] + ["feature_lists"]
SMALL = 20
"""Number of corpora that share parts."""

Door = Callable[[Path, Path], object]
"""Reads a folder. Called with it and with a place for files; returns what is compared."""

Damage = Callable[[Path, random.Random], Path | None]
"""Damages a folder; returns the part that is not as it was written, None for the manifest."""


@dataclass(frozen=True)
class DamagedFolder:
    """What came of one damaged folder. refused: the doors that raised an error; wrong: what must not be."""

    damage: str
    place: str
    refused: tuple[str, ...]
    wrong: tuple[str, ...] = ()


def make_folder(folder: Path, n_small: int = SMALL) -> None:
    """A folder with corpora of several kinds, each with parts of its own, and small ones that share parts."""
    texts = folder.parent / "texts"
    texts.mkdir(parents=True)
    gold = (FIXTURES / "gold.conllu").read_text("utf-8")
    for at in range(n_small):
        (texts / f"small-{at}.conllu").write_text(gold.replace("sent_id = ", f"sent_id = {at}-"), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", treesql.TreesqlWarning)
        with ExitStack() as stack:
            for module in (manifests, folders, parquet):
                stack.enter_context(patch.multiple(module, BLOCK_SENTENCES=3))
            treesql.load(f"{folder}/", FIXTURES / "gold.conllu")
        for name in ("parser-a.conllu", "gold.mrg", "lattices.plf"):
            how = {"phrases": True} if name == "lattices.plf" else {}
            treesql.load(folder, FIXTURES / name, corpus=name.removesuffix(".conllu"), **how)  # type: ignore[arg-type]
        treesql.load(folder, texts)


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*/part-*.parquet"))


def _chosen(folder: Path, chance: random.Random) -> Path:
    return chance.choice(_parts(folder))


def flip_bit(folder: Path, chance: random.Random) -> Path:
    """Flip one bit of a part."""
    part = _chosen(folder, chance)
    data = bytearray(part.read_bytes())
    at = chance.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8
    part.write_bytes(data)
    return part


def flip_bit_of_manifest(folder: Path, chance: random.Random) -> None:
    """Flip one bit of the manifest."""
    path = manifests.manifest_path(folder)
    data = bytearray(path.read_bytes())
    at = chance.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8
    path.write_bytes(data)


def cut(folder: Path, chance: random.Random) -> Path:
    """Cut the end of a part."""
    part = _chosen(folder, chance)
    part.write_bytes(part.read_bytes()[: chance.randrange(part.stat().st_size)])
    return part


def overwrite(folder: Path, chance: random.Random) -> Path:
    """Overwrite some bytes of a part."""
    part = _chosen(folder, chance)
    data = bytearray(part.read_bytes())
    start = chance.randrange(len(data))
    data[start : start + 64] = chance.randbytes(len(data[start : start + 64]))
    part.write_bytes(data)
    return part


def exchange(folder: Path, chance: random.Random, *, of_others: bool = False) -> Path:
    """Put another part of the same table in the place of one. of_others: whether it is one of another corpus."""
    part = _chosen(folder, chance)
    others = [other for other in _parts(folder) if other.parents[1] == part.parents[1] and other != part]
    others = [other for other in others if not of_others or other.parent != part.parent]
    if not others:
        return exchange(folder, chance, of_others=of_others)
    shutil.copy(chance.choice(others), part)
    return part


def exchange_and_list(folder: Path, chance: random.Random) -> Path:
    """Put the part of another corpus in the place of one, and list it in the manifest."""
    part = exchange(folder, chance, of_others=True)
    restamp(folder)
    return part


def change_columns(folder: Path, chance: random.Random) -> Path:
    """Leave out a column of a part, or make it one of texts, and list the part in the manifest."""
    part = _chosen(folder, chance)
    rows = pq.ParquetFile(part).read()
    wrong = [
        at for at, field in enumerate(rows.schema) if not (pa.types.is_string(field.type) or field.name == "corpus")
    ]
    if not wrong:
        return change_columns(folder, chance)
    at = chance.choice(wrong)
    texts = pa.array([str(value) for value in rows.column(at).to_pylist()])
    changed = rows.remove_column(at) if chance.random() < 0.5 else rows.set_column(at, rows.schema.names[at], texts)
    pq.write_table(changed.replace_schema_metadata(rows.schema.metadata), part)
    restamp(folder)
    return part


def remove(folder: Path, chance: random.Random) -> Path:
    """Remove a part."""
    part = _chosen(folder, chance)
    part.unlink()
    return part


def make_pipe(folder: Path, chance: random.Random) -> Path:
    """Put a pipe in the place of a part."""
    part = remove(folder, chance)
    os.mkfifo(part)
    return part


def link_out(folder: Path, chance: random.Random) -> Path:
    """Put a link to the same bytes outside of the folder in the place of a part."""
    part = _chosen(folder, chance)
    away = folder.parent / f"{folder.name}-away"
    shutil.move(part, away)
    part.symlink_to(away)
    return part


def list_twice(folder: Path, chance: random.Random) -> None:
    """List a part twice."""

    def change(values: dict[str, object]) -> None:
        parts = chance.choice(values["groups"])["parts"]  # type: ignore[call-overload]
        listed = parts[chance.choice(sorted(parts))]
        listed.append(listed[0])

    change_manifest(folder, change)


def give_other_type(folder: Path, chance: random.Random) -> None:
    """Give a value of the manifest another type."""

    def change(values: dict[str, object]) -> None:
        group = chance.choice(values["groups"])  # type: ignore[call-overload]
        parts = group["parts"]
        place = chance.choice([group["corpora"][0], parts[chance.choice(sorted(parts))][0]])
        key = chance.choice(sorted(place))
        place[key] = chance.choice([[], {}, True, 1.5, {"a": 1}])

    change_manifest(folder, change)


DAMAGES: tuple[Damage, ...] = (
    flip_bit, flip_bit, flip_bit, flip_bit_of_manifest, cut, overwrite, exchange, exchange_and_list, change_columns,
    remove, make_pipe, link_out, list_twice, give_other_type,
)  # fmt: skip


def _tables(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        return {name: sorted(map(str, db.sql(f"FROM {name}").rows())) for name in TABLES}


def _first(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        return [db.sql(f"FROM {name} LIMIT {n}").rows() for name in TABLES for n in (2, 20)]


def _some(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        conditions = ("corpus = 'gold' AND sentence >= 3", "corpus IN ('gold', 'small-4') AND sentence < 2")
        names = [one.name for one in schemas.corpus_tables() if "sentence" in one.names]
        return [sorted(map(str, db.sql(f"FROM {name} WHERE {one}").rows())) for name in names for one in conditions]


def _counts(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True, safe=True) as db:
        return [db.sql(f"SELECT count(*) AS n FROM {name}").rows() for name in TABLES]


def _score(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        return db.score("attachment", gold_corpus="gold", system_corpus="parser-a").rows()


def _find(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        return db.find("pattern { N [upos=NOUN] }").rows()


def _stats(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        return db.stats().rows()


def _export(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        db.export(place / "gold.conllu", corpus="small-3")
    return (place / "gold.conllu").read_bytes()


def _export_all(folder: Path, place: Path) -> object:
    with treesql.connect(folder, read_only=True) as db:
        db.export(place / "again")
    return _tables(place / "again", place)


def _load(folder: Path, place: Path) -> object:
    with treesql.connect() as db:
        db.load(folder)
        names = [name for name in TABLES if name != "feature_lists"]  # strings of no rows are not kept
        return {name: sorted(map(str, db.sql(f"FROM {name}").rows())) for name in names}


DOORS: Mapping[str, Door] = {
    "sql": _tables, "first rows": _first, "some rows": _some, "count": _counts, "score": _score, "find": _find,
    "stats": _stats, "export": _export, "export of all": _export_all, "load": _load,
}  # fmt: skip


class FolderDamage:
    """A folder, and what its doors give; copies of it are damaged, each in one place."""

    def __init__(self, place: Path, doors: Mapping[str, Door] = DOORS, *, n_small: int = SMALL) -> None:
        self._place, self._doors = place, doors
        self._folder = place / "whole"
        make_folder(self._folder, n_small)
        assert not treesql.check(self._folder).faults
        self._made = 0
        self._expected = {name: door(self._folder, self._new_place()) for name, door in doors.items()}

    def run(self, damage: Damage, chance: random.Random, *, is_large: bool = False) -> DamagedFolder:
        """Damage a copy, read it by all doors, and drop the corpora that are damaged.

        is_large: whether what is compared is what a plan reads.
        """
        with patch.multiple(duckdb_folders, MIN_BYTES_FOR_PLAN=0 if is_large else duckdb_folders.MIN_BYTES_FOR_PLAN):
            return self._run(damage, chance)

    def _run(self, damage: Damage, chance: random.Random) -> DamagedFolder:
        place = self._new_place()
        folder = Path(shutil.copytree(self._folder, place / "data"))
        part = damage(folder, chance)
        wrong, refused = [], []
        for name, door in self._doors.items():
            inside = place / name
            inside.mkdir()
            try:
                if door(folder, inside) != self._expected[name]:
                    wrong.append(f"{name}: other rows, and no error")
            except TreesqlError as error:
                refused.append(name)
                if len(str(error).splitlines()) != 1:
                    wrong.append(f"{name}: {error}")
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
        wrong += _not_named(folder, part)
        if part is not None:
            wrong += self._not_dropped(folder, part)
        shutil.rmtree(place)
        return DamagedFolder(
            damage.__name__, "manifest" if part is None else part.parent.parent.name, tuple(refused), tuple(wrong)
        )

    def _not_dropped(self, folder: Path, part: Path) -> list[str]:
        """What is wrong with a folder without the corpora of a part, which is damaged."""
        groups = manifests.read_manifest(str(folder), find_parts=False)
        [names] = [group.names for group in groups if str(part) in group.paths(str(folder), part.parent.parent.name)]
        try:
            treesql.drop(folder, *names)
            rows = [_rest(place, names) for place in (self._folder, folder)]
            faults = treesql.check(folder).faults
        except Exception as error:
            return [f"drop: {type(error).__name__}: {error}"]
        return [f"drop: {faults}"] * bool(faults) + ["drop: other rows"] * (rows[0] != rows[1])

    def _new_place(self) -> Path:
        self._made += 1
        place = self._place / str(self._made)
        place.mkdir()
        return place


def _rest(folder: Path, dropped: list[str]) -> object:
    with treesql.connect(folder, read_only=True) as db:
        sql = "SELECT w.* FROM words AS w WHERE NOT list_contains($dropped, w.corpus)"
        return sorted(map(str, db.sql(sql, {"dropped": dropped}).rows()))


def _not_named(folder: Path, part: Path | None) -> list[str]:
    """What is wrong with what `treesql.check` says of a folder."""
    try:
        faults = treesql.check(folder).faults
    except TreesqlError as error:
        return [] if part is None and len(str(error).splitlines()) == 1 else [f"check: {error}"]
    if part is None or not any(Path(fault.path) == part for fault in faults):
        return [f"check names {[fault.path for fault in faults]}, and not {part}"]
    return []


def run(
    campaign: FolderDamage, n: int, seed: int, tell: Callable[[DamagedFolder], object] = lambda outcome: None
) -> list[DamagedFolder]:
    """Damage n folders, in all ways in turn, at places that the seed chooses."""
    chance = random.Random(seed)
    found = []
    for at in range(n):
        found.append(campaign.run(DAMAGES[at % len(DAMAGES)], chance, is_large=at // len(DAMAGES) % 2 == 0))
        tell(found[-1])
    return found


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", treesql.TreesqlWarning)
    with tempfile.TemporaryDirectory() as place:
        campaign = FolderDamage(Path(place))
        found = run(campaign, asked.folders, asked.seed, lambda one: print(one, flush=True) if one.wrong else None)
    counted = Counter((one.damage, "refused" if one.refused else "not read") for one in found)
    for (damage, what), n in sorted(counted.items()):
        print(f"{damage:22} {what:9} {n:4}")
    wrong = sum(bool(one.wrong) for one in found)
    print(f"{len(found)} damaged folders, {wrong} with something wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(_main())
