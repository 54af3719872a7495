"""Pages of evaluations and studies: one HTML file each, with its data beside it."""

SENTENCES = 3
"""Number of sentences of each list by default."""
