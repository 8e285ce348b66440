"""`python -m allport` is the command line."""

from allport.cli import main

main()
