"""Metrics of a few lines, as files of queries/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from treesql import catalog
from treesql.catalog import resources


@pytest.fixture
def toy_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file more in queries/: the mean length of words in capitals and others."""
    for family in resources.folder("queries").iterdir():
        (tmp_path / family.name).symlink_to(family)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "form_length.sql").write_text(
        dedent("""\
        -- form_length: how long words are; one row per word.
        -- kind: metric
        -- parameter text_corpus TEXT: the corpus
        -- column sentence INTEGER: its sentence
        -- column word INTEGER: its position
        -- count words BIGINT: 1 for every word
        -- column characters DOUBLE: its length
        -- score mean_length number neither = sum(characters) / nullif(sum(words), 0): mean length of a word
        -- source: none
        SELECT w.sentence, w.word, 1 AS words, CAST(length(w.form) AS DOUBLE) AS characters
        FROM words AS w
        WHERE w.corpus = $text_corpus
        """)
    )
    (tmp_path / "toy" / "long_forms.sql").write_text(
        dedent("""\
        -- long_forms: words that are longer than they may be; one row per word.
        -- kind: audit
        -- parameter text_corpus TEXT: the corpus
        -- parameter longest INTEGER = 6: so many characters are allowed
        -- column file VARCHAR: where it is
        -- column line BIGINT: its line
        -- column problem VARCHAR: what is wrong
        -- column hint VARCHAR: what to do
        -- source: none
        SELECT 'f' AS file, CAST(w.word AS BIGINT) AS line, w.form || ' is long' AS problem, 'shorten it' AS hint
        FROM words AS w
        WHERE w.corpus = $text_corpus AND length(w.form) > $longest
        """)
    )
    for name, parameter in (
        ("audited", ""),
        ("audited_as_given", "-- parameter longest INTEGER = 6: as in the audit\n"),
    ):
        (tmp_path / "toy" / f"{name}.sql").write_text(
            f"-- {name}: how many words there are; one row per word.\n-- kind: metric\n"
            f"-- parameter text_corpus TEXT: the corpus\n{parameter}-- audit long_forms\n"
            "-- column sentence INTEGER: its sentence\n-- column {name}_words BIGINT: 1 for every word\n"
            "-- score {name}_length number neither = sum({name}_words): words\n-- source: none\n"
            "SELECT w.sentence, 1 AS {name}_words\nFROM words AS w\nWHERE w.corpus = $text_corpus\n".replace(
                "{name}", name
            )
        )
    real = resources.folder
    monkeypatch.setattr(resources, "folder", lambda name: tmp_path if name == "queries" else real(name))
    catalog.clear_cache()
    yield
    catalog.clear_cache()
