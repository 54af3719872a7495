"""Writers: one module per format, tables in, files out.

A format is a module of this package with `SUFFIXES` and `write(connection, corpus, sentences, out)`.
"""
