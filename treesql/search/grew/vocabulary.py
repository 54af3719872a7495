"""Names in the searched corpora: features, comments, relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from treesql.catalog import documents
from treesql.catalog.schemas import literal
from treesql.engines import Engine
from treesql.errors import UnknownName
from treesql.search.grew import compiler, syntax
from treesql.search.grew.fields import COLUMNS, DERIVED, EDGE_COLUMNS, MISC, POSITIONS, SIZES, written_name
from treesql.search.grew.scopes import NameProperties
from treesql.search.grew.syntax import Clause, FeatureReference, GrewRequest, Key, Labels, LabelTests, Test

UNIVERSAL_FEATURES = frozenset({
    "Abbr", "AdpType", "AdvType", "Animacy", "Aspect", "Case", "Clusivity", "ConjType", "Definite", "Degree", "Deixis",
    "DeixisRef", "Evident", "ExtPos", "Foreign", "Form", "Gender", "Mood", "NameType", "NounClass", "NounType",
    "NumForm", "NumType", "NumValue", "Number", "Person", "Polarity", "Polite", "Poss", "PrepCase", "PronType",
    "PunctSide", "PunctType", "Reflex", "Style", "Subcat", "Tense", "Typo", "VerbForm", "VerbType", "Voice",
})  # fmt: skip
"""Features of Universal Dependencies. That a treebank lacks one of them does not indicate a typing error."""

_NOT_IN_NAMES = re.compile(r"\W+")

_BUILT_IN = frozenset({*COLUMNS, *DERIVED, *POSITIONS, *SIZES, *EDGE_COLUMNS})


@dataclass(frozen=True)
class Vocabulary:
    """The names in corpora, None for all of a database. enhanced: including those of empty nodes."""

    engine: Engine
    corpora: tuple[str, ...] | None
    enhanced: bool = False

    def column_of(self, feature: str) -> str | None:
        """Return the column of a feature: feats, if any word has it there, else misc, else None."""
        for column in ("feats", "misc"):
            for table in ("words", "empty_nodes") if self.enhanced else ("words",):
                sql = (
                    f"SELECT 1 FROM {table} AS w WHERE {self._among('w')} AND w.{column} IN"
                    f" (SELECT f.feats FROM features AS f WHERE f.name = {literal(feature)}) LIMIT 1"
                )
                if self._names(sql):
                    return column
        return None

    def features(self) -> list[str]:
        """Return all features, as requests write them."""
        sql = f"SELECT DISTINCT f.name FROM features AS f WHERE {self._is_used('f')}"
        named = (name.replace("[", "__").rstrip("]") for name in self._names(sql))
        return [*COLUMNS, "textform", "wordform", *named, *self.further_columns()]

    def further_columns(self) -> dict[str, str]:
        """Return the further columns of CoNLL-U Plus by their names in requests: `PARSEME__MWE` of `PARSEME:MWE`."""
        sql = f"SELECT DISTINCT c.name FROM word_columns AS c WHERE {self._among('c')} ORDER BY ALL"
        return {_NOT_IN_NAMES.sub("__", name): name for name in self._names(sql)}

    def values(self, feature: str, most: int) -> list[str]:
        """Return at most `most` values of a feature."""
        if feature in COLUMNS:
            known = f"w.{feature} FROM words AS w WHERE {self._among('w')} AND w.{feature} IS NOT NULL"
        elif column := self.further_columns().get(feature):
            known = f"c.value FROM word_columns AS c WHERE {self._among('c')} AND c.name = {literal(column)}"
        else:
            name = literal(written_name(feature.removeprefix(MISC)))
            known = f"f.value FROM features AS f WHERE f.name = {name} AND f.value IS NOT NULL AND {self._is_used('f')}"
        return self._names(f"SELECT DISTINCT {known} LIMIT {most}")

    def repeated(self, features: Iterable[str]) -> frozenset[str]:
        """Return those of some features, as files write them, that a word has twice."""
        names = ", ".join(map(literal, features))
        if not names:
            return frozenset()
        sql = f"SELECT f.name FROM features AS f WHERE f.name IN ({names}) GROUP BY f.feats, f.name HAVING count(*) > 1"
        return frozenset(self._names(sql))

    def has_words_without(self, column: str) -> bool:
        """Whether a column of `words` is NULL in a word."""
        return bool(self._names(f"SELECT 1 FROM words AS w WHERE {self._among('w')} AND w.{column} IS NULL LIMIT 1"))

    def has_comment(self, key: str) -> bool:
        """Whether a sentence has a comment with this key."""
        has_value = f"comment_value(s.comments, {literal(key)}) IS NOT NULL"
        return bool(self._names(f"SELECT 1 FROM sentences AS s WHERE {self._among('s')} AND {has_value} LIMIT 1"))

    def has_sentence_without_text(self) -> bool:
        """Whether a sentence has no comment with its text."""
        return bool(self._names(f"SELECT 1 FROM sentences AS s WHERE {self._among('s')} AND s.text IS NULL LIMIT 1"))

    def comments(self) -> list[str]:
        """Return the keys of all comments, those that most sentences have first."""
        return self._names(documents.comment_keys(self._among("c")))

    def relations(self) -> frozenset[str]:
        """Return the relations of the basic trees."""
        sql = f"SELECT DISTINCT w.deprel FROM words AS w WHERE {self._among('w')} AND w.deprel IS NOT NULL"
        return frozenset(self._names(sql))

    def enhanced_relations(self) -> frozenset[str]:
        """Return the relations of the enhanced edges."""
        return frozenset(self._names(f"SELECT DISTINCT e.deprel FROM enhanced_edges AS e WHERE {self._among('e')}"))

    def count_words(self) -> int:
        """Return the number of words."""
        [[number]] = self.engine.rows(f"SELECT count(*) FROM words AS w WHERE {self._among('w')}")
        return int(number)

    def _among(self, row: str) -> str:
        if self.corpora is None:
            return "TRUE"
        return f"{row}.corpus IN ({', '.join(map(literal, self.corpora))})"

    def _is_used(self, feature: str) -> str:
        """Return the condition that a row of `features` belongs to a word of the corpora."""
        if self.corpora is None:
            return "TRUE"
        strings = (f"SELECT w.{column} FROM words AS w WHERE {self._among('w')}" for column in ("feats", "misc"))
        return f"{feature}.feats IN ({' UNION '.join(strings)})"

    def _names(self, sql: str) -> list[str]:
        return [name for (name,) in self.engine.rows(sql)]


def resolve_names(
    vocabulary: Vocabulary, request: GrewRequest, keys: Sequence[Key]
) -> tuple[NameProperties, list[str]]:
    """Return the properties of names in the corpora, and a warning for each name that these lack.

    Raises UnknownName for a key that no word or sentence has.
    """
    warnings: list[str] = []
    list_features = cache(vocabulary.features)
    further_columns = cache(vocabulary.further_columns)
    misc: set[str] = set()
    further: dict[str, str] = {}
    names_as_written = {written_name(name): name for name in _feature_names(request, keys)}
    for written, name in names_as_written.items():
        place = vocabulary.column_of(written)
        if place == "misc":
            misc.add(written)
        elif place is None and name in (columns := further_columns()):
            further[name] = columns[name]
        elif place is None:
            unknown = UnknownName("feature", name, list_features())
            if name in _feature_names_of_keys(keys) and written.split("[")[0] not in UNIVERSAL_FEATURES:
                raise unknown
            warnings.append(f"no word has the feature {name!r}; {suggestion(unknown)}")
    check_comments(vocabulary, keys)
    for name in _tested_comments(request, keys):
        if not vocabulary.has_comment(name):
            unknown = documents.unknown_comment(name, vocabulary.comments())
            warnings.append(f"no sentence has the comment {name!r}; {suggestion(unknown)}")
    relations = vocabulary.relations() if _uses_labels(request, keys) else frozenset()
    warnings += _find_relation_warnings(vocabulary, request, keys, relations)
    deep = any("@" in relation for relation in relations)
    filled = _filled_columns(vocabulary, request, keys)
    return NameProperties(frozenset(misc), deep, further, filled, vocabulary.repeated(names_as_written)), warnings


def check_comments(vocabulary: Vocabulary, keys: Sequence[Key]) -> None:
    """Raise UnknownName for a key that no comment has."""
    for name in dict.fromkeys(_comment_keys(keys)):
        if not vocabulary.has_comment(name):
            raise documents.unknown_comment(name, vocabulary.comments())


def _filled_columns(vocabulary: Vocabulary, request: GrewRequest, keys: Sequence[Key]) -> frozenset[str]:
    """Return the columns that `X [upos]` and the like ask for and all words have. In the enhanced graph, none."""
    if vocabulary.enhanced:
        return frozenset()
    nodes = (clause for clause in compiler.all_clauses(request, keys) if isinstance(clause, syntax.Node))
    defined_names = {test.name for clause in nodes for test in tests_of(clause) if test.operator == "defined"}
    return frozenset(name for name in defined_names & {*COLUMNS} if not vocabulary.has_words_without(name))


def suggestion(unknown: UnknownName) -> str:
    """Return the suggestion of an UnknownName."""
    return str(unknown).split("; ", 1)[1]


def clauses_with_texts(request: GrewRequest, keys: Iterable[Key]) -> Iterator[tuple[str, Clause]]:
    """Yield all clauses, each with the text that contains it."""
    for item in request.items:
        for clause in item.clauses:
            yield request.text, clause
    for key in keys:
        if isinstance(key.term, syntax.WhetherKey):
            for clause in key.term.clauses:
                yield key.text, clause


def tests_of(clause: Clause) -> tuple[Test, ...]:
    """Return the tests of features, parts of labels or comments in a clause."""
    if isinstance(clause, syntax.Node):
        return tuple(branch for tests in clause.alternatives for test in tests for branch in _with_otherwise(test))
    if isinstance(clause, syntax.Edge) and isinstance(clause.labels, LabelTests):
        return clause.labels.tests
    if isinstance(clause, syntax.Metadata):
        return (clause.test,)
    return ()


def _with_otherwise(test: Test) -> Iterator[Test]:
    """Yield a test, and those that hold where its feature is not defined."""
    yield test
    if test.otherwise is not None:
        yield from _with_otherwise(test.otherwise)


def _feature_names(request: GrewRequest, keys: Sequence[Key]) -> list[str]:
    """Return the features of FEATS and MISC that a request names."""
    names = []
    edges = {clause.name for clause in compiler.all_clauses(request, keys) if isinstance(clause, syntax.Edge)}
    for clause in compiler.all_clauses(request, keys):
        if isinstance(clause, syntax.Node):
            names += [test.name for test in tests_of(clause)]
        elif isinstance(clause, syntax.FeatureComparison):
            both = (clause.left, clause.right)
            names += [
                name
                for r in both
                if isinstance(r, FeatureReference) and r.owner not in edges
                for name in (r.name, *r.others)
            ]
        elif isinstance(clause, syntax.FeatureTest) and clause.reference.owner not in edges:
            names += [clause.reference.name, *clause.reference.others]
    names += _feature_names_of_keys(keys, edges)
    return [name.removeprefix(MISC) for name in dict.fromkeys(names) if name not in _BUILT_IN]


def _feature_names_of_keys(keys: Sequence[Key], edges: Iterable[str | None] = ()) -> list[str]:
    terms = [key.term for key in keys if isinstance(key.term, syntax.FeatureKey)]
    return [r.name for term in terms for r in term.references if r.owner not in edges and r.name not in _BUILT_IN]


def _tested_comments(request: GrewRequest, keys: Sequence[Key]) -> list[str]:
    """Return the keys of comments that clauses alone name, without those that hardly a sentence lacks."""
    known = {"text", "sent_id"}.union(_comment_keys(keys))
    names = (c.test.name for c in compiler.all_clauses(request, keys) if isinstance(c, syntax.Metadata))
    return [name for name in dict.fromkeys(names) if name not in known]


def _comment_keys(keys: Sequence[Key]) -> list[str]:
    return [key.term.name for key in keys if isinstance(key.term, syntax.MetadataKey)]


def _uses_labels(request: GrewRequest, keys: Sequence[Key]) -> bool:
    named = any(isinstance(key.term, syntax.FeatureKey) for key in keys)
    clauses = list(compiler.all_clauses(request, keys))
    labelled = any(isinstance(clause, syntax.Edge) and clause.labels != Labels(True, ()) for clause in clauses)
    return named or labelled or any(isinstance(clause, syntax.FeatureComparison) for clause in clauses)


def _find_relation_warnings(
    vocabulary: Vocabulary, request: GrewRequest, keys: Sequence[Key], relations: frozenset[str]
) -> list[str]:
    labels = [clause.labels for clause in compiler.all_clauses(request, keys) if isinstance(clause, syntax.Edge)]
    whole = [v for label in labels if isinstance(label, Labels) for v in label.values if isinstance(v, str)]
    tests = [test for label in labels if isinstance(label, LabelTests) for test in label.tests if test.name == "1"]
    parts = [value for test in tests for value in test.values if isinstance(value, str)]
    unknown = {value: relations for value in whole if not value.startswith("E:") and value not in relations}
    universal = {relation.split(":")[0].split("@")[0] for relation in relations}
    more = {value.removeprefix("E:") for value in whole if value.startswith("E:")}
    beyond = vocabulary.enhanced_relations() if more or (parts and set(parts) - universal) else frozenset()
    universal |= {relation.split(":")[0] for relation in beyond}
    unknown.update({part: frozenset(universal) for part in parts if part not in universal})
    warnings = [
        f"no edge has the relation {name!r}; {suggestion(UnknownName('', name, known))}"
        for name, known in unknown.items()
    ]
    for relation in sorted(more - beyond):
        near = suggestion(UnknownName("", relation, beyond)) if beyond else "there are no enhanced edges (DEPS) at all"
        warnings.append(f"no enhanced edge has the relation {relation!r}; {near}")
    return warnings
