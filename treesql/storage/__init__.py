"""Files to tables and back: loading, exporting, upgrading, changes through SQL."""
