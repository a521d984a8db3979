"""GNU Backgammon: its levels, commands and processes, and its figures of a match."""
