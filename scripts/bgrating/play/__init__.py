"""What is played and kept: designs, seeds, shards, archives and tables of matches."""
