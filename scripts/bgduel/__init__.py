"""Is one backgammon program or level stronger than another? A referee, its sides, and a sequential test."""
