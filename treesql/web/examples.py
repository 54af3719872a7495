"""Requests to try: twenty questions about a treebank, and some about constituency trees."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A question, its request, and the keys by which its hits are counted."""

    question: str
    request: str
    by: str = ""


EXAMPLES = (
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
    Example("Which adjectives stand behind their noun?", "pattern { N [upos=NOUN]; N -[amod]-> A; N << A }"),
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
