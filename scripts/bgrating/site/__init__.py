"""The pages of a collection, its players and its matches."""
