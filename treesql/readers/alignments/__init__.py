"""Word alignments."""
