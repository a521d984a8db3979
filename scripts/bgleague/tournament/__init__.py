"""A round robin of gnubg levels, rated by every system side by side."""
