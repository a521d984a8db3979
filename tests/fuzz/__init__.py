"""Attacks on readers of strangers' files, and on runs: `./run fuzz --collection DIR`."""
