"""What is played and kept: designs, seeds, shards and tables of matches."""
