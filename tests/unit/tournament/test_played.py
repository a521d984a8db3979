"""Two folders of shards of one tournament become one; shards of another tournament are refused by name."""

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from bgrating.play.designs import Design, shard_table
from bgrating.tables.provenance import ProvenanceError, provenance_path, sha256, write_provenance
from bgrating.tournament.design import tournament
from bgrating.tournament.played import TournamentError, keep_examples, merge


def config(results: Path) -> dict[str, Any]:
    return {
        "results": str(results),
        "nets": "",
        "name": "t",
        "levels": "expert,expert-diluted-0.3",
        "games_per_cell": 100,
    }


def leave(results: Path, first: str, second: str, number: int, rows: int = 2, **facts: Any) -> Path:
    """Leave a shard as play and analysis leave it; its matches are texts that name where they stand."""
    design = tournament(config(results)).design
    table = shard_table(results, design.study, design.point(first, second, 3), number)
    archive = table.with_suffix(".zip")
    table.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for match in range(rows):
            packed.writestr(zipfile.ZipInfo(f"{match:04d}.mat"), f"{first} {second} {number} {match}")
    table.write_text(f"rows of {rows} matches\n")
    engine = facts.pop("engine", "gnubg 1")
    levels = [asdict(design.player_level(spec)) for spec in (first, second)]
    played = {"study_seed": design.seed, "players": levels, "rows": rows, **facts}
    write_provenance(archive, engine=engine, **played)
    write_provenance(table, engine=engine, analysis=asdict(design.analysis_level()), rows=2 * rows)
    return table


def design_of(results: Path) -> Design:
    return tournament(config(results)).design


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return two folders of results; each machine has played shards that the other has not."""
    here, away = tmp_path / "here", tmp_path / "away"
    leave(here, "expert", "expert-diluted-0.3", 0)
    leave(away, "expert", "expert-diluted-0.3", 0)
    leave(away, "expert", "expert-diluted-0.3", 1)
    leave(away, "expert-diluted-0.3", "expert", 0)
    return here, away


def test_what_is_missing_is_taken_over_and_nothing_else_is_touched(folders: tuple[Path, Path]) -> None:
    here, away = folders
    kept = {path: path.stat().st_mtime_ns for path in here.rglob("*.*") if path.is_file()}
    lines = merge(design_of(here), here, away / "tournament" / "t")
    assert lines == [
        "expert~expert-diluted-0.3: 1 of 2 shards taken over",
        "expert-diluted-0.3~expert: 1 of 1 shards taken over",
    ]
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    for path in (path for path in away.rglob("*.*") if path.is_file()):
        assert (here / path.relative_to(away)).read_bytes() == path.read_bytes()
    assert not list(here.rglob("*.part"))
    cells = {(cell.player, cell.opponent): dict(cell.held) for cell in design_of(here).points}  # type: ignore[attr-defined]
    assert cells["expert", "expert-diluted-0.3"] == {0: 2, 1: 2}
    assert merge(design_of(here), here, away / "tournament" / "t")[0].startswith("expert~expert-diluted-0.3: 0 of 2")


def test_of_one_shard_the_larger_part_is_kept(tmp_path: Path) -> None:
    here, away = tmp_path / "here", tmp_path / "away"
    ours = leave(here, "expert", "expert-diluted-0.3", 0, rows=2)
    theirs = leave(away, "expert", "expert-diluted-0.3", 0, rows=5)
    merge(design_of(away), away, here / "tournament" / "t")
    assert theirs.read_text() == "rows of 5 matches\n"
    merge(design_of(here), here, away / "tournament" / "t")
    assert ours.read_text() == "rows of 5 matches\n"


def test_a_shard_that_is_still_being_played_does_no_harm(folders: tuple[Path, Path]) -> None:
    here, away = folders
    provenance_path(next(away.rglob("001.csv"))).unlink()
    assert merge(design_of(here), here, away / "tournament" / "t")[0].startswith("expert~expert-diluted-0.3: 0 of 1")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"study_seed": 7}, r"000.csv: study_seed is 7, not 2019 as in this tournament"),
        ({"players": [{"name": "expert"}]}, r"000.csv: players is .*, not .* as in this tournament"),
        ({"engine": "gnubg 2"}, r"000.csv: engine is gnubg 2, not gnubg 1 as in .*here"),
    ],
)
def test_a_shard_of_another_tournament_is_refused(tmp_path: Path, facts: dict[str, Any], message: str) -> None:
    here, away = tmp_path / "here", tmp_path / "away"
    leave(here, "expert", "expert-diluted-0.3", 0)
    leave(away, "expert", "expert-diluted-0.3", 0, **facts)
    with pytest.raises(TournamentError, match=message):
        merge(design_of(here), here, away / "tournament" / "t")


def test_a_shard_that_was_cut_off_in_copying_is_refused(folders: tuple[Path, Path]) -> None:
    here, away = folders
    next(away.rglob("001.csv")).write_text("ro")
    with pytest.raises(ProvenanceError, match=r"001.csv: its checksum is not the one in its provenance"):
        merge(design_of(here), here, away / "tournament" / "t")


def test_other_matches_under_the_same_settings_are_refused(folders: tuple[Path, Path]) -> None:
    here, away = folders
    archive = next(away.rglob("expert~*/000.zip"))
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("0000.mat", "another match")
    facts = json.loads(provenance_path(archive).read_text())
    provenance_path(archive).write_text(json.dumps({**facts, "sha256": sha256(archive)}))
    with pytest.raises(TournamentError, match=r"000.zip: 0000.mat is another match than in .*here"):
        merge(design_of(here), here, away / "tournament" / "t")


def test_a_folder_without_shards_is_named(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"merge=.*nowhere: no folder of a tournament"):
        merge(design_of(tmp_path), tmp_path, tmp_path / "nowhere")


def test_the_first_match_of_every_pair_is_kept(folders: tuple[Path, Path], tmp_path: Path) -> None:
    _, away = folders
    archives = {path.parent.name: path for path in away.rglob("000.zip")}
    keep_examples(archives, tmp_path / "examples")
    assert sorted(path.name for path in (tmp_path / "examples").iterdir()) == [
        "expert-diluted-0.3~expert.mat",
        "expert~expert-diluted-0.3.mat",
    ]
    assert (tmp_path / "examples" / "expert~expert-diluted-0.3.mat").read_text() == "expert expert-diluted-0.3 0 0"
