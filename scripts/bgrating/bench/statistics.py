"""Measure what our statistics make of the matches, beside the method of 2003, from the tables of `estimates`."""

from pathlib import Path

from bgrating import BgratingError
from bgrating.bench.measure import Measure
from bgrating.evidence.page import COUNTS, FITS, judged
from bgrating.tables import read_table

WIDTH_BOUND = 0.5  # of the published design's half-width for the same CPU


class NoStatisticsError(BgratingError, FileNotFoundError):
    """A table of the statistics is missing; the message says what makes it."""


def statistics_measures(folder: Path) -> list[Measure]:
    """Read the measures from the tables in `folder` (results/statistics).

    Standard errors of the coefficients, averaged over match lengths; half-widths of R for the same CPU, as planned
    and as played. Raises NoStatisticsError.
    """
    table = read_table(_there(folder / "efficiency.csv"))
    means = table[table["match_length"].isna()]
    measures = [
        Measure(
            f"standard error of {row['term']} over the published method's, cube errors over "
            f"{COUNTS[row['epc_definition']]}, {FITS[row['model']]}",
            judged(row),
            row["bound"],
            True,
        )
        for row in means.to_dict("records")
    ]
    for name, theirs, words in (
        ("plan_cells", "published_half_width", "planned for all cells"),
        ("efficient", "published_share_half_width", "really played, one length of that plan"),
    ):
        cells = read_table(_there(folder / f"{name}.csv"))
        if len(cells):
            ratio = float(cells["half_width"].mean() / cells[theirs].mean())
            measures.append(Measure(f"half-width of R over the published design's, {words}", ratio, WIDTH_BOUND, True))
    return measures


def _there(path: Path) -> Path:
    if not path.is_file():
        raise NoStatisticsError(f"there is no {path}: ./run estimates makes it from the frozen tables")
    return path
