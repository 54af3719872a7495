"""Items to sums to scores."""
