"""`python -m gridlab` is the command line."""

from gridlab.cli import main

main()
