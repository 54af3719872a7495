"""A sentence with its trees, which draws itself in terminals, notebooks and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treesql.catalog.schemas import literal
from treesql.drawing import svg
from treesql.drawing.pairs import Link
from treesql.drawing.svg import WIDTH
from treesql.errors import UsageError
from treesql.results import pages
from treesql.results.pages import Figure
from treesql.runtime.failures import convert_errors_of_class
from treesql.sentences import views
from treesql.sentences.sentence_names import SentenceRows
from treesql.sentences.views import Captioned

MAX_WORDS = 5000
"""Maximum number of words of a sentence that is drawn: a picture takes seconds, and its time grows with the square."""

MAX_EDGES = 5000
"""Maximum number of edges of a lattice that is drawn."""


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Sentence(SentenceRows):
    """A sentence with its trees; `print` draws it, and so does a notebook.

    sentence: its number in the corpus, from 0; words, tokens, ...: its rows in the tables of these names.
    """

    def drawings(
        self,
        *,
        system: Sentence | None = None,
        aligned: Translation | None = None,
        enhanced: bool = False,
        relations: str = "universal",
        grid: bool = False,
        system_links: Sequence[Link] | None = None,
        highlights: Mapping[int, str] | None = None,
        marks: Mapping[int, str] | None = None,
    ) -> Captioned:
        """Return the drawings of the sentence's trees, each with a caption; parameters as for `svg`."""
        self.check_size()
        for other in (system, None if aligned is None else aligned.sentence):
            if other is not None:
                other.check_size()
        if relations not in ("universal", "full"):
            raise UsageError(f"relations are compared `universal` or `full`, not {relations!r}")
        if grid:
            if aligned is None or enhanced or system is not None or highlights or marks:
                raise UsageError("a grid shows nothing but the links to a translation; give aligned= and system_links=")
            return views.draw_grid(self, aligned.sentence, aligned.links, system_links)
        if system_links is not None:
            raise UsageError("the links of a system are compared in a grid; give grid=True")
        if aligned is not None:
            if enhanced or system is not None:
                raise UsageError("a translation replaces a system's tree and enhanced edges; choose one of them")
            return views.draw_pair(self, aligned.sentence, aligned.links, highlights or {}, marks or {})
        if system is None:
            return views.draw_trees(self, enhanced, highlights or {}, marks or {})
        if enhanced or marks:
            raise UsageError("a system's tree replaces enhanced edges, and sets its own marks; choose one of them")
        return views.draw_comparison(self, system, relations, highlights or {})

    def check_size(self) -> None:
        """Raise UsageError if there are too many words to draw."""
        if len(self.words) > MAX_WORDS:
            size = f"{self.place} has {len(self.words):,} words, and {MAX_WORDS:,} at most are drawn"
            rows = f"FROM words WHERE corpus = {literal(self.corpus)} AND sentence = {self.sentence} ORDER BY word"
            raise UsageError(f"{size}; select them in SQL: {rows}")
        if len(self.lattice_edges) > MAX_EDGES:
            size = f"{self.place} has {len(self.lattice_edges):,} edges, and {MAX_EDGES:,} at most are drawn"
            rows = (
                f"FROM lattice_edges WHERE corpus = {literal(self.corpus)} AND sentence = {self.sentence} ORDER BY edge"
            )
            raise UsageError(f"{size}; select them in SQL: {rows}")

    def svg(self, *, width: float | None = WIDTH, standalone: bool = True, **what: Any) -> str:
        """Return the sentence's trees as an SVG document, or with `standalone=False` as an element for a page.

        width: of a row of words in pixels, None for a single row. system: the same sentence by a parser, drawn with its
        errors. aligned: the translation, drawn below with links between the words. enhanced: whether the enhanced graph
        is drawn below the words. relations: `universal` or `full`, the relations compared with those of the system.
        grid: whether the links to the words of the translation are drawn as a grid instead of the trees. system_links:
        the links of a system, with which a grid compares them.
        highlights: positions of highlighted words, each with a name written at it, or ``. marks: positions of
        dependents whose edge is marked, each with its mark (see drawing.arcs.Arc). Raises UsageError if there is
        nothing to draw.
        """
        picture = svg.stack((caption, drawing.picture(width)) for caption, drawing in self.drawings(**what))
        return picture.svg(self.text or self.name, standalone=standalone)

    def characters(self, *, width: int | None = None, colour: bool = False, **what: Any) -> str:
        """Return the drawings of `svg` as text. width: of a row in columns; colour: whether to use terminal colours."""
        drawings = self.drawings(**what)
        return "\n".join(
            f"{caption}\n" * bool(caption) + drawing.characters(width, colour) for caption, drawing in drawings
        )

    def __str__(self) -> str:
        return self.characters().rstrip("\n") if self._drawable else self.plain

    def __repr__(self) -> str:
        return f"<Sentence {self.name} of {self.corpus}, {len(self.words)} words>"

    def _repr_svg_(self) -> str | None:
        return self.svg() if self._drawable else None

    def _repr_html_(self) -> str:
        return pages.notebook(Figure(svg=self.svg(standalone=False)) if self._drawable else Figure(text=self.plain))

    @property
    def _drawable(self) -> bool:
        return len(self.words) <= MAX_WORDS and (
            self.parsed or bool(self.constituents) or 0 < len(self.lattice_edges) <= MAX_EDGES
        )

    @property
    def plain(self) -> str:
        """Its text, or else its multiword tokens and words, with spaces where `SpaceAfter=No` does not forbid them."""
        if self.text:
            return self.text
        tokens = {token["first"]: token for token in self.tokens}
        parts, end = [], 0
        for word in self.words:
            if word["word"] > end:
                token = tokens.get(word["word"])
                shown, end = (token, token["last"]) if token else (word, word["word"])
                parts += [shown["form"], "" if "SpaceAfter=No" in (shown["misc"] or "").split("|") else " "]
        return "".join(parts).rstrip()


@dataclass(frozen=True)
class Translation:
    """The translation of a sentence, and the links from the words of the sentence to its words."""

    sentence: Sentence
    links: tuple[Link, ...]
