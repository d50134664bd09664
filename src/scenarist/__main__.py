"""`python -m scenarist` is the command line."""

from scenarist.cli.main import main

main()
