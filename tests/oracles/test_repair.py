"""Damaged match texts: the undamaged text is the truth, and no correction may be another."""

import random
from collections import Counter
from pathlib import Path

import pytest

import damage
from bgrating.matchtext import read_matches
from records import accounted


@pytest.mark.slow
def test_no_damaged_match_is_corrected_to_another(shared: Path, request: pytest.FixtureRequest) -> None:
    matches = 200 if request.config.getoption("--nightly") else 20
    folders = (shared / "matches", shared / "top-players")
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in {".txt", ".mat"})
    rng = random.Random(matches)
    rng.shuffle(files)
    outcomes: dict[str, Counter[str]] = {change.__name__: Counter() for change in damage.DAMAGES}
    texts = filter(None, (damage.sound(path.read_bytes()) for path in files))
    for text, _ in zip(texts, range(matches), strict=False):
        for change in damage.DAMAGES:
            damaged = change(text, rng)
            outcomes[change.__name__][damage.outcome(text, damaged)] += damaged != text
    assert [counts[damage.WRONG] for counts in outcomes.values()] == [0] * len(outcomes)
    for name in ("illegal_play", "missing_play"):
        assert outcomes[name][damage.SAVED] >= 0.6 * outcomes[name].total()


WRITTEN = "  5) 43: 25/22 6/2*              51: 25/24 8/3* \n"


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        ("  5) 43: 25/22 7/2*              51: 25/24 8/3* \n", "43: 25/22 7/2* was corrected to 25/22 6/2,"),
        ("  5) 43:                         51: 25/24 8/3* \n", "43: no play was corrected to 25/22 6/2,"),
        ("  5) 43: 25/22 shrug             51: 25/24 8/3* \n", "43: 25/22 shrug was corrected to 25/22 6/2,"),
        ("  5) 43: 25/22 6/2*              51: 25/24 8/9* \n", "51: 25/24 8/9* was corrected to 25/24 8/3,"),
    ],
)
def test_a_play_is_corrected_where_one_fits_and_the_match_says_so(shared: Path, damaged: str, told: str) -> None:
    text = (shared / "cases" / "base.mat").read_text(encoding="utf-8")
    assert damage.outcome(text, text.replace(WRITTEN, damaged)) == damage.SAVED
    statuses, rows = accounted({"a.mat": text.replace(WRITTEN, damaged), "b.txt": "no match"})
    status, reason = statuses["a.mat"]
    assert status == "repaired"
    assert told in reason
    assert set(rows["status"]) == {"repaired"}


@pytest.mark.parametrize(
    "change",
    [
        # The last roll of a game may be any play; a lost row shows in the numbers of the rows.
        ("38) 21: 2/0 1/0 ", "38) 21: 2/0 9/8 "),
        ("  6) 42: 25/21 24/22*            42: 25/23* 6/2 \n  7) 54: 25/21 21/16 ", "  7) 54: 25/21 21/15 "),
    ],
)
def test_what_is_not_certain_is_left_out(shared: Path, change: tuple[str, str]) -> None:
    text = (shared / "cases" / "base.mat").read_text(encoding="utf-8")
    assert change[0] in text
    assert damage.outcome(text, text.replace(*change)) == damage.REFUSED


def test_an_illegal_play_that_stood_is_kept(shared: Path) -> None:
    text = (shared / "cases" / "base.mat").read_text(encoding="utf-8")
    stood = text.replace("53: 13/8 24/21", "63: 13/8 24/21", 1)
    (match,) = read_matches(stood.encode()).matches
    assert [finding.code for finding in match.findings] == ["illegal-play"]
