"""The command line, run as `python -m treesql`."""

from treesql.cli import main

main()
