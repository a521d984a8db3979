"""Which frozen tables there are, told from their provenance alone."""

from pathlib import Path

from bgrating.provenance import provenance_path, read_provenance
from bgrating.study.designs import NO_ANALYSIS, Design


def frozen_table(results: Path, study: str, match_length: int) -> Path:
    """Return where the frozen table of one match length of a study stands."""
    return results / study / "frozen" / f"{match_length}.parquet"


def frozen_matches(results: Path, design: Design) -> dict[int, int]:
    """Return how many matches each frozen table of a study holds, by match length in the order of the design."""
    tables = {length: frozen_table(results, design.study, length) for length in design.match_lengths()}
    return {
        length: int(read_provenance(table)["rows"])
        for length, table in tables.items()
        if provenance_path(table).is_file()
    }


def frozen_part(results: Path, design: Design) -> Path:
    """Return where what is kept of a study of one match length stands: its frozen table, or its wins if only played."""
    if design.analysis == NO_ANALYSIS:
        return results / design.study / "wins.csv"
    return frozen_table(results, design.study, design.match_lengths()[0])
