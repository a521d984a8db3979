"""Read the files that programs save: a module for each format, which `saved` chooses."""
