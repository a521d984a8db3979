"""`python -m bgrating`: the command."""

from bgrating.command import main

if __name__ == "__main__":
    main()
