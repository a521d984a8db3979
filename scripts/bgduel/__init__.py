"""Is one backgammon program stronger than another? A referee, its sides, a sequential test."""
