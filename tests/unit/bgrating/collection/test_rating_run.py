"""rate in one process with the engine: nothing stale or lost, nothing of others touched."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bgmatch.model import Match
from bgrating import BgratingError
from bgrating.collection import rating_run as rating
from bgrating.collection import readings
from bgrating.collection.rate_request import Progress, RateRequest
from bgrating.collection.rated_results import RateResult
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Task
from bgrating.settings_files import SettingsError
from bgrating.tables import folder as results_folder
from corpus import cases
from short_match import match, write_matches
from wrapped_engine import wrapped

Rate = Callable[..., RateResult]


@pytest.fixture(name="games")
def _games(tmp_path: Path) -> Path:
    return write_matches(tmp_path / "games", "41", "43", "21", month=0)


@pytest.fixture(name="rate")
def _rate(games: Path, tmp_path: Path) -> Rate:
    def run(progress: Progress | None = None, **options: object) -> RateResult:
        given = {"luck": False, "cores": 1}
        given |= {"results": tmp_path / "results", "store": tmp_path / "store.sqlite"}
        return rating.rate(RateRequest(**({"paths": (games,)} | given | options)), progress)

    return run


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_again_changes_no_byte_and_asks_no_engine(
    rate: Rate, submitted: list[Task]
) -> None:
    first = rate()
    assert first.folder
    before = files(first.folder)
    submitted.clear()
    again = rate()
    assert submitted == []
    assert again.answer == first.answer
    assert files(first.folder) == before


@pytest.mark.slow
def test_another_level_gives_other_answers_and_each_names_its_level(rate: Rate) -> None:
    """The level of a folder that was rated before was ignored."""
    without, with_luck, again = rate(), rate(luck=True), rate()
    assert without.matches["luck_emg"].isna().all() or again.matches["luck_emg"].isna().all()
    assert "Level: 0-ply without luck" in without.answer
    assert "Level: 0-ply with luck" in with_luck.answer
    assert again.answer == without.answer
    assert again.facts["analysis"] == "0-ply-no-luck"
    one_ply = rate(level="1-ply")
    assert "Level: 1-ply without luck" in one_ply.answer
    assert (one_ply.matches["chequer_error_emg"] != rate().matches["chequer_error_emg"]).any()


@pytest.mark.slow
def test_aliases_formula_and_offset_answer_at_once(
    rate: Rate, tmp_path: Path, submitted: list[Task]
) -> None:
    first = rate().matches
    submitted.clear()
    aliases = tmp_path / "aliases.csv"
    for name in ("Ann Lee", "Ann Other"):  # one file, changed
        aliases.write_text(f"alias,name\nann,{name}\n")
        assert set(rate(aliases=aliases).players["player"]) == {name, "bob"}
    assert set(rate().players["player"]) == {"ann", "bob"}
    assert (rate(offset=1900.0).matches["rating"] - first["rating"]).to_numpy() == pytest.approx(
        -150
    )
    assert (rate(formula="published").matches["rating"] != first["rating"]).all()
    assert (
        rate(formula="published-2003").facts["coefficients"] == "published-2003"
    )  # neither has a file
    assert (rate().matches["rating"] == first["rating"]).all()
    assert submitted == []


def test_a_match_is_analysed_once_whatever_its_names_and_a_new_one_alone(
    rate: Rate, games: Path, submitted: list[Task]
) -> None:
    rate()
    submitted.clear()
    other = games.parent / "other"
    other.mkdir()
    (other / "x.txt").write_text(match("Carla", "Dörte", "43", month=0))
    assert set(rate(paths=(other,)).players["player"]) == {"Carla", "Dörte"}
    assert submitted == []
    (games / "new.mat").write_text(match(dice="54", month=0))
    assert len(rate().files) == 4
    assert len(submitted) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"offset": float("nan")}, "offset nan: a rating is a number"),
        ({"paths": ()}, "rate wants match files, or a"),
    ],
)
def test_a_mistake_that_no_command_line_can_hold(
    rate: Rate, options: dict[str, object], words: str
) -> None:
    with pytest.raises(BgratingError, match=words):
        rate(**options)


@pytest.mark.parametrize("name", cases("values.files_of_others"))
def test_a_folder_that_is_not_ours_is_left_as_it_is(rate: Rate, tmp_path: Path, name: str) -> None:
    path = tmp_path / "results" / "human" / "games" / name
    path.parent.mkdir(parents=True)
    path.write_text("theirs")
    before = files(tmp_path / "results")
    sentence = "left as it is: choose another --name, or move the folder"
    with pytest.raises(SettingsError, match=sentence):
        rate()
    assert files(tmp_path / "results") == before


@pytest.mark.slow
def test_suggestions_that_are_given_back_stay_and_give_the_same_again(
    rate: Rate, games: Path
) -> None:
    (games / "61.mat").write_text(match("Ann", dice="61", month=0))
    folder = rate().folder
    assert folder
    table = folder / "alias_suggestions.csv"
    given = table.read_bytes()
    answers = {rate(aliases=table).answer for _ in range(3)}
    assert len(answers) == 1
    assert table.read_bytes() == given


def test_another_folder_of_the_same_name_is_reported(
    rate: Rate, games: Path, tmp_path: Path
) -> None:
    assert rate().notices == []
    again = tmp_path / "again" / games.name
    games.rename((tmp_path / "again").mkdir() or again)
    (sentence,) = rate(paths=(again,)).notices
    assert f"had the results of {games} before" in sentence


def test_what_another_command_writes_while_this_one_waits_is_reported_and_replaced(
    rate: Rate, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pages stayed beside ours, and nobody was told."""
    other = tmp_path / "other" / games.name
    other.mkdir(parents=True)
    (other / "a.mat").write_text(match("cy", "dora", month=0))
    lock = results_folder.locked

    @contextmanager
    def waiting(folder: Path) -> Iterator[None]:
        monkeypatch.setattr(results_folder, "locked", lock)
        rate(paths=(other,))
        with lock(folder):
            yield

    monkeypatch.setattr(results_folder, "locked", waiting)
    last = rate()
    assert f"had the results of {other} before" in last.notices[-1]
    alone = rate(results=tmp_path / "alone")
    assert last.folder
    assert alone.folder
    assert list(files(last.folder)) == [
        last.folder / path.relative_to(alone.folder) for path in files(alone.folder)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["club {2026}", "m{1}", "a b", "ä'\"`$(x)", "{input}", "%s \\n", "*?[a]", "-x", "\udcff"],
)
def test_paths_of_any_name(rate: Rate, games: Path, tmp_path: Path, name: str) -> None:
    """Braces in a path were a WildcardError."""
    folder = tmp_path / name
    games.rename(folder)
    (tmp_path / f"{name}.csv").write_text("alias,name\nann,Ann Lee\n")
    places = {"results": tmp_path / f"r {name}", "aliases": tmp_path / f"{name}.csv"}
    found = rate(paths=(folder,), **places, name="here")
    assert found.folder == tmp_path / f"r {name}" / "human" / "here"
    assert set(found.players["player"]) == {"Ann Lee", "bob"}
    assert all(page.is_file() for page in found.pages)


def test_a_folder_called_tilde_is_that_folder_and_not_the_users_own(
    rate: Rate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pandas and Arrow take `~` for the user's own folder, and wrote there."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    rate(results=Path("~"))
    assert (tmp_path / "~" / "human" / "games" / "decisions.parquet").is_file()
    assert list(home.iterdir()) == []


def long_match(games: int) -> str:
    """Return the beginning of a match, of whose many games the engine has much to say."""
    rows = [
        "  1) 41: 13/9 24/23      31: 8/5 6/5",
        "  2) Doubles => 2         Drops",
        "  Wins 1 point",
    ]
    lines = [" 64 point match"]
    for number in range(games):
        lines += ["", f" Game {number + 1}", f" ann : {number}      bob : 0", *rows]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_a_full_disk_rejects_no_match(
    rate: Rate, engine: Engine, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine's temporary folder fills; the next run, with room, analyses what is left.

    Where not even one match has room, the run ends (tests/workflow/test_rate.py).
    """
    (games / "long.mat").write_text(long_match(60))
    whole = rate(results=None, store=None)
    narrow = wrapped(engine, tmp_path / "gnubg", '#!/bin/sh\nulimit -f 240\nexec "$@"\n')
    monkeypatch.setattr("bgrating.collection.rate_request.find_engine", lambda *_: narrow)
    found = rate()
    statuses = dict.fromkeys(("21.mat", "41.mat", "43.mat"), "analysed")
    statuses["long.mat"] = "not analysed"
    assert found.files.set_index("file")["status"].to_dict() == statuses
    (left,) = found.failed_here
    assert "had no room for what the engine found: its answer is cut off: run again" in left
    monkeypatch.undo()
    again = rate()
    assert again.matches["epm"].to_numpy() == pytest.approx(whole.matches["epm"].to_numpy())
    pages = again.pages[0].parent / "matches"
    assert len(list(pages.iterdir())) == 4  # those of the run before are not taken for these


def test_progress_counts_matches_and_estimates_the_time_left_once_one_is_done(rate: Rate) -> None:
    steps: list[tuple[int, int, float | None]] = []

    class Heard(Progress):
        def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
            if what == "matches analysed":
                steps.append((done, total, seconds_left))

    rate(Heard())
    assert steps[-1] == (3, 3, 0.0)
    assert all(left is None for done, _, left in steps if not done)


def test_no_store_keeps_nothing(rate: Rate, tmp_path: Path) -> None:
    assert rate(store=None, results=None).matches["epm"].notna().all()
    assert not (tmp_path / "store.sqlite").exists()
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_frames_and_files_are_the_same(rate: Rate) -> None:
    written, held = rate(), rate(results=None)
    for name in ("files", "matches", "players", "decisions"):
        there = getattr(written, name)
        here = getattr(held, name)[there.columns]
        texts = [column for column in there if not pd.api.types.is_numeric_dtype(here[column])]
        cells = [
            table[texts].astype(object).where(table[texts].notna(), "").to_numpy()
            for table in (there, here)
        ]
        assert (cells[0] == cells[1]).all()
        pd.testing.assert_frame_equal(
            there.drop(columns=texts), here.drop(columns=texts), check_dtype=False
        )


def test_names_that_differ_in_capitals_are_one_player_which_page_and_answer_report(
    games: Path, rate: Rate
) -> None:
    (games / "41.mat").write_text(match("Ann", month=0))
    (games / "aliases.csv").write_text("alias,name\nnobody,Zoe\n")
    result = rate(player="ANN", aliases=games / "aliases.csv")
    assert result.player == "ann"
    assert sorted(result.players["player"]) == ["ann", "bob"]
    page = result.pages[0].read_text()
    for text in (result.answer, page):
        assert "count as one player: ann (Ann)" in text
        assert "Aliases that nobody here has: nobody." in text
    (games / "aliases.csv").write_text("alias,name\nAnn,Ann\n")
    apart = rate(aliases=games / "aliases.csv")
    assert sorted(apart.players["player"]) == ["Ann", "ann", "bob"]


def test_a_match_that_the_engine_reads_differently_is_rejected_and_ends_no_run(
    rate: Rate, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (games / "odd.mat").write_text(match("evil", dice="61"))
    sound = readings.expected_import

    def other(one: Match) -> dict[str, Any]:
        return sound(one) | (
            {"events": [["match length 9"]]} if one.players[0].name == "evil" else {}
        )

    monkeypatch.setattr(readings, "expected_import", other)
    files = rate(results=None, store=None).files.set_index("file")
    assert files["status"].value_counts().to_dict() == {"analysed": 3, "rejected": 1}
    assert files.loc["odd.mat", "reason"].startswith(
        "the engine read it differently: match length 9 in the text, "
    )


CELL = re.compile(r"[1-6][1-6]:( \d+/\d+)*|Doubles => 2|Takes|Drops")
BAD = ("{dice} x/y", "{dice} 2/1 2/1", "{dice}", " Doubles => 2", "")
"""What a cell is replaced by: a play that cannot be read, that cannot be made, none, another word,
nothing."""


def test_one_bad_cell_costs_at_most_one_game(rate: Rate, tmp_path: Path) -> None:
    """An unreadable play before a taken double once made the engine lose all games."""
    whole = match("left", "right")
    folder, sources = tmp_path / "damaged", {}
    folder.mkdir()
    for number, cell in enumerate(CELL.finditer(whole)):
        for kind, bad in enumerate(BAD):
            written = bad.format(dice=cell[0][:3] if cell[0][2] == ":" else "").ljust(len(cell[0]))
            name = f"{number}-{kind}.mat"
            damaged = whole[: cell.start()] + written + whole[cell.end() :]
            if damaged.split() == whole.split():
                continue
            (folder / name).write_text(damaged.replace("left", f"left{number}{kind}"))
            sources[name] = 1 if cell.start() < whole.index("Game 2") else 2
    (folder / "whole.mat").write_text(whole)
    result = rate(paths=(folder,), results=None, store=None)
    assert len(sources) == 48
    assert not result.files.loc[result.files["status"] == "rejected", "reason"].tolist()
    games = result.decisions.groupby(["file", "game"])["loss_emg"].agg(list)
    counted = sources.keys() & set(result.matches["file"])
    assert len(counted) > 30
    for name in counted:
        assert games[name, 3 - sources[name]] == games["whole.mat", 3 - sources[name]], name
