"""Pair names of treebanks: equal names, or names that hold the same code of Universal Dependencies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from treesql.errors import UsageError
from treesql.storage import ud_names


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
        folders = [found.treebank for one in parts if (found := ud_names.read_folder(one))]
        folder = folders[-1] if folders else None
        file = ud_names.read_file(parts[-1])
        if file is None or (file.rest and not file.released):
            return cls(folder=folder)
        return cls(file.code, file.released or file.name is not None, file.part, folder)

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
