"""Writers: one module per format, tables in, files out.

A file format is a module of this package with `SUFFIXES`, `KIND` (of the corpora that it is for: dependency,
constituency or alignment) and `write(connection, corpus, sentences, out)`. It is found by being there. `parquet` is
another matter: it writes all tables of several corpora, into a folder.
"""
