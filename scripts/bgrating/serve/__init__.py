"""The page on this computer: drop files, see them rated. It runs the commands `rate` and `ratings`."""
