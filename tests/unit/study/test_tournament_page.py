"""Tables and page of a tournament that was never played: results drawn by the FIBS formula."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import browser
from bgleague.tournament.design import tournament
from bgleague.tournament.played import FIGURES
from bgleague.tournament.tournament_tables import TABLES, write_tables
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import read_json, read_table
from made_up_studies import engine_facts
from study.tournament_page import make

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
                row = {"player": first, "opponent": second, "shard": 0, "match": number}
                row["match_length"] = 3
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
    about = {"engine": engine_facts(), "analysis": {"name": "0-ply"}}
    write_tables(matches(), planned, place, "1.07.001", about, replicates=10)
    return place


def test_tables_are_written_with_what_they_rest_on(folder: Path) -> None:
    players, cells, seats = (read_table(folder / f"{name}.csv") for name in TABLES)
    assert players["player"].tolist() == list(LEVELS)
    assert players["games"].tolist() == [6 * GAMES] * 4
    assert (players["luck_adjusted"] - [200, 50, 0, -250]).abs().max() < 40
    assert players["p_champion"].sum() == pytest.approx(1)
    behind = np.array([0, 150, 200, 450])
    assert players["epm"].tolist() == pytest.approx(behind / 17_000, rel=1e-5)
    assert cells["games"].tolist() == [GAMES] * 12
    won = cells.groupby("first")["wins"].sum().to_dict()
    assert seats.set_index("player")["wins_first"].to_dict() == won
    assert seats["wins_second"].sum() == 12 * GAMES - cells["wins"].sum()
    fit = read_json(folder / "fit.json")
    assert fit["n_games"] == 12 * GAMES
    assert (fit["luck_adjusted_dof"], fit["logistic_dof"]) == (3, 12 - 3 - 1)
    facts = read_provenance(folder / "cells.csv")
    assert (facts["engine"], facts["replicates"], facts["confidence"]) == (engine_facts(), 10, 0.9)
    assert read_provenance(folder / "outcomes.png")["players"][0] == "expert-diluted-0.3"


def test_the_page_holds_everything(folder: Path) -> None:
    text, lines = make(folder)
    assert "4 levels to 3 points" in text
    assert "1.07.001" in text
    assert all(text.count(level) > 5 for level in LEVELS)
    assert "5 / √N = 2.89 " in text
    assert "data:image/png" in text
    won = read_table(folder / "cells.csv")["wins"].iloc[0] / GAMES
    assert f"{100 * won:.1f}</td>" in text.split('id="cells"')[1]
    standing = text.split("<h2>Standing</h2>")[1]
    assert standing.index("expert\u2069 is first with ") < standing.index("<table")
    assert lines.splitlines()[0].startswith("4 levels to 3 points: 360 matches")
    assert len(lines.splitlines()) == 6


@pytest.mark.slow
def test_on_paper_no_text_lies_on_a_table(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(make(folder).html, encoding="utf-8")
    gaps = """Array.from(document.querySelectorAll(".beside"), ({firstElementChild, lastElementChild}) => {
      const text = lastElementChild.getBoundingClientRect();
      const wide = Array.from(firstElementChild.querySelectorAll("table, img"));
      const boxes = wide.map(one => one.getBoundingClientRect());
      return Math.max(...boxes.map(box => Math.max(text.left - box.right, text.top - box.bottom)));
    })"""
    with browser.opened(page) as one:
        one.show_on_paper()
        one.resize(688)  # A4 less the margins, 182 mm
        assert min(one.ask(gaps)) >= 0
