"""Folders of Parquet whose parts were changed, with a manifest that agrees with them: as if they were written so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from treesql.engines import manifests, parquet_parts
from treesql.engines.corpus_groups import CorpusGroup, Part


def restamp(folder: Path) -> None:
    """List the parts that are there with their rows, bytes and checksums."""
    groups = manifests.read_manifest(str(folder), find_parts=False)
    manifests.write_manifest(manifests.manifest_path(folder), [_restamped(folder, group) for group in groups])


def _restamped(folder: Path, group: CorpusGroup) -> CorpusGroup:
    found: dict[str, tuple[Part, ...]] = {}
    for table, parts in group.parts.items():
        paths = map(Path, group.paths(str(folder), table))
        there = [(part, path) for part, path in zip(parts, paths, strict=True) if path.exists()]
        listed = tuple(
            replace(
                part,
                rows=pq.read_metadata(path).num_rows,
                bytes=path.stat().st_size,
                sha256=parquet_parts.sha256_of(path),
                crc32=parquet_parts.checksums(path),
            )
            for part, path in there
        )
        if listed:
            found[table] = listed
    return replace(group, parts=found)


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], object], *, stamped: bool = True) -> None:
    """Change the values of a manifest. stamped: whether its digest agrees with them."""
    path = manifests.manifest_path(folder)
    values = json.loads(path.read_text("utf-8"))
    change(values)
    digest = values.pop("sha256")
    text = json.dumps(values)[:-2]  # without the end of the list of groups
    digest = hashlib.sha256(text.encode()).hexdigest() if stamped else digest
    path.write_text(f'{text}\n], "sha256": "{digest}"}}\n', "utf-8")
