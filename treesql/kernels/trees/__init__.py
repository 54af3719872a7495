"""Trees: their indexes, and what two trees share."""
