"""Damaged match texts: the undamaged text is the truth, and no correction may be another."""

import random
from collections import Counter
from pathlib import Path

import pytest

import damaged_texts as damage
from bgmatch import read_matches
from corpus import cases
from records import accounted

LARGEST = 8_000
"""Bytes of the largest text that is read by day: a longer match only has more games."""


@pytest.mark.slow
def test_no_damaged_match_is_corrected_to_another(
    shared: Path, request: pytest.FixtureRequest
) -> None:
    is_night = request.config.getoption("--nightly")
    matches = 200 if is_night else 20
    folders = (shared / "matches", shared / "top-players")
    files = sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix in {".txt", ".mat"}
    )
    files = [path for path in files if is_night or path.stat().st_size <= LARGEST]
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


@pytest.fixture(name="text")
def _text(shared: Path) -> str:
    return (shared / "cases" / "base.mat").read_text(encoding="utf-8")


@pytest.mark.parametrize(("written", "damaged", "told"), cases("values.repairs"))
def test_a_play_is_corrected_where_one_fits_and_the_match_says_so(
    text: str, written: str, damaged: str, told: str
) -> None:
    assert text.count(written) == 1
    assert damage.outcome(text, text.replace(written, damaged)) == damage.SAVED
    statuses, rows = accounted({"a.mat": text.replace(written, damaged), "b.txt": "no match"})
    status, reason = statuses["a.mat"]
    assert status == "repaired"
    assert told in reason
    assert set(rows["status"]) == {"repaired"}


@pytest.mark.parametrize("change", cases("values.no_repairs"))
def test_what_is_not_certain_is_left_out(text: str, change: tuple[str, str]) -> None:
    assert text.count(change[0]) == 1
    assert damage.outcome(text, text.replace(*change)) == damage.REFUSED


def test_an_illegal_play_that_stood_is_kept(text: str) -> None:
    stood = text.replace("53: 13/8 24/21", "63: 13/8 24/21", 1)
    (match,) = read_matches(stood.encode()).matches
    assert [finding.code for finding in match.findings] == ["illegal-play"]
