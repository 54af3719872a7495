from treesql._version import __version__ as __version__
from treesql.errors import TreesqlError, TreesqlWarning


def kind(name):
    from treesql.catalog import kinds as k

    return k.kind(name)


def kinds():
    from treesql.catalog import kinds as k

    return k.names()


def formats(kind=None):
    from treesql import readers

    return {n: f for n, f in readers.formats().items() if kind in (None, f.kind) or f.kind == "any"}


def __getattr__(name):
    import importlib

    if name in ("score", "compare", "explain"):
        return getattr(importlib.import_module("treesql.evaluation.files"), name)
    if name in ("connect", "Database"):
        return getattr(importlib.import_module("treesql.database"), name)
    if name == "Result":
        return importlib.import_module("treesql.results.result").Result
    raise AttributeError(name)
