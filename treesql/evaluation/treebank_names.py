"""Pair names of treebanks: equal names, or names that hold the same code of Universal Dependencies."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from treesql.errors import UsageError

_FILE = re.compile(r"(?P<code>[a-z]{2,3}(?:_[a-z0-9]+)?)(?P<ud>-ud)?(?:-(?P<part>train|dev|test))?(?P<rest>[-.].*)?")
"""Matches the name of a file of a release, `en_ewt-ud-dev`, or its code alone, `en_ewt`."""

_FOLDER = re.compile(r"UD_([A-Z]\w*(?:-\w+)?)|([A-Z][A-Za-z_]*-\w+)")
"""Matches the name of a treebank's folder, `UD_English-EWT`, or `English-EWT`."""


@dataclass(frozen=True)
class _Identity:
    """What a name says about its treebank; None where it says nothing.

    code: `en_ewt`; distinctive: whether it can only be a code; part: train, dev or test; folder: `English-EWT`.
    """

    code: str | None = None
    distinctive: bool = False
    part: str | None = None
    folder: str | None = None

    @classmethod
    def of(cls, name: str) -> _Identity:
        """Read the name of a treebank: a path without the file's ending."""
        parts = name.split("/")
        folders = [found[1] or found[2] for one in parts if (found := _FOLDER.fullmatch(one))]
        folder = folders[-1] if folders else None
        file = _FILE.fullmatch(parts[-1])
        if file is None or (file["rest"] and not file["ud"]):
            return cls(folder=folder)
        return cls(file["code"], bool(file["ud"]) or "_" in file["code"], file["part"], folder)

    def may_be(self, other: _Identity) -> bool:
        """Whether both name one treebank, and neither says anything that the other contradicts."""
        if self.part and other.part and self.part != other.part:
            return False
        if self.folder and other.folder and self.folder != other.folder:
            return False
        if self.code and self.code == other.code:
            return True
        contradict = self.distinctive and other.distinctive
        return self.folder is not None and self.folder == other.folder and not contradict


def pair_names(gold: Collection[str], names: Collection[str], where: str, gold_where: str) -> dict[str, str]:
    """Return by gold name the name that it is paired with: an equal one, else the only one with the same UD code.

    `en_ewt-ud-dev` and `UD_English-EWT/en_ewt-ud-dev` are paired with `en_ewt` where it can be no other. where,
    gold_where: what has the names, in errors. Raises UsageError for a name that may be paired with several.
    """
    paired = {name: name for name in gold if name in names}
    of_gold = {name: _Identity.of(name) for name in gold}
    identities = {name: _Identity.of(name) for name in names}
    for name in sorted(set(names) - paired.keys()):
        candidates = [one for one, identity in of_gold.items() if identity.may_be(identities[name])]
        if len(candidates) > 1:
            raise _ambiguous(where, name, gold_where, candidates)
        if not candidates or (candidates[0] in gold and candidates[0] in names):
            continue
        [one] = candidates
        rivals = [other for other, identity in identities.items() if of_gold[one].may_be(identity)]
        if len(rivals) > 1:
            raise _ambiguous(gold_where, one, where, rivals)
        paired[one] = name
    return paired


def _ambiguous(where: str, name: str, other: str, candidates: Collection[str]) -> UsageError:
    listed = " or ".join(sorted(candidates))
    return UsageError(f"{where}: {name} may be {listed} of {other}; files are paired by name: give both the same name")
