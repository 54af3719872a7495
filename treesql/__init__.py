"""SQL for treebanks: files become tables, metrics are queries, and results are tables.

Everything that the command line does is here, with the same words: functions work on files and databases, methods of
Database on one that is open. Names are imported when they are first used: `import treesql` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql._version import __version__ as __version__
from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql import drawing, lattices
    from treesql.catalog.citations import cite
    from treesql.catalog.header import Parameter
    from treesql.catalog.kinds import Format, Kind, Role, formats, kinds
    from treesql.catalog.query_list import CommonTask, QueryInfo, queries, tasks
    from treesql.database import Database, connect
    from treesql.errors import (
        DatabaseError,
        Diagnostic,
        Incomparable,
        InvalidCorpora,
        InvalidInput,
        MemoryLimit,
        NothingFound,
        QueryError,
        RefusedStatement,
        RequestError,
        TimeLimit,
        TreesqlError,
        TreesqlWarning,
        UnknownName,
        UsageError,
    )
    from treesql.evaluation.candidates import Candidates
    from treesql.evaluation.files import compare, explain, score
    from treesql.evaluation.scorer import Scorer
    from treesql.evaluation.symmetrisation import SymmetrisedLinks, symmetrise
    from treesql.kernels import Progress, when_compiling
    from treesql.lattices import nbest
    from treesql.lattices.compilation import CompiledKernels, compile
    from treesql.readers import max_sentence
    from treesql.reports.evaluation import EvaluationReport, report
    from treesql.reports.typology import typology
    from treesql.results.result import Explanation, Result
    from treesql.runtime import process
    from treesql.search.searches import DrawnMatches, Matches, Search, SearchCosts, find, prepare
    from treesql.sentences.drawn_sentences import DrawnSentences, show
    from treesql.sentences.sentence import Sentence, Translation
    from treesql.significance.compare import compare_counts
    from treesql.significance.comparison import Comparison
    from treesql.storage.checking import FileCheck, check
    from treesql.storage.files import LoadedCorpora, drop, load
    from treesql.storage.loading import Loaded
    from treesql.storage.tables import Tables, read, scan, write
    from treesql.treebanks.descriptions import Entropies, stats, wde
    from treesql.treebanks.typology import Correlations, correlate
    from treesql.treebanks.versions import diff
else:
    _MODULES = {
        "drawing": "treesql.drawing",
        "lattices": "treesql.lattices",
        "nbest": "treesql.lattices.nbest",
        "process": "treesql.runtime.process",
    }
    _NAMES = {
        "treesql.catalog.citations": ("cite",),
        "treesql.catalog.header": ("Parameter",),
        "treesql.catalog.kinds": ("Format", "Kind", "Role", "formats", "kinds"),
        "treesql.catalog.query_list": ("CommonTask", "QueryInfo", "queries", "tasks"),
        "treesql.database": ("Database", "connect"),
        "treesql.engines": ("Result",),  # with the room whose casts results need
        "treesql.errors": (
            "DatabaseError", "Diagnostic", "Incomparable", "InvalidCorpora", "InvalidInput", "MemoryLimit",
            "NothingFound", "QueryError", "RefusedStatement", "RequestError", "TimeLimit", "TreesqlError",
            "TreesqlWarning", "UnknownName", "UsageError",
        ),
        "treesql.evaluation.candidates": ("Candidates",),
        "treesql.evaluation.files": ("compare", "explain", "score"),
        "treesql.evaluation.scorer": ("Scorer",),
        "treesql.evaluation.symmetrisation": ("SymmetrisedLinks", "symmetrise"),
        "treesql.kernels": ("Progress", "when_compiling"),
        "treesql.lattices.compilation": ("CompiledKernels", "compile"),
        "treesql.readers": ("max_sentence",),
        "treesql.reports.evaluation": ("EvaluationReport", "report"),
        "treesql.reports.typology": ("typology",),
        "treesql.results.result": ("Explanation",),
        "treesql.search.searches": ("DrawnMatches", "Matches", "Search", "SearchCosts", "find", "prepare"),
        "treesql.sentences.drawn_sentences": ("DrawnSentences", "show"),
        "treesql.sentences.sentence": ("Sentence", "Translation"),
        "treesql.significance.comparison": ("Comparison",),
        "treesql.significance.compare": ("compare_counts",),
        "treesql.storage.checking": ("FileCheck", "check"),
        "treesql.storage.files": ("LoadedCorpora", "drop", "load"),
        "treesql.storage.loading": ("Loaded",),
        "treesql.storage.tables": ("Tables", "read", "scan", "write"),
        "treesql.treebanks.typology": ("Correlations", "correlate"),
        "treesql.treebanks.descriptions": ("Entropies", "stats", "wde"),
        "treesql.treebanks.versions": ("diff",),
    }  # fmt: skip
    __getattr__, __dir__ = lazy_names(__name__, _NAMES, _MODULES)

__all__ = [
    "Candidates", "CommonTask", "Comparison", "CompiledKernels", "Correlations", "Database", "DatabaseError",
    "Diagnostic", "DrawnMatches", "DrawnSentences", "Entropies", "EvaluationReport", "Explanation", "FileCheck",
    "Format", "Incomparable", "InvalidCorpora", "InvalidInput", "Kind", "Loaded", "LoadedCorpora", "Matches",
    "MemoryLimit", "NothingFound", "Parameter", "Progress", "QueryError", "QueryInfo", "RefusedStatement",
    "RequestError", "Result", "Role", "Scorer", "Search", "SearchCosts", "Sentence", "SymmetrisedLinks", "Tables",
    "TimeLimit", "Translation", "TreesqlError", "TreesqlWarning", "UnknownName", "UsageError", "check", "cite",
    "compare", "compare_counts", "compile", "connect", "correlate", "diff", "drawing", "drop", "explain", "find",
    "formats", "kinds", "lattices", "load", "max_sentence", "nbest", "prepare", "process", "queries", "read", "report",
    "scan", "score", "show", "stats", "symmetrise", "tasks", "typology", "wde", "when_compiling", "write",
]  # fmt: skip
