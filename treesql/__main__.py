"""python -m treesql."""

from treesql.cli import main

main()
