"""Pages of evaluations and studies: one HTML file each, with its data beside it."""
