"""Which losses are errors, and from which depth on a verdict counts as checked."""

COSTLY, BLUNDER = 0.02, 0.08
"""Smallest loss (EMG) of an error and of a blunder, as eXtreme Gammon counts them."""
ASKED = 0.05
"""Smallest loss (EMG) of a question of the quiz: deeper judges acquit some smaller errors."""
DIFFERENCE = 0.05
"""Smallest difference of two judges' losses (EMG) that pages show."""
CHECKED_PLIES, QUIZ_PLIES = 2, 3
"""Plies of the second look; plies at which the boards of quizzes are judged once more."""
LEVEL = "checked"
"""The level of a match whose errors were all judged again, and of a player with such matches only."""
NO_CONTACT = {"race": "races", "bearoff": "bear-offs"}
"""Phases in which a shallow analysis misjudges the cube."""
