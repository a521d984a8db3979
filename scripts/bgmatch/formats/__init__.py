"""Files and archives of matches: find them, and read those that other programs save."""
