"""Pages of studies: one HTML file, its data beside it."""
