"""From the inputs of an evaluation to the scores of every system."""
