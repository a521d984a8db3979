"""Files of other programs: each beside its text, what they hold twice, and files that are damaged."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gvformat import bgf, write_gvab, write_gvab_v1

import short_match
from bgrating.collection.rate import RateRequest, rate
from bgrating.files.bgf import MAX_EXPANDED
from bgrating.files.program_file import PROGRAMS, SavedError
from bgrating.files.read import read_saved
from bgrating.matchtext import read_matches
from bgrating.matchtext.model import Match
from bgrating.matchtext.write import content_key
from bgrating.pages.positions import PROGRAM_NAMES
from fuzz.outcomes import is_sound
from saved_files import bgf_of, gvab_of, ogxm_of, smile

ANALYSED, TEXTS = "lassehjorthmadsen+gnubg-scripts/oracle", "lassehjorthmadsen+bglab/lasse"
WRITERS: dict[str, Callable[[Match], bytes]] = {".bgf": bgf_of, ".ogxm": ogxm_of, ".gvab": gvab_of}


def sound(shared: Path, count: int) -> list[Match]:
    paths = sorted(path for path in (shared / "matches").rglob("*") if path.suffix in {".mat", ".txt"})
    random.Random(1).shuffle(paths)
    found: list[Match] = []
    for path in paths:
        if len(found) < count and is_sound(data := path.read_bytes()):
            found += [one for one in read_matches(data).matches if not one.unlimited]
    return found


def said(match: Match) -> list[object]:
    names = [player.name for player in match.players]
    score, winner = match.final_score, match.winner
    if names != sorted(names):  # gvformat orders the players by their names
        names, score = names[::-1], score[::-1]
        winner = None if winner is None else 1 - winner
    return [content_key(match), match.match_length, names, score, winner, match.complete]


@pytest.mark.slow
def test_200_matches_written_as_bgf_and_read_back_are_the_same(shared: Path) -> None:
    for match in sound(shared, 200):
        read, figures = read_saved(bgf_of(match), ".bgf")
        assert said(read) == said(match)
        assert (read.findings, figures, read.dialect, read.date) == ((), None, "bgblitz", match.date)


@pytest.mark.parametrize("suffix", WRITERS)
def test_matches_written_by_gvformat_and_read_back_are_the_same(shared: Path, suffix: str) -> None:
    for match in sound(shared, 12):
        read, _ = read_saved(WRITERS[suffix](match), suffix)
        assert said(read) == said(match)
        assert read.findings == ()


@pytest.mark.parametrize(("suffix", "write"), [(".gvab", write_gvab), (".ogxm", write_gvab_v1)])
def test_a_document_s_own_pr_is_that_of_the_losses_in_it(suffix: str, write: Callable[[Any], bytes]) -> None:
    (match,) = read_matches(short_match.match("Ann", "Bob").encode()).matches
    document, losses = bgf.convert_bgf(bgf_of(match)), {0: [0.1, 0.0, 0.05], 1: [0.2, 0.02, 0.0]}
    for color, of_color in losses.items():
        plays = [ply for game in document["games"] for ply in game["plies"] if ply.get("d1") and ply["color"] == color]
        for ply, loss in zip(plays, of_color, strict=True):
            plays = [{"equity": 0.3, "is_played": False}, {"equity": 0.3 - loss, "is_played": True}]
            ply["analysis"] = {"decision": True, "equity_loss": loss, "alternatives": plays}
    read, figures = read_saved(write(document), suffix)
    assert (read.findings, figures is not None) == ((), True)
    of = {document["player_black"]: losses[0], document["player_white"]: losses[1]}
    for player, own in zip(read.players, figures or (), strict=True):
        assert own.decisions == 3
        assert own.pr == pytest.approx(500 * sum(of[player.name]) / 3, abs=0.01)


@pytest.mark.parametrize(("suffix", "write"), [(".gvab", write_gvab), (".ogxm", write_gvab_v1)])
def test_a_document_s_verdicts_have_the_places_of_our_decisions(suffix: str, write: Callable[[Any], bytes]) -> None:
    (match,) = read_matches(short_match.match("Ann", "Bob").encode()).matches
    document = bgf.convert_bgf(bgf_of(match))
    document["analysis_info"] |= {"ply": 3, "eval_level": "3ply"}
    equities = {"no_double_equity": 0.5, "double_take_equity": 0.6, "double_pass_equity": 1.0}
    costs = {21: (0.02, "double", "no_double"), 22: (0.0, "take", "take"), 23: (0.4, "pass", "take")}
    for ply in (ply for game in document["games"] for ply in game["plies"]):
        if ply["action_id"] in costs:
            loss, played, best = costs[ply["action_id"]]
            about = {"played_action": played, "correct_action": best, "eval_level": "rollout"}
            ply["analysis"] = equities | about | {"decision": True, "equity_loss": loss}
        elif ply["color"] == 1:
            plays = [{"equity": 0.3, "is_played": False}, {"equity": 0.2, "is_played": True, "eval_level": "3ply"}]
            ply["analysis"] = {"decision": True, "equity_loss": 0.1, "alternatives": plays}
    missed = equities | {"equity_loss": 0.1, "correct_action": "double", "eval_level": "4ply"}
    document["games"][1]["plies"][0]["analysis"]["missed_double"] = missed
    _, figures = read_saved(write(document), suffix)
    assert figures is not None
    by = PROGRAM_NAMES[PROGRAMS[suffix]]
    assert [list(side.verdicts) for side in figures] == [
        [
            (1, 2, "play", 0.1, f"{by} 3-ply"), (1, 4, "pass", 0.4, f"{by} rollout"),
            (2, 1, "play", 0.1, f"{by} 3-ply"), (2, 1, "double", 0.1, f"{by} 4-ply"),
            (2, 3, "double", 0.02, f"{by} rollout"), (2, 5, "play", 0.1, f"{by} 3-ply"),
        ],
        [(1, 3, "double", 0.02, f"{by} rollout"), (2, 4, "take", 0.0, f"{by} rollout")],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sgf", "twin"),
    [
        *((f"{ANALYSED}/{name}_analyzed.sgf", f"{TEXTS}/{name}.txt") for name in ("match1484923", "match1486073")),
        ("kevung+gbf/charlot1-charlot2_7p_2025-11-08-2305.sgf", "kevung+gbf/charlot1-charlot2_7p_2025-11-08-2305.mat"),
    ],
)  # fmt: skip
def test_an_sgf_and_its_text_are_equal(shared: Path, sgf: str, twin: str) -> None:
    read, _ = read_saved((shared / "matches" / sgf).read_bytes(), ".sgf")
    (text,) = read_matches((shared / "matches" / twin).read_bytes()).matches
    assert said(read) == said(text)
    assert read.findings == ()


def test_gnubg_s_own_error_rates_are_those_of_its_text_export(shared: Path) -> None:
    """The export gives the error rate per unforced move and close cube decision, in thousandths: twice the PR."""
    folder = shared / "matches" / "lassehjorthmadsen+gnubg-scripts" / "oracle"
    _, figures = read_saved((folder / "match1484923_analyzed.sgf").read_bytes(), ".sgf")
    assert figures is not None
    assert [2 * side.pr for side in figures] == pytest.approx([12.2, 22.5], abs=0.05)


def test_the_losses_in_an_sgf_stand_beside_ours_with_their_depth(shared: Path) -> None:
    path = shared / "matches" / ANALYSED / "match1484923_analyzed.sgf"
    _, figures = read_saved(path.read_bytes(), ".sgf")
    found = rate(RateRequest((path,), luck=False, store=None)).decisions
    theirs = found[found["xg_by"].notna()]
    assert set(theirs["xg_by"]) == {"gnubg 0-ply", "gnubg 1-ply", "gnubg 2-ply"}
    assert (theirs["kind"] == "play").equals(theirs["xg_by"] != "gnubg 2-ply")
    assert theirs["unforced"].all()
    sums = found.groupby(["side", found["kind"] == "play"])["xg_loss_emg"].sum()
    for side, own in zip(("left", "right"), figures or (), strict=True):
        assert sums[side, True] == pytest.approx(own.chequer_error, abs=1e-4)
        assert sums[side, False] == pytest.approx(own.cube_error, abs=0.02)  # by another match-equity table


def test_an_sgf_of_another_program_is_read(shared: Path) -> None:
    (path,) = (shared / "matches" / "alcacoop+it.alcacoop.backgammon").glob("*.sgf")
    match, figures = read_saved(path.read_bytes(), ".sgf")
    assert [player.name for player in match.players] == ["AI(5)", "PL1"]
    assert (match.final_score, match.rolls, figures) == ((2, 0), 40, None)
    assert [finding.code for finding in match.findings] == ["incomplete"]


def test_totals_that_contradict_the_evaluations_are_left_out(shared: Path) -> None:
    folder = shared / "matches" / "lassehjorthmadsen+gnubg-scripts" / "oracle"
    data = (folder / "match1484923_analyzed.sgf").read_bytes()
    match, figures = read_saved(data.replace(b"28 28 0.320149", b"28 28 0.920149"), ".sgf")
    assert figures is None
    assert [finding.code for finding in match.findings] == ["own-figures"]


def refused(data: bytes, suffix: str) -> str:
    with pytest.raises(SavedError) as problem:
        read_saved(data, suffix)
    return str(problem.value)


def test_what_could_not_be_checked_is_refused(shared: Path) -> None:
    (path,) = (shared / "matches" / "alcacoop+it.alcacoop.backgammon").glob("*.sgf")
    data = path.read_bytes()
    assert "the rule Nackgammon" in refused(data.replace(b"RU[Crawford]", b"RU[Crawford:Nackgammon]"), ".sgf")
    assert "a set position" in refused(data.replace(b";B[43lplo]", b";AW[f]AB[s];B[43lplo]", 1), ".sgf")
    assert "damaged" in refused(data[:400], ".sgf")
    assert "a roll of 04" in refused(data.replace(b";B[43lplo]", b";B[04lplo]", 1), ".sgf")
    assert "no match of backgammon" in refused(b"nothing", ".sgf")


def test_a_score_or_position_that_is_another_is_found(shared: Path) -> None:
    (match,) = sound(shared, 1)
    data = bgf_of(match, packed=False)
    points = smile({"wonPoints": match.games[0].result.points})[1:-1]
    other = data.replace(points, smile({"wonPoints": 7})[1:-1], 1)
    assert other != data
    codes = {finding.code for finding in read_saved(other, ".bgf")[0].findings}
    assert codes & {"score", "points", "final-score"}
    text = data.replace(smile(-5) + smile(0), smile(-4) + smile(0), 1)
    assert text != data
    assert "contradict its positions" in refused(text, ".bgf")


@pytest.mark.parametrize("suffix", list(WRITERS))
def test_damaged_files_are_refused_with_a_sentence(shared: Path, suffix: str) -> None:
    rng = random.Random(2)
    (match,) = sound(shared, 1)
    data = WRITERS[suffix](match)
    for _ in range(40):
        assert "export the match as text" in refused(data[: rng.randrange(len(data))], suffix)
    assert refused(b"", suffix)
    assert refused(bytes(2_000_000), suffix)


def test_a_bgf_that_expands_is_refused_before_it_does() -> None:
    bomb = b'{"format": "BGF"}\n' + gzip.compress(bytes(4 * MAX_EXPANDED))
    assert "expands to more than" in refused(bomb, ".bgf")
    nested = b'{"format": "BGF"}\n:)\n\0' + b"\xf8" * 100_000
    assert "damaged" in refused(nested, ".bgf")
