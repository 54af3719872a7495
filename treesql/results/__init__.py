"""What every question returns, and how a table is rendered."""
