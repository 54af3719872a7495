"""Scanners of bytes: the fields of lines, links, brackets, lattices and n-best lists of files."""
