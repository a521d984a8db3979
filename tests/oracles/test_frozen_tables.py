"""Frozen tables: whole, unmixed, and what the engine plays again today."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from bgrating.engine.known_engines import MixedVersionsError, version_of
from bgrating.engine.locate import Engine
from bgrating.play import designs
from bgrating.play.designs import Shard
from bgrating.play.match_tables import TableError, read_checked
from bgrating.tables.provenance import provenance_path, read_provenance
from corpus import cases, values
from made_up_studies import engine_facts
from replays import assert_replayed, assert_whole
from study.custody import CustodyError
from study.pooling import gather
from study.workflow_settings import Settings

FROZEN = sorted(
    path
    for path in (designs.DESIGNS.parents[1] / "results").glob("*/*/frozen/*.parquet")
    if path.stem not in {"losses", "plans"}  # of people, not matches of a design
)
ENGINE_VERSIONS = ("1.08", "1.07.001")
# Long matches take minutes; those of up to 5 points go through the same code, and the first of a
# shard need no others.
LONGEST, FIRST = 5, 20
NEVER_KEPT = {"bench", "quick", "smoke"}
KEPT = values("frozen")
NOT_PLAYED = {name: {*studies} for name, studies in KEPT["not_played"].items()}
MISSING_CELLS = {(study, length): pairs for study, length, pairs in KEPT["missing_cells"]}


@pytest.mark.parametrize(
    "table", FROZEN, ids=lambda path: "-".join((*path.parts[-4:-2], path.stem))
)
def test_a_frozen_table_is_whole_and_says_what_it_holds(table: Path) -> None:
    rows, facts = read_checked(table), read_provenance(table)
    design = designs.design(facts["study"])
    assert len(rows) == facts["rows"] <= facts["planned"]
    planned = [point.matches for point in design.points_of(facts["match_length"])]
    assert facts["planned"] == sum(planned)
    if len(rows):
        assert version_of(facts["engine"], table) == table.parts[-4]
        assert facts["noise_mode"] == "pseudo-random"
        assert_whole(rows, facts, design, facts["match_length"])


@pytest.mark.parametrize("engine_version", ENGINE_VERSIONS)
def test_every_cell_of_a_design_is_frozen_or_named_as_missing(engine_version: str) -> None:
    results, missing = designs.DESIGNS.parents[1] / "results" / engine_version, {}
    for study in sorted({*designs.studies()} - NEVER_KEPT - NOT_PLAYED[engine_version]):
        design, held = designs.design(study), dict[tuple[str, str, int], int]()
        for length in design.match_lengths():
            rows = read_checked(designs.frozen_table(results, study, length))
            held |= rows.groupby(["player", "opponent", "match_length"]).size().to_dict()
        assert all(design.point(*cell).matches == count for cell, count in held.items())
        cells = [(point.player, point.opponent, point.match_length) for point in design.points]
        lacking = [cell[2] for cell in cells if cell not in held]
        missing |= {(study, length): lacking.count(length) for length in lacking}
    assert missing == (MISSING_CELLS if engine_version == "1.08" else {})
    assert not any(
        (results / study / "frozen").is_dir() for study in NEVER_KEPT | NOT_PLAYED[engine_version]
    )


@pytest.mark.parametrize(
    "engine_version", ["1.08", pytest.param("1.07.001", marks=pytest.mark.slow)]
)
def test_shards_are_played_again_exactly(
    request: pytest.FixtureRequest, tmp_path: Path, engine_version: str
) -> None:
    engine: Engine = request.getfixturevalue("engine" if engine_version == "1.08" else "old_engine")
    held = []
    for table in FROZEN:
        facts = read_provenance(table)
        if (
            not facts["rows"]
            or table.parts[-4] != engine_version
            or facts["match_length"] > LONGEST
        ):
            continue
        if facts["analysis"]["chequerplay"]["plies"] == 0:
            rows = read_checked(table)
            held += [(table, *key) for key in rows.groupby(["player", "opponent", "shard"]).groups]
    table, player, opponent, number = random.Random(1).choice(held)
    facts = read_provenance(table)
    design = designs.design(facts["study"])
    point = design.point(player, opponent, facts["match_length"])
    shard = list(point.shards())[number]
    first = Shard(shard.number, min(shard.matches, FIRST))
    assert_replayed(engine, table, design, point, first, tmp_path)


@pytest.fixture
def copies(tmp_path: Path) -> list[Path]:
    study = Path("1.07.001", "part2", "frozen")
    folder = tmp_path / study
    shutil.copytree(designs.DESIGNS.parents[1] / "results" / study, folder)
    return [folder / f"{length}.parquet" for length in designs.design("part2").match_lengths()]


def gather_part2(folder: Path) -> None:
    settings = Settings({"results": str(folder), "nets": "1.07.001"})
    tables = sorted((folder / "1.07.001" / "part2" / "frozen").glob("*.parquet"))
    gather(settings, "part2", tables, folder / "matches.parquet")


@pytest.mark.parametrize(("fact", "value"), cases("values.facts_that_differ"))
def test_tables_that_differ_in_what_they_measure_are_never_pooled(
    copies: list[Path], tmp_path: Path, fact: str, value: object
) -> None:
    facts = read_provenance(copies[1]) | {fact: value}
    provenance_path(copies[1]).write_text(json.dumps(facts))
    sentence = rf"^\d+ points and {copies[1].stem} points differ in {fact}: "
    with pytest.raises(TableError, match=sentence):
        gather_part2(tmp_path)


def test_a_table_of_another_seed_is_refused(copies: list[Path], tmp_path: Path) -> None:
    facts = read_provenance(copies[1]) | {"study_seed": 1}
    provenance_path(copies[1]).write_text(json.dumps(facts))
    with pytest.raises(CustodyError, match=f"{copies[1].name} holds matches of the seed 1, not of"):
        gather_part2(tmp_path)


MIXED = r"holds matches of gnubg 1\.08, which are not mixed with those of 1\.07\.001"
UNKNOWN = {"version": "GNU Backgammon 1.06.002", "checksums": {}}


@pytest.mark.parametrize(
    ("facts", "message"),
    [(engine_facts("1.08"), MIXED), (UNKNOWN, r"made by '.*1\.06\.002' with weights that no")],
)
def test_matches_of_other_nets_are_refused_by_name(
    copies: list[Path], tmp_path: Path, facts: dict[str, Any], message: str
) -> None:
    for copy in copies:
        provenance_path(copy).write_text(json.dumps(read_provenance(copy) | {"engine": facts}))
    with pytest.raises(MixedVersionsError, match=rf"part2.*{message}"):
        gather_part2(tmp_path)
