"""The referee of matches between programs: rules, dice, cube and clock are ours, plays are theirs."""
