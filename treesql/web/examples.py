"""Requests to try: twenty questions about dependency trees, some about constituency trees, and which find something."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

from treesql import Database, TreesqlWarning

MAX_FOUND = 6
"""Maximum number of questions that a page offers about a kind of corpora."""

SECONDS = 2.0
"""Maximum number of seconds in which a question is tried."""


@dataclass(frozen=True)
class Example:
    """A question, its request, and the keys by which its hits are counted. kind: of the corpora it is about."""

    question: str
    request: str
    by: str = ""
    kind: str = "dependency"


EXAMPLES = (
    Example("Which adjectives stand behind their noun?", "pattern { N [upos=NOUN]; N -[amod]-> A; N << A }"),
    Example("How often does every relation go with every part of speech?", "pattern { e: H -> X }", "X.upos, e.label"),
    Example(
        "Which verbs have a noun as subject and a pronoun as object?",
        "pattern { V [upos=VERB]; V -[nsubj]-> S; S [upos=NOUN]; V -[obj]-> O; O [upos=PRON] }",
    ),
    Example("Which edges are not projective?", "pattern { e: H -> X; H [upos]; W [upos]; W << e } without { H ->> W }"),
    Example("Which pronouns stand below which verbs?", "pattern { V [upos=VERB]; P [upos=PRON]; V ->> P }"),
    Example("How long are dependencies?", "pattern { e: H -> X; H [upos] }", "e.label, e.length"),
    Example("Which verbs have no nominal subject?", "pattern { V [upos=VERB] } without { V -[1=nsubj]-> S }"),
    Example("Which subjects stand to the right of their verb?", "pattern { V [upos=VERB]; V -[1=nsubj]-> S; V << S }"),
    Example(
        "In what order do verb, subject and object stand?",
        "pattern { V [upos=VERB]; V -[nsubj]-> S; V -[obj]-> O }",
        "V#S#O",
    ),
    Example(
        "Which passives name no agent?",
        "pattern { V -[1=nsubj, 2=pass]-> S; V [upos] } without { V -[obl:agent]-> A }",
    ),
    Example(
        "Which determiners do plural nouns have?", "pattern { N [upos=NOUN, Number=Plur]; N -[det]-> D }", "D.lemma"
    ),
    Example(
        "Where do verb and subject differ in number?",
        "pattern { V [upos=VERB]; V -[nsubj]-> S; V.Number <> S.Number }",
    ),
    Example(
        "Which objects stand five words or more from their verb?",
        "pattern { e: V -[obj]-> O; V [upos=VERB]; e.length >= 5 }",
    ),
    Example("Which unlike words are coordinated?", "pattern { X -[conj]-> Y; X.upos <> Y.upos }", "X.upos, Y.upos"),
    Example("Which sentences are questions?", 'pattern { meta.text = re".*[?]" }'),
    Example(
        "Which verbs dominate a relative pronoun with no verb between?",
        "pattern { V [upos=VERB]; P [upos=PRON, PronType=Rel]; V ->> P }\nwithout { W [upos=VERB]; V ->> W; W ->> P }",
    ),
    Example("Which edges cross each other?", "pattern { e: A -> B; f: C -> D; A [upos]; C [upos]; e >< f }"),
    Example(
        "How are a determiner and the noun behind it related?",
        "pattern { D [upos=DET]; N [upos=NOUN]; D < N }",
        "N -> D",
    ),
    Example(
        "Which subjects does only the enhanced graph have?", "pattern { X -[E:nsubj]-> Y } without { X -[nsubj]-> Y }"
    ),
    Example(
        "Which nouns have two adjectives or more?", "pattern { N [upos=NOUN]; N -[amod]-> A; N -[amod]-> B; A << B }"
    ),
)
"""The twenty questions of the documentation."""

TREE_EXAMPLES = tuple(
    Example(question, request, kind="constituency")
    for question, request in (
        ("Which noun phrases have a determiner?", "NP < DT"),
        ("Which noun phrases have a prepositional phrase?", "NP < PP"),
        ("Which verb phrases have a noun phrase as object?", "VP < NP"),
        ("Which clauses have a subject before the verb phrase?", "NP $+ VP"),
        ("Which phrases have only one word?", "NP <: __"),
    )
)
"""Questions about constituency trees, in Tregex."""


class _Needed(KeyboardInterrupt):
    """A request waits for the connection: ends a search as Ctrl-C does."""


@dataclass
class Examples:
    """The questions that find something in the first corpus of their kind, tried one after the other."""

    found: list[tuple[Example, str]] = field(default_factory=list)
    """The questions that found something, each with its corpus."""
    _left: list[Example] = field(default_factory=lambda: [*EXAMPLES, *TREE_EXAMPLES])

    @property
    def are_left(self) -> bool:
        """Whether there are questions to try."""
        return bool(self._left)

    @property
    def first(self) -> str:
        """A request that finds something, nothing as long as none has; one of hits, not of counts, if there is one."""
        return self._first[0]

    @property
    def first_corpus(self) -> str:
        """The corpus in which the first request finds something."""
        return self._first[1]

    @property
    def _first(self) -> tuple[str, str]:
        pairs = sorted(self.found, key=lambda pair: bool(pair[0].by))
        return next(((example.request, corpus) for example, corpus in pairs), ("", ""))

    def try_next(self, connect: Callable[[], Database], is_needed: Callable[[], bool]) -> None:
        """Try the next question, which is none of those left then. Raises TreesqlError.

        is_needed: whether the connection is needed for something else, asked ten times a second; the question is then
        left for another time.
        """
        example = self._left.pop(0)
        try:
            self._try(example, connect(), is_needed)
        except _Needed:
            self._left.insert(0, example)

    def _try(self, example: Example, database: Database, is_needed: Callable[[], bool]) -> None:
        corpora = {row["corpus"]: row for row in database.info().rows()}
        corpus = next((name for name, row in corpora.items() if row["kind"] == example.kind), None)
        if corpus is not None and self._finds(database, example, corpus, is_needed):
            self.found.append((example, corpus))
        if corpus is None or sum(other.kind == example.kind for other, _ in self.found) == MAX_FOUND:
            self._left = [other for other in self._left if other.kind != example.kind]

    @staticmethod
    def _finds(database: Database, example: Example, corpus: str, is_needed: Callable[[], bool]) -> bool:
        def stop_if_needed(done: float, total: float) -> None:
            if is_needed():
                raise _Needed

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreesqlWarning)  # why nothing is found
            search = database.prepare(example.request, corpus=corpus, limit=1)
            return len(search.matches(timeout=SECONDS, progress=stop_if_needed)) > 0
