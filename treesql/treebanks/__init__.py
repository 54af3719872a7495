"""Studies of treebanks: correlation, typology."""
