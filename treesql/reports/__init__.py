"""Reports of studies: one HTML page and its data files."""
