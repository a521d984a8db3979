"""Published against regenerated: what moved, and why, each cause by a measurement."""

PART_2, ZADEH = "part2", "check-zadeh"
PAIRS = ("appendix2", "appendix2-1-ply", "appendix2-2-ply", "check-both-noisy", "check-2-ply-players")
TABLES = ("causes", "out_of_sample")
