"""Every figure of 50 matches against the text of bare gnubg, which plays and analyses them."""

import re
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from bgmatch import read_matches, write_mat
from bgrating.analysis.import_check import differences, expected_import
from bgrating.engine import levels
from bgrating.engine.commands import analysis_commands, play_setup
from bgrating.engine.locate import Engine
from bgrating.engine.statistics import match_rows
from bgrating.play.archive import ArchiveAnalyst, Limits, texts_of
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import shard_seeds
from bgrating.play.shards import play_shard
from statistics_text import read_statistics

PLAYERS = (levels.player("noise-0.02+noise-0.4"), levels.player("intermediate+noise-0.1"))
LEVEL = levels.analysis("0-ply")
MATCHES = {1: 6, 3: 16, 5: 17, 7: 9, 11: 2}
STUDY_SEED = 7
EXAMPLE = Path(__file__).parents[2] / "examples" / "2025-01-12-advanced-noise-0.02.mat"


def in_memory(engine: Engine, length: int, matches: int, folder: Path) -> list[str]:
    """Return gnubg's statistics of a shard that bare commands play and analyse in a process."""
    seeds = shard_seeds(STUDY_SEED, PLAYERS[0].name, PLAYERS[1].name, length, 0, matches)
    commands = [*play_setup(*PLAYERS)["commands"], *analysis_commands(LEVEL)]
    for seed in seeds.dice:
        commands += [f"set seed {seed}", f"new match {length}"]
        # Else gnubg would keep what the noisy players thought of their moves.
        commands += ["analyse clear match", "analyse match", "show statistics match"]
    text = printed_by(engine, commands, folder, seeds.clock)
    return re.split(r"^Player +player +opponent *$", text, flags=re.MULTILINE)[1:]


def printed_by(
    engine: Engine, commands: list[str], folder: Path, clock: datetime | None = None
) -> str:
    environment = engine.launch(clock)[1] | {"TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    given = {"input": "\n".join([*commands, ""]), "env": environment, "text": True}
    return subprocess.check_output([engine.program, "-t", "-q", "-r"], **given)


@pytest.mark.parametrize(
    "length", [1, *(pytest.param(length, marks=pytest.mark.slow) for length in (3, 5, 7, 11))]
)
def test_every_figure_is_the_one_gnubg_prints(
    old_engine: Engine, tmp_path: Path, limits: Limits, length: int
) -> None:
    """Our rows are of the same matches, played to .mat files and analysed from them."""
    count, archive = MATCHES[length], tmp_path / "matches.zip"
    texts = in_memory(old_engine, length, count, tmp_path)
    play_shard(old_engine, ShardTask(PLAYERS, length, STUDY_SEED, 0, count), archive, limits)
    matches = ArchiveAnalyst(old_engine, LEVEL, limits).analysed(texts_of(archive).values())
    figures = 28
    differences, compared = [], 0
    for number, (text, (match, table)) in enumerate(zip(texts, matches, strict=True)):
        # Our count by today's rule is gnubg's, so that by the rule of 2003 can be trusted.
        for row, printed in zip(match_rows(match, table), read_statistics(text), strict=True):
            assert len(printed) == figures, sorted(printed)
            for name, (value, rounding) in printed.items():
                compared += 1
                # A rating multiplies an error with six decimals by a coefficient of some ten
                # thousand.
                decimals = 1e-3 if "rating" in name else 1e-6
                if abs((row[name] or 0.0) - value) > rounding * 1.001 + decimals:
                    differences.append((number, row["side"], name, row[name], value))
    assert compared == 2 * figures * MATCHES[length]
    assert differences == []


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 2, 4, 5, 6])
def test_the_result_of_a_fragment_counts_from_its_first_score(
    old_engine: Engine, limits: Limits, tmp_path: Path, first: int
) -> None:
    head, *games = re.split(r"(?m)^(?= Game )", EXAMPLE.read_text())
    file = tmp_path / "fragment.mat"
    (fragment,) = read_matches((head + "".join(games[first:])).encode()).matches
    file.write_text(write_mat(fragment))
    commands = [f"import mat {file}", "analyse match", "show statistics match"]
    printed = printed_by(old_engine, [*analysis_commands(LEVEL), *commands], tmp_path)
    ((match, table),) = ArchiveAnalyst(old_engine, LEVEL, limits).analysed([file.read_text()])
    for row, figures in zip(match_rows(match, table), read_statistics(printed), strict=True):
        for name in ("actual_result", "luck_adjusted_result"):
            value, rounding = figures[name]
            assert row[name] == pytest.approx(value, abs=rounding + 1e-6)


def test_a_record_that_begins_after_the_crawford_game_is_judged_as_such(
    engine: Engine, limits: Limits
) -> None:
    """By its equity table (Kazaross XG2) the trailer has 0.32264 at 3-away after Crawford."""
    head, *games = re.split(r"(?m)^(?= Game )", EXAMPLE.read_text())
    rolled = "  1) 65: 24/18 18/13             21: 6/5 6/4"
    assert rolled in games[6]
    doubled = "  1) 65: 24/18 18/13              Doubles => 2\n"
    doubled += "  2)  Takes                      21: 6/5 6/4"
    (fragment,) = read_matches((head + games[6].replace(rolled, doubled)).encode()).matches
    ((match, table),) = ArchiveAnalyst(engine, LEVEL, limits).analysed([write_mat(fragment)])
    expected = expected_import(fragment)
    assert differences(expected, match["length"], match["games"]) == []
    assert expected["game_numbers"] == [0, 1]
    left, _ = match_rows(match, table)
    assert left["actual_result"] == pytest.approx(0.32264, abs=1e-5)
