"""Tests, intervals, comparisons."""
