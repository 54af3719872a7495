"""A sentence out of the tables, and its views."""
