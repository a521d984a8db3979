"""The target people through Snakemake with the real engine: a small collection gets its tables, page and answers."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.tables.provenance import read_provenance
from short_match import OPENINGS, match
from study.people.sources import NAMES

Run = Callable[..., subprocess.CompletedProcess[str]]
Look = Callable[[str, Path], None]


@pytest.fixture(scope="module", name="place")
def _place(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("people")
    (place / "games").mkdir()
    for number, dice in enumerate(OPENINGS):
        (place / "games" / f"{number}.mat").write_text(match(f"left {number}", "right", dice))
    done = snakemake("people", "--config", f"collection={place / 'games'}", f"results={place / 'results'}")
    assert done.returncode == 0, done.stdout
    assert "this collection is too small" in done.stdout
    return place / "results" / "human" / "games"


def test_everything_is_there_and_says_what_it_cannot(place: Path) -> None:
    people = place / "people"
    for name in NAMES:
        table = pd.read_csv(people / f"{name}.csv")
        facts = read_provenance(people / f"{name}.csv")
        assert facts["rows"] == len(table)
        assert facts["held"] == {"decided": len(OPENINGS), "matches": len(OPENINGS), "money": 0}
    assert "this collection is too small" in (people / "people.html").read_text()


def test_the_page_in_a_browser(place: Path, look: Look) -> None:
    look("people", place / "people" / "people.html")


def test_the_matches_hold_the_sizes_of_their_errors(place: Path) -> None:
    matches = pd.read_csv(place / "matches.csv")
    counted = matches["chequer_error_sizes"].map(lambda text: sum(map(int, text.split())))
    assert (counted == matches["unforced_moves"]).all()
    lost = matches["cube_loss_by_size"].map(lambda text: sum(map(int, text.split()))) * 1e-4
    assert (lost - matches["cube_error_emg"]).abs().max() < 1e-3
