"""Links between the words of two sentences."""
