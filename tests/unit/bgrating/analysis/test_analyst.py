"""Matches through the engine: one that it does not survive is named, the others are kept."""

from pathlib import Path

import pytest

from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rated_results import RateResult
from bgrating.collection.rating_run import rate
from bgrating.engine import pool, session
from bgrating.engine.engine_errors import EngineTimeoutError
from bgrating.engine.locate import Engine
from corpus import cases
from short_match import write_matches
from wrapped_engine import interrupted, wrapped


@pytest.fixture(name="collection")
def _collection(tmp_path: Path) -> Path:
    folder = write_matches(tmp_path / "collection", "41", "54", "61", "21")
    (folder / "no.sgf").write_text("not a game record")
    return folder


def rated_by(engine: Engine, collection: Path, cores: int = 1) -> RateResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bgrating.collection.rate_request.find_engine", lambda *_: engine)
        return rate(RateRequest((collection,), luck=False, store=None, cores=cores))


@pytest.mark.slow
@pytest.mark.parametrize(("end", "status", "reason"), cases("sentences.engine_ends"))
def test_the_match_that_ends_the_engine_is_named_and_the_others_are_analysed(
    engine: Engine,
    collection: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: str,
    status: str,
    reason: str,
) -> None:
    monkeypatch.setattr(pool, "LEAST_SECONDS", 6.0)
    found = rated_by(interrupted(engine, tmp_path / "gnubg", b"54:", end), collection)
    files = found.files.set_index("file")
    statuses = dict.fromkeys(("41.mat", "61.mat", "21.mat"), "analysed") | {
        "54.mat": status,
        "no.sgf": "rejected",
    }
    assert files["status"].to_dict() == statuses
    assert reason in files.loc["54.mat", "reason"]
    assert "damaged or of an unknown kind" in files.loc["no.sgf", "reason"]
    assert found.matches["epm"].notna().sum() == 2 * 3
    # The next run tries again what this machine caused; the command's exit status tells.
    assert len(found.failed_here) == (status != "rejected")


def test_an_engine_that_stops_before_it_begins_is_one_sentence(
    engine: Engine, collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "START_SECONDS", 2.0)
    with pytest.raises(
        EngineTimeoutError, match=r"did not begin within 2 s: run the same command again$"
    ):
        rated_by(
            wrapped(engine, tmp_path / "gnubg", "#!/bin/sh\nkill -STOP $$\n"), collection, cores=2
        )
