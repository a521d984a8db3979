"""`./run verify`: what is kept is found again, what was changed is named, and nothing of the project is touched."""

import random
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from bgrating.engine.locate import Engine
from bgrating.engine.nets import committed_results
from bgrating.tables.provenance import ProvenanceError, read_provenance, write_provenance
from bgrating.tables.tables import read_table
from study.verify import VerifyError, _shards, refit, replay

NETS, STUDY = "1.07.001", "check-zadeh"  # the smallest frozen table with a formula


def test_a_study_that_is_kept_is_fitted_again() -> None:
    coefficients = len(read_table(committed_results(NETS) / STUDY / "coefficients.csv"))
    said = refit(committed_results(NETS), STUDY)
    assert said.startswith(f"3,200 matches, {coefficients} coefficients, largest relative difference ")


@pytest.mark.parametrize(
    ("name", "column", "sentence"),
    [
        ("points.csv", "epc", r"points\.csv: epc differs by a share of 1\.0e-04"),
        ("coefficients.csv", "estimate", r"coefficients\.csv: estimate differs by a share of "),
    ],
)
def test_a_number_that_was_changed_is_named(tmp_path: Path, name: str, column: str, sentence: str) -> None:
    shutil.copytree(committed_results(NETS) / STUDY, tmp_path / STUDY)
    table = pd.read_csv(tmp_path / STUDY / name)
    table.loc[table[column].first_valid_index(), column] *= 1.0001
    changed = tmp_path / STUDY / name
    table.to_csv(changed, index=False)
    with pytest.raises(ProvenanceError, match="its checksum is not the one in its provenance"):
        refit(tmp_path, STUDY)
    write_provenance(changed, **read_provenance(changed))
    with pytest.raises(VerifyError, match=sentence):
        refit(tmp_path, STUDY)


def test_results_older_than_their_matches_are_named(tmp_path: Path) -> None:
    shutil.copytree(committed_results(NETS) / STUDY, tmp_path / STUDY)
    points = tmp_path / STUDY / "points.csv"
    write_provenance(points, **read_provenance(points) | {"matches": 3000})
    with pytest.raises(VerifyError, match=r"fitted to 3000 of 3200 frozen matches: \./run analysis"):
        refit(tmp_path, STUDY)


def test_a_shard_is_played_again_and_git_stays_clean(engine: Engine, project: Path) -> None:
    command = ["git", "-c", f"safe.directory={project}", "status", "--porcelain"]
    before = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    shards = [shard for shard in _shards(committed_results(engine.known.nets)) if shard.table.stem == "3"]
    assert "matches the same, largest difference" in replay(engine, random.Random(1).choice(shards))
    assert subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout == before
