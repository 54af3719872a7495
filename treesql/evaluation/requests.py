"""Requests in the words of the command line and of Python -> tasks: `score("dependency", gold=..., systems=...)`."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from treesql import catalog
from treesql.catalog import kinds
from treesql.catalog.kinds import Kind, Role
from treesql.engines import Engine
from treesql.errors import Diagnostic, TreesqlWarning, UnknownName, UsageError
from treesql.evaluation import hooks
from treesql.evaluation.evaluate import compare as compare_task
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Reading, Task, check_task, file_names
from treesql.readers import Notation, sentence_limits
from treesql.results.explanation import Explanation
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.significance.comparison import Comparison
from treesql.significance.tests import RUNS, SEED, Method

Systems = str | Sequence[Any] | Mapping[str, Any]
"""Systems: files or corpora, or by name; of a system with several roles a sequence of them in order, or by role."""

Names = str | Sequence[str]
"""Names, in a text separated by commas."""

PLAIN = ("permissive", "strict", "phrases", "symbols", "ids")
"""Options of reading that are the same for all roles."""


@convert_errors
def score(
    kind: str,
    *,
    systems: Systems = (),
    database: str | Path | None = None,
    metric: Names = (),
    table: Names = (),
    with_: Names = (),
    by: str | None = None,
    where: str | None = None,
    ci: bool = False,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Result:
    """Score systems, a row per system: `score("dependency", gold="gold.conllu", systems=["a.conllu", "b.conllu"])`.

    kind: as of `treesql score KIND`; treesql.kinds() describes them. systems: files, or a mapping of names to files; of
    a system with several files a sequence, or a mapping of roles. database: whose corpora are named in place of files.
    metric: metrics, or scores and counts of them; table: statistics to return instead; with_: additions of the kind.
    by: `sentence`, or a column of items, gold words, sentences or corpora, or a morphological feature; where: an SQL
    condition on the items; ci: add 95% intervals. max_sentence: maximum size of a sentence in files. given: further
    roles (gold, reference, ...), parameters of the metrics (punctuation="form"), and options of the kind, as on the
    command line, with `format` for --from. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput,
    Incomparable, QueryError, DatabaseError.
    """
    with _allowing(max_sentence):
        return evaluate(
            make_task(
                kinds.kind(kind), systems, given, _path(database), metric=metric, table=table, with_=with_, by=by,
                where=where, ci=ci,
            )
        )  # fmt: skip


@convert_errors
def compare(
    kind: str,
    *,
    systems: Systems = (),
    database: str | Path | None = None,
    metric: Names = (),
    with_: Names = (),
    where: str | None = None,
    test: str = "shuffling",
    runs: int = RUNS,
    seed: int = SEED,
    correction: str = "holm",
    stratum: str | None = None,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Comparison:
    """Compare all pairs of systems: `compare("dependency", gold="gold.conllu", systems=["a.conllu", "b.conllu"])`.

    metric: scores, or metrics for all their scores; the main ones of the kind if left out. test: shuffling, bootstrap,
    mcnemar, mcnemar-chi2 or mcnemar-mid-p, with runs and seed; correction: holm, bonferroni, bh, by or none. stratum: a
    column of sentences; those with one value are exchanged together. Everything else as for `score`.
    """
    with _allowing(max_sentence):
        task = make_task(
            kinds.kind(kind), systems, given, _path(database), metric=metric, with_=with_, where=where
        )
        return compare_task(task, Method(test, runs, seed, correction, stratum))


@convert_errors
def explain(
    kind: str,
    sentence: str | int,
    *,
    systems: Systems = (),
    database: str | Path | None = None,
    width: int | None = None,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Explanation:
    """Explain the score of a sentence of one system: `explain("paths", "s1", reference=..., systems=[(...)])`.

    sentence: its sent_id, or its 0-based number. width: columns of the drawing; None for any. Everything else as for
    `score`; what is explained is what the kind's default metrics count.
    """
    of = kinds.kind(kind)
    hook = hooks.of_kind(of)
    if not of.explains:
        known = ", ".join(one.name for one in kinds.all_kinds().values() if one.explains)
        raise UsageError(f"sentences of the kind {kind} cannot be explained; those of {known} can")
    with _allowing(max_sentence):
        task = make_task(of, systems, given, _path(database))
        check_task(task)
        if len(task.systems) > 1:
            raise UsageError("one system is explained at a time; name one")
        with open_inputs(task, [catalog.query(name) for name in hook.explained_by]) as inputs:
            return hook.explain(inputs, str(sentence), width)


def make_task(
    kind: Kind,
    systems: Systems,
    given: Mapping[str, Any],
    database: str | Engine | None = None,
    *,
    metric: Names = (),
    table: Names = (),
    with_: Names = (),
    by: str | None = None,
    where: str | None = None,
    ci: bool = False,
) -> Task:
    """The task of a request. given: roles, parameters, options and flags of the kind. Raises UsageError, UnknownName."""
    left = {name: value for name, value in given.items() if value is not None}
    flags = {name: left.pop(name) for name in list(left) if name in kind.flags}
    tables, added = split(table), split(with_)
    parameters = {name: left.pop(name) for name in list(left) if name in kind.declared}
    for name in (name for name, is_set in flags.items() if is_set):
        flag = kind.flags[name]
        tables += [flag.table] if flag.table else []
        added += [flag.with_] if flag.with_ else []
        parameters |= flag.parameters
    if len(tables) > 1 or (tables and split(metric)):
        chosen = [*(f"--{name}" for name, is_set in flags.items() if is_set and kind.flags[name].table)]
        raise UsageError(f"{' and '.join(chosen) or '--table'}: a table is shown in place of scores; name one table, or metrics")
    if added and split(metric):
        raise UsageError("--with adds to the default metrics, --metric replaces them; give one of them")
    if tables and added:
        more = [other for one in added if one in kind.with_ for first, other in kind.with_[one].tables.items() if first == tables[0]]
        if not more:
            raise UsageError(f"--with {added[0]} adds scores, and {tables[0]} is a table; give one of them")
        tables, added = [*tables, *more], []
    shared = {role.name: _several(role, left.pop(role.name)) for role in kind.shared if role.name in left}
    own = {role.name: str(left.pop(role.name)) for role in kind.own if role.name in left}
    reading = _reading(kind, left)
    options = {name: left.pop(name) for name in list(left) if name in kind.options}
    if left:
        known = [*(role.name for role in kind.roles), *kind.declared, *kind.reading, *kind.options, *kind.flags]
        raise UnknownName(f"option of the kind {kind.name}", next(iter(left)), known)
    found, named = _systems(kind, systems, own, database is not None)
    return Task(
        kind, found, shared, named, database, metrics=split(metric), added=added, tables=tables, parameters=parameters,
        by=by, where=where, ci=ci, reading=reading, options=options, warn=warn,
    )  # fmt: skip


def split(names: Names) -> list[str]:
    """Names, also those separated by commas."""
    listed = [names] if isinstance(names, str) else names
    return [name.strip() for one in listed for name in one.split(",") if name.strip()]


def warn(warning: Diagnostic) -> None:
    """Warn the caller of the public API."""
    warnings.warn(str(warning), TreesqlWarning, stacklevel=_levels())


def _levels() -> int:
    """The number of frames between a warning and the first caller outside of treesql."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("treesql.", "contextlib", "functools")):
        level, frame = level + 1, frame.f_back
    return level


@contextmanager
def _allowing(size: int | str | None) -> Iterator[None]:
    """Read sentences up to a size; None for the default."""
    if size is None:
        yield
        return
    with sentence_limits.allowing(sentence_limits.parse(size)):
        yield


def _path(database: str | Path | None) -> str | None:
    return None if database is None else str(database)


def _several(role: Role, value: Any) -> tuple[str, ...]:
    """The inputs of a role. Raises UsageError for several where one is expected."""
    paths = (str(value),) if isinstance(value, str | Path) else tuple(map(str, value))
    if len(paths) > 1 and not role.several:
        raise UsageError(f"{role.name} is one file or corpus, and {len(paths)} are given")
    return paths


def _reading(kind: Kind, given: dict[str, Any]) -> Reading:
    """How files are read; takes the options out of what is given. Raises UsageError."""
    options = {name: given.pop(name) for name in list(given) if name in kind.reading}
    roles = {role.format: role for role in kind.roles}
    formats = {name: str(options[name]) for name in roles if options.get(name)}
    prefixes = dict.fromkeys(role.notation for role in kind.roles if role.is_alignment)
    notations = {}
    for prefix in prefixes:
        base = options.get(f"{prefix}base")
        if base is not None and str(base) not in ("0", "1"):
            raise UsageError(f"{prefix}base is {base!r}; it is 0 or 1")
        reverse, nulls = bool(options.get(f"{prefix}reverse")), bool(options.get("null_links"))
        notations[prefix] = Notation(None if base is None else int(base), reverse, nulls)
    plain = {name: options[name] for name in PLAIN if options.get(name)}
    if "symbols" in plain:
        plain["symbols"] = str(plain["symbols"])
    return Reading(formats, notations, **plain)


def _systems(
    kind: Kind, systems: Systems, own: Mapping[str, str], loaded: bool
) -> tuple[dict[str, dict[str, str]], bool]:
    """The inputs of the systems by name and role, and whether they were named. Raises UsageError.

    own: inputs of roles that were given by the role's name: those of the only system.
    """
    if isinstance(systems, str | Path):
        systems = [systems]
    named = isinstance(systems, Mapping)
    parts = [_parts(kind, one) for one in (systems.values() if isinstance(systems, Mapping) else systems)]
    if own:
        if len(parts) > 1:
            names = ", ".join(own)
            raise UsageError(f"each system has its own {names}: name it with the system, --system {written(kind)}")
        parts = [{**(parts[0] if parts else {}), **own}]
    if named and systems:
        return dict(zip(map(str, systems), parts, strict=True)), True
    names = _names(kind, parts, loaded)
    if len(set(names)) < len(names):
        raise UsageError("a system is named twice; name each once")
    return dict(zip(names, parts, strict=True)), False


def _parts(kind: Kind, system: Any) -> dict[str, str]:
    """The inputs of a system by role. Raises UsageError."""
    roles = [role.name for role in kind.own]
    if isinstance(system, Mapping):
        for name in system:
            if name not in roles:
                raise UnknownName(f"role of a system of the kind {kind.name}", name, roles)
        return {role: str(path) for role, path in system.items()}
    paths = [str(system)] if isinstance(system, str | Path) else list(map(str, system))
    if not paths or len(paths) > len(roles):
        raise UsageError(f"a system of the kind {kind.name} is {written(kind)}, and {len(paths)} are given")
    return dict(zip(roles, paths, strict=False))


def _names(kind: Kind, systems: Sequence[Mapping[str, str]], loaded: bool) -> list[str]:
    """The names of systems that were given without: those of their files, or corpora."""
    roles: Collection[str] = kind.named_by or [kind.own[0].name]
    of_roles = [[one[role] for one in systems if role in one] for role in roles]
    names = [paths if loaded else file_names(paths) for paths in of_roles]
    return [" + ".join(parts) for parts in zip(*names, strict=True)] if all(names) else [""] * len(systems)


def written(kind: Kind) -> str:
    """How the option --system is written: `NAME=FILE`, or `NAME=B[,FILE]` for a system of several files."""
    first, *rest = kind.own
    parts = [f"[,{role.written}]" if role.option else f",{role.written}" for role in rest]
    return "".join(["NAME=", first.written if rest else "FILE", *parts])
