"""Files read without being loaded, for their faults alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treesql import readers
from treesql.errors import Diagnostic, InvalidInput
from treesql.readers import Options, State
from treesql.readers.source import Source
from treesql.storage.loading import CorpusFiles, Progress, options_of


def check_files(wanted: Sequence[CorpusFiles], options: Options, progress: Progress | None = None) -> list[Diagnostic]:
    """Read files without loading them; returns the warnings. Raises InvalidInput with the faults of all files.

    What is accepted with a warning of a file's layout (line ends, byte order mark, final blank line) is a fault here.
    """
    warnings: list[Diagnostic] = []
    layouts: list[Diagnostic] = []
    faults: list[Diagnostic] = []
    for one in wanted:
        readers.check_options(one.form, options)
        state, options = State(), options_of(one, options)
        for path in one.files:
            source = Source(path, progress, digest=False)
            try:
                for _ in readers.read(source, one.form, state, options):
                    pass
            except InvalidInput as error:
                faults += error.faults
                continue
            layout = source.layout.warning(source.name)
            if layout is not None:
                layouts.append(layout)
                faults.append(replace(layout, severity="error"))
        try:
            readers.check_corpus(one.form, one.files[0], state)
        except InvalidInput as error:
            faults += error.faults
        warnings += [warning for warning in state.warnings if warning not in layouts]
    if faults:
        raise InvalidInput(faults)
    return warnings
