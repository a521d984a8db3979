"""A player's costliest decisions against gnubg's own text of them (`export match text`)."""

import itertools
import re
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bgrating.collection.readings import read_data
from bgrating.decisions.decision_rows import decisions
from bgrating.engine import levels
from bgrating.engine.commands import analysis_commands
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.play.archive import ArchiveAnalyst, Limits
from positions import gnubg_ids
from statistics_text import tell_gnubg

Json = dict[str, Any]
PLAYER = "lasse"
FILES = ("929451", "1484923", "8264015", "7735219", "1950373", "2216652", "9433467", "5563468")
"""Matches that hold the costliest plays, doubles, takes and passes of his 1,032 shared matches."""
DEEPER = {"1-ply-no-luck": ("7735219", "1950373"), "2-ply-no-luck": ("8264015",)}
"""Those that are judged deeper, one at 2-ply, which takes long; at both they have decisions of
every kind."""

_NUMBER = r"([-+]?\d+\.\d+)"
_HEAD = re.compile(r"^Move number \d+:  ", re.MULTILINE)
_IDS = re.compile(r"Position ID: (\S+)\s+Match ID   : (\S+)")
_ALERT = re.compile(
    rf"^Alert: (missed double|wrong double|wrong take|wrong pass|\w+ ?\w* move) \( ?{_NUMBER}\)",
    re.M,
)
_RANKED = re.compile(
    rf"^(\*?) +(\d+)\. \S+ \d-ply +(.+?) +Eq\.: +{_NUMBER}(?: \({_NUMBER}\))?$", re.MULTILINE
)


_CHANCES = re.compile(r"^ +(0\.\d+|1\.0+) (\S+) (\S+) - \S+ (\S+) (\S+)$", re.MULTILINE)
"""The line below a play: to win, to win a gammon, a backgammon, and to lose all three."""

WORDS = {("double", "no double"): "missed double", ("double", "double"): "wrong double"}
WORDS |= {("take", "take"): "wrong take", ("pass", "pass"): "wrong pass"}
"""What gnubg calls an error by its kind and what was done; of plays it says "move"."""
KINDS = ("play", "double", "take", "pass")
HALF = 0.0006
"""Half of the last digit that gnubg prints, and our rounding."""


class Told(NamedTuple):
    """gnubg's text of a turn: names, errors (word: cost), the best play, the one made, all."""

    position_id: str
    match_id: str
    errors: dict[str, float]
    best: str
    played: str
    cost: float
    ranked: list[tuple[str, float]]
    chances: list[list[float]]


Matches = list[tuple[list[Json], list[Told]]]


def told(text: str) -> list[Told]:
    found = []
    for block in _HEAD.split(text)[1:]:
        ids = _IDS.search(block)
        assert ids is not None
        errors = {
            word if "double" in word or "wrong" in word else "move": -float(c)
            for word, c in _ALERT.findall(block)
        }
        rows = _RANKED.findall(block)
        plays = [(mark, play, -float(cost or 0)) for mark, _, play, _, cost in rows]
        made = [one for one in plays if one[0]]  # none where no play was possible
        ranked = [(play, float(equity)) for _, _, play, equity, _ in rows]
        best, own = plays[0][1] if plays else "", made[0][1:] if made else ("", 0.0)
        chances = [[float(one) for one in row] for row in _CHANCES.findall(block)]
        chances = chances[len(chances) - len(ranked) :]  # those of the cube come first
        found.append(Told(ids[1], ids[2], errors, best, *own, ranked, chances))
    return found


def steps(play: str) -> list[str]:
    found = []
    for word in play.replace("*", "").split():
        path, _, times = word.partition("(")
        found += [path] * int(times.rstrip(")") or 1)
    return sorted(found)


def word_of(row: Json) -> str:
    return "move" if row["kind"] == "play" else WORDS[row["kind"], row["played"]]


def texts_by_gnubg(
    shared: Path, files: Sequence[str], level: Analysis, folder: Path
) -> dict[str, list[Told]]:
    """Return what gnubg writes of every turn when it analyses whole matches; texts in folder."""
    commands, found = [], {}
    source = shared / "matches" / "lassehjorthmadsen+bglab" / "lasse"
    for name in files:
        shutil.copy(source / f"match{name}.txt", folder / f"{name}.mat")
        commands += [f'import mat "{name}.mat"', "analyse match", f'export match text "{name}.txt"']
    tell_gnubg([*analysis_commands(level), *commands], folder)
    for name in files:
        texts = [path.read_text() for path in sorted(folder.glob(f"{name}*.txt"))]
        found[name] = [turn for text in texts for turn in told(text)]
    return found


@pytest.fixture(scope="module", name="matches")
def _matches(embedded: Engine, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Matches:
    """Return, match by match, our rows of decisions and what gnubg writes of each turn."""
    folder = tmp_path_factory.mktemp("text")
    level = levels.analysis("0-ply-no-luck")
    texts_of = texts_by_gnubg(shared, FILES, level, folder)
    limits = Limits(900.0, folder / "engine.log")
    texts = [(folder / f"{name}.mat").read_text("ascii") for name in FILES]
    matches = ArchiveAnalyst(embedded, level, limits).analysed(texts)
    found = []
    for name, (match, table) in zip(FILES, matches, strict=True):
        whose = dict(zip(("left", "right"), match["names"], strict=True))
        rows = decisions(match, table)
        found.append(([row | {"player": whose[row["side"]]} for row in rows], texts_of[name]))
    return found


def test_the_ten_costliest_decisions_are_what_gnubg_writes(matches: Matches) -> None:
    own = [(row, texts) for rows, texts in matches for row in rows if row["player"] == PLAYER]
    costliest = sorted(own, key=lambda pair: -pair[0]["loss_emg"])[:10]
    found = {word_of(row) for row, _ in costliest}
    assert found == {"move", "wrong double", "wrong take", "wrong pass"}
    for row, texts in costliest:
        (turn,) = [one for one in texts if (one.position_id, one.match_id) == gnubg_ids(row)]
        assert turn.errors[word_of(row)] == pytest.approx(row["loss_emg"], abs=HALF)
        if row["kind"] == "play":
            assert turn.cost == pytest.approx(row["loss_emg"], abs=HALF)
            assert steps(turn.played) == steps(row["played"])
            assert steps(turn.best) == steps(row["best"])


def test_gnubg_marks_the_same_errors(matches: Matches) -> None:
    assert sum(len(turn.errors) for _, texts in matches for turn in texts) > 100
    for rows, texts in matches:
        marked, ours = [], []
        for turn in texts:
            marked += [(turn.position_id, word, cost) for word, cost in turn.errors.items()]
        for row in rows:
            if row["loss_emg"] > 0:
                ours.append((gnubg_ids(row)[0], word_of(row), row["loss_emg"]))
        # A play is marked from 0.03 on (doubtful), a cube action whatever it costs.
        clear = [one for one in ours if one[2] > (0.03 if one[1] == "move" else 0.001)]
        for some, others in ((marked, ours), (clear, marked)):
            for position, word, cost in some:
                costs = [one[2] for one in others if one[:2] == (position, word)]
                assert any(abs(one - cost) <= HALF for one in costs), (position, word, cost)


@pytest.mark.slow
@pytest.mark.parametrize("name_of_level", ["1-ply-no-luck", "2-ply-no-luck"])
def test_decisions_judged_one_by_one_are_those_of_gnubgs_own_analysis(
    embedded: Engine, shared: Path, tmp_path: Path, name_of_level: str
) -> None:
    """Three plays in four and all of the cube, asked of the pool, against whole analyses."""
    level, files = levels.analysis(name_of_level), DEEPER[name_of_level]
    texts = texts_by_gnubg(shared, files, level, tmp_path)
    compared = 0
    kinds = set()
    with closing(Pool(embedded, level, 1)) as pool:
        tasks = []
        for name in files:
            (content,) = read_data((tmp_path / f"{name}.mat").read_bytes(), "a.mat")[1].values()
            every = itertools.product(range(1, 9), range(1, 150), KINDS)
            places = [one for one in every if (one[0] + one[1]) % 4 or one[2] != "play"]
            tasks.append(Task(name, 200, {"task": "judge", **content, "check": places}))
        for task, answer in pool.run(iter(tasks)):
            turns = {(turn.position_id, turn.match_id): turn for turn in texts[task.key]}
            for row in answer["checked"]:
                turn = turns.get(gnubg_ids(row))
                if turn is None:  # a cube decision, of which the text has the next roll
                    continue
                kinds.add(row["kind"])
                compared += 1
                loss, error = pytest.approx(row["loss_emg"], abs=HALF), word_of(row)
                if row["kind"] != "play":
                    assert turn.errors.get(error, 0.0) == loss, (row, turn)
                    continue
                assert loss in (turn.errors.get(error, 0.0), turn.cost), (row, turn)
                for ours, theirs in zip(row["candidates"].split(";"), turn.ranked, strict=False):
                    words, number = ours.partition("@")[0].rsplit(" ", 1)
                    assert steps(words) == steps(theirs[0])
                    assert float(number) == pytest.approx(theirs[1], abs=HALF)
    assert kinds == set(KINDS)
    assert compared >= 50 * len(files)


def test_candidates_and_equities_are_what_gnubg_writes(matches: Matches) -> None:
    compared = 0
    for rows, texts in matches:
        turns = {(turn.position_id, turn.match_id): turn for turn in texts}
        for row in rows:
            turn = turns.get(gnubg_ids(row))
            if row["kind"] != "play" or not row["candidates"] or turn is None:
                continue
            assert len(turn.chances) == len(turn.ranked)
            ours_of = [row[name].split(";") for name in ("candidates", "chances")]
            assert len(ours_of[0]) == len(ours_of[1])
            rows_of = zip(*ours_of, turn.ranked, turn.chances, strict=False)
            for ours, chances, (play, equity), theirs in rows_of:
                words, number = ours.rsplit(" ", 1)
                if steps(words) == steps(row["played"]) != steps(play):
                    continue  # the play that was made, from farther down
                assert float(number) == pytest.approx(equity, abs=HALF)
                assert steps(words) == steps(play)
                thousandths = [1000 * one for one in theirs]
                assert [int(one) for one in chances.split()] == pytest.approx(thousandths, abs=1)
            compared += len(row["candidates"].split(";")) >= min(5, len(turn.ranked))
    assert compared >= 200


def test_the_chance_of_winning_is_that_of_the_next_roll_before_it_is_thrown(
    matches: Matches,
) -> None:
    """After a play the opponent's chance at the next close, undoubled cube is what is left."""
    for rows, _ in matches:
        assert all(row["chance"] is None or -0.001 <= row["chance"] <= 1.001 for row in rows)
        gaps = []
        for before, after in itertools.pairwise(rows):
            words = (before["kind"], after["kind"], after["played"])
            is_known = None not in {before["chance"], after["chance"]}
            is_next = words == ("play", "double", "no double") and before["game"] == after["game"]
            if is_next and is_known:
                gaps.append(after["chance"] - (1.0 - before["chance"]))
        assert not gaps or abs(sum(gaps) / len(gaps)) < 0.02
