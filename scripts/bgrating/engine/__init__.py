"""The engine: GNU Backgammon as a process of ours."""
