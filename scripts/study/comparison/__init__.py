"""Published against regenerated: what moved, and why, each cause by a measurement."""

PART_1, PART_2, ZADEH = "part1", "part2", "check-zadeh"
PAIRS = ("appendix2", "appendix2-1-ply", "appendix2-2-ply", "check-both-noisy", "check-2-ply-players")
SHALLOW, DEEP = "check-analysis-0-ply", "check-analysis-2-ply"
TABLES = (
    "coefficients", "causes", "curvature", "cube_only", "depth", "out_of_sample", "both_err",
)  # fmt: skip
