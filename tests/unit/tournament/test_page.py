"""Tables, figure and page of a tournament that was never played: results drawn by the FIBS formula."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.pages.style import save
from bgrating.tables.provenance import read_provenance
from bgrating.tournament.design import tournament
from bgrating.tournament.page import TournamentResults, figures, page, ratings, read_results, summary
from bgrating.tournament.played import FIGURES
from bgrating.tournament.tables import write_tables
from played_by import engine_facts

LEVELS = ("expert", "advanced", "expert-diluted-0.1", "expert-diluted-0.3")
TRUE = dict(zip(LEVELS, (200.0, 50.0, 0.0, -250.0), strict=True))
GAMES = 30


def matches() -> pd.DataFrame:
    """Draw matches to 3 points: one row a match, the columns that a tournament reads."""
    random = np.random.default_rng(1)
    rows = []
    for first in LEVELS:
        for second in LEVELS:
            chance = 1 / (1 + 10 ** (-(TRUE[first] - TRUE[second]) * 3**0.5 / 2000))
            for number in range(GAMES if first != second else 0):
                row = {"match_length": 3, "player": first, "opponent": second, "shard": 0, "match": number}
                row["actual_result"] = (random.random() < chance) - 0.5
                row["luck_adjusted_result"] = chance - 0.5 + random.normal(0, 0.1)
                for side, name in (("player", first), ("opponent", second)):
                    row |= {f"{side}_{figure}": 10.0 for figure in FIGURES}
                    row[f"{side}_chequer_error_emg"] = (200 - TRUE[name]) / 1700
                    row[f"{side}_cube_error_emg"] = 0.0
                rows.append(row)
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tournament")
    planned = tournament({"results": str(place), "nets": "", "levels": ",".join(LEVELS)})
    write_tables(
        matches(), planned, place, "1.07.001", {"engine": engine_facts(), "analysis": {"name": "0-ply"}}, replicates=10
    )
    return place


@pytest.fixture(scope="module")
def results(folder: Path) -> TournamentResults:
    return read_results("default", "Four <levels>", folder)


def test_tables_are_written_with_what_they_rest_on(folder: Path, results: TournamentResults) -> None:
    players = results.tables["tournament"]
    assert players["player"].tolist() == list(LEVELS)
    assert players["games"].tolist() == [6 * GAMES] * 4
    assert (players["luck_adjusted"] - [200, 50, 0, -250]).abs().max() < 40
    assert players["p_champion"].sum() == pytest.approx(1)
    assert players["epm"].tolist() == pytest.approx([0, 150 / 17000, 200 / 17000, 450 / 17000], rel=1e-5)
    facts = read_provenance(folder / "cells.csv")
    assert (facts["engine"], facts["replicates"], facts["confidence"]) == (engine_facts(), 10, 0.9)
    assert results.fit["n_games"] == 12 * GAMES
    assert (results.fit["luck_adjusted_dof"], results.fit["logistic_dof"]) == (3, 12 - 3 - 1)
    assert read_provenance(folder / "outcomes.png")["players"][0] == "expert-diluted-0.3"


def test_cells_and_seats_count_the_same_matches(results: TournamentResults) -> None:
    cells, seats = results.tables["cells"], results.tables["seats"]
    assert cells["games"].tolist() == [GAMES] * 12
    by_first = cells.groupby("first")["wins"].sum()
    assert seats.set_index("player")["wins_first"].to_dict() == by_first.to_dict()
    assert seats["wins_second"].sum() == 12 * GAMES - cells["wins"].sum()


def test_the_comparable_diluted_player_lies_between_the_levels_around_it(results: TournamentResults) -> None:
    table = results.tables["diluted"].set_index("player")
    assert table["share"][["expert", "expert-diluted-0.1", "expert-diluted-0.3"]].tolist() == [0, 0.1, 0.3]
    assert 0 < table["share"]["advanced"] < 0.1
    assert (table["below"]["advanced"], table["above"]["advanced"]) == ("expert-diluted-0.1", "expert")


def test_the_page_holds_everything_and_escapes_names(results: TournamentResults, folder: Path, tmp_path: Path) -> None:
    drawn = save(figures(results, 3), tmp_path)
    assert [path.stem for path in drawn] == ["ratings"]
    text = page(results, [*drawn, folder / "outcomes.png"], ["expert~advanced.mat"])
    assert "Four &lt;levels&gt;" in text
    assert "1.07.001" in text
    assert "<levels>" not in text
    assert all(text.count(level) > 5 for level in LEVELS)
    assert "5 / √N = 2.89 " in text
    assert "expert~advanced.mat" in text
    lines = summary(results, "report.html").splitlines()
    assert lines[0].startswith("Four <levels>: 360 matches")
    assert len(lines) == 6


def test_the_figure_is_the_same_bytes_again(results: TournamentResults, tmp_path: Path) -> None:
    save(((name, ratings(results.tables["tournament"], 3)) for name in ("one", "two")), tmp_path)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
