"""Studies of translation lattices: pruning, arbiters, density curves."""
