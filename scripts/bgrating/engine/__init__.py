"""All that knows GNU Backgammon: its levels, commands and processes, and what it says of a match."""
