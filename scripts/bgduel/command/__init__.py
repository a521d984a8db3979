"""The commands of bgduel: decide and check."""
