"""What a kind of evaluation needs beyond its declaration: a module of this package that has the kind's name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from treesql.catalog import Query
from treesql.catalog.kinds import Kind
from treesql.errors import MAX_NAMED, Diagnostic, UsageError

if TYPE_CHECKING:
    from treesql.evaluation.task import Inputs, Task
    from treesql.results.result import Explanation


Unscored = Mapping[tuple[str, str], list[int]]
"""By what is wrong with sentences, and what follows from it, their numbers in order."""

SentencesWith = Callable[[str], list[int]]
"""Returns the sentences in which a count, by its name, is not 0."""


class Hook:
    """The hook of a kind that needs none: nothing is checked, installed or warned of.

    Scores are sums over independent sentences, and large files are scored in blocks of these, unless `precomputed` is
    None.

    explained_by: the queries that `explain` reads, of kinds that explain a sentence.
    """

    explained_by: tuple[str, ...] = ()

    def precomputed(self, queries: Sequence[Query]) -> tuple[str, ...] | None:
        """The sums by key with the parameter `corpus_name` that `warn` reads, and nothing else of the corpora.

        None if it reads more, so that files are not scored in blocks.
        """
        return ()

    def used_options(self, queries: Sequence[Query]) -> Set[str]:
        """The options of the hook that these queries depend on, and that are none of their parameters."""
        return frozenset()

    def default_metrics(self, options: Mapping[str, object]) -> Sequence[str]:
        """The metrics that options choose where none is named; empty for those of the kind."""
        return ()

    def check(self, task: Task) -> None:
        """Raise UsageError for options that contradict each other or are out of range."""

    def prepare(self, task: Task) -> Any:
        """Read what options name, before the inputs are open; the result is passed to `install`."""

    def install(self, inputs: Inputs, queries: Sequence[Query], prepared: Any) -> Mapping[str, str]:
        """Install tables that options name, check the corpora, and return values of parameters."""
        return {}

    def warn(self, inputs: Inputs, queries: Sequence[Query]) -> None:
        """Warn of what the corpora lack."""

    def find_warnings(
        self, inputs: Inputs, system: str, metrics: Sequence[str], counts: Mapping[str, Any]
    ) -> Iterator[Diagnostic]:
        """Warn of a system's scores. counts: sums of its counts, by name; metrics: those that are scored."""
        in_blocks = system in inputs.plans
        unscored = inputs.unscored[system] if in_blocks else self.find_unscored(inputs, system, metrics, counts)
        for (what, hint), numbers in unscored.items():
            shown = [str(number) for number in numbers[:MAX_NAMED]] + ["..."] * (len(numbers) > MAX_NAMED)
            n = f"{len(numbers)} sentence{'s' if len(numbers) > 1 else ''}"
            yield Diagnostic.warning(
                str(inputs.values(system)["system_corpus"]), 0, f"{n} {what}: {', '.join(shown)} (from 0)", hint
            )

    names_sentences = False
    """Whether `find_unscored` reads `sentences_with`."""

    def find_unscored(
        self,
        inputs: Inputs,
        system: str,
        metrics: Sequence[str],
        counts: Mapping[str, Any],
        sentences_with: SentencesWith | None = None,
    ) -> Unscored:
        """Sentences that count for no score of a system. Parameters as for `find_warnings`, of a block or of all.

        sentences_with: the sentences in which a count is not 0, where that is known already.
        """
        return {}

    def explain(self, inputs: Inputs, sentence: str | int, width: int | None) -> Explanation:
        """Explain the score of a sentence. width: columns of the drawing, None for any."""
        raise UsageError(f"a sentence of the kind {inputs.task.kind.name} cannot be explained")


def of_kind(kind: Kind) -> Hook:
    """The hook of a kind, or of the family of its metrics."""
    for name in (kind.name, *sorted(kind.family - {kind.name})):
        if find_spec(f"{__name__}.{name}"):
            hook: Hook = importlib.import_module(f"{__name__}.{name}").HOOK
            return hook
    return Hook()
