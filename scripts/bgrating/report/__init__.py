"""The report of a study: its tables as one page to read and a few lines to print."""
