"""Requests for constituency trees: Tregex and TIGERSearch texts to formulas over nodes, and these to one SQL statement.

Nodes are rows of the view `tree_nodes`: phrases, tags and words. Dominance is that of the tree; in Tregex requests a
node precedes another if it begins before it and neither dominates the other, so that trees with crossing branches
have an order, too, and children are in the order of their first words.
"""
