"""Fit again, from frozen matches: part2 at two lengths, and a small tournament."""

import sys
from pathlib import Path

import pandas as pd

from bgleague.tournament.design import tournament
from bgleague.tournament.tournament_tables import write_tables
from bgrating.play.match_tables import read_checked
from bgrating.tables.table_files import write_table
from study.formula.catalogue import METHOD, coefficients, fit_all, recommended
from study.formula.design_points import points

LENGTHS = (3, 5)
MATCHES_OF_A_SHARD = 10


def refit(results: Path, folder: Path) -> None:
    """Write the tables into a folder, and coefficients with all digits to every_digit.csv."""
    frozen = [results / f"part2/frozen/{length}.parquet" for length in LENGTHS]
    table = points(pd.concat(map(read_checked, frozen)))
    used = table[table["method"] == METHOD]
    fits = list(fit_all(used))
    write_table(table, folder / "points.csv", "study/points")
    write_table(coefficients(fits), folder / "coefficients.csv", "study/coefficients")
    recommended(fits, used, {}).write(folder / "formula.json")
    coefficients(fits).to_csv(folder / "every_digit.csv")
    asked = tournament({"results": str(results.parent), "nets": results.name})
    played = read_checked(results / asked.design.study / f"frozen/{asked.match_length}.parquet")
    write_tables(
        played[played["match"] < MATCHES_OF_A_SHARD], asked, folder, results.name, {}, replicates=2
    )


if __name__ == "__main__":
    refit(Path(sys.argv[1]), Path(sys.argv[2]))
