"""Evaluations: from the inputs of a task to the scores of every system."""
