"""What runs a statement."""
