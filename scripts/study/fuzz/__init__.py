"""Attacks on the reader of match files: real files changed at random, and what becomes of each."""
