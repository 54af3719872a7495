"""Studies of translation lattices: oracle paths, pruning, arbiters, density curves."""
