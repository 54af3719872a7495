"""Dynamic programs and byte scanners: flat arrays in, arrays out. They know nothing of Arrow, SQL or files."""
