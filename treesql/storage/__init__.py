"""Files to tables to files: loading, exporting, upgrading."""
