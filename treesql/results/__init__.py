"""Results of queries and scores, and how tables are rendered."""
