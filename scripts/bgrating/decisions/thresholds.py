"""Losses that count as errors, and depths of the judges."""

COSTLY = 0.02
BLUNDER = 0.08
"""Smallest loss (EMG) of an error and of a blunder, as eXtreme Gammon counts them."""
QUIZ_LOSS = 0.05
"""Smallest loss (EMG) of a quiz question: at greater depth some smaller errors are none."""
DIFFERENCE = 0.05
"""Smallest difference of two judges' losses (EMG) that the pages show."""
CHECKS = NONE, ERRORS = "none", "errors"
"""The decisions that the second look may judge."""
CHECKED_PLIES = 2
QUIZ_PLIES = 3
"""Plies of the second look, and of the judge of quiz boards."""
LEVEL = "checked"
"""Level of a match whose errors were all judged again, and of a player with only such matches."""
NO_CONTACT = {"race": "races", "bearoff": "bear-offs"}
"""Phases in which a shallow analysis misjudges the cube, with their plurals."""
