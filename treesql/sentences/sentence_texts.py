"""Names and texts of sentences."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.engines import Engine

_SENTENCES = "SELECT s.sentence, s.sent_id, s.text FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence IN "
_FORMS = "SELECT w.sentence, w.form FROM words AS w WHERE w.corpus = $corpus AND w.sentence IN "


def find_texts(engine: Engine, corpus: str, numbers: Sequence[int]) -> dict[int, tuple[str | None, str]]:
    """Return the sent_id and the text of sentences of a corpus, those that it has; the words where it has no text."""
    if not numbers:
        return {}
    listed = f"({', '.join(str(int(number)) for number in numbers)})"
    rows = engine.rows(_SENTENCES + listed, {"corpus": corpus})
    found = {number: (name, text or "") for number, name, text in rows}
    if any(not text for _, text in found.values()):
        forms: dict[int, list[str]] = {}
        for number, form in engine.rows(f"{_FORMS}{listed} ORDER BY w.sentence, w.word", {"corpus": corpus}):
            forms.setdefault(number, []).append(form)
        found = {number: (name, text or " ".join(forms.get(number, ()))) for number, (name, text) in found.items()}
    return found
