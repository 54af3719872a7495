"""Grew requests: a lexer and a parser (text -> clauses), and a compiler (clauses -> one SQL statement).

The language is that of Grew 1.19 (Guillaume 2021, Graph Matching and Graph Rewriting: GREW tools for corpus
exploration, maintenance and conversion; documentation at grew.fr). The module `finding` runs requests on a database.
"""
