"""The report of a study: its figures, its page and a few lines to print."""
