"""rate in one process with the real engine: nothing stale, nothing lost, nothing of others touched."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import short_match
from bgrating import BgratingError
from bgrating.collection import rate as rating
from bgrating.collection.rate import Progress, RateRequest, RateResult
from bgrating.engine.errors import EngineNotFoundError
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool
from bgrating.settings import SettingsError
from wrapped_engine import wrapped

Rate = Callable[..., RateResult]


def match(number: int, left: str = "ann", right: str = "bob") -> str:
    return short_match.match(left, right, list(short_match.OPENINGS)[number], month=0)


@pytest.fixture(name="games")
def _games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.mat").write_text(match(number))
    return folder


@pytest.fixture(name="rate")
def _rate(games: Path, tmp_path: Path) -> Rate:
    def run(progress: Progress | None = None, **options: object) -> RateResult:
        given = {"luck": False, "results": tmp_path / "results", "store": tmp_path / "store.sqlite", "cores": 1}
        return rating.rate(RateRequest(**({"paths": (games,)} | given | options)), progress)

    return run


@pytest.fixture(name="no_engine")
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise AssertionError("an engine was started")

    monkeypatch.setattr(Pool, "submit", started)


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_again_changes_no_byte_and_starts_no_engine(rate: Rate, request: pytest.FixtureRequest) -> None:
    first = rate()
    assert first.folder
    before = files(first.folder)
    request.getfixturevalue("no_engine")
    again = rate()
    assert again.answer == first.answer
    assert files(first.folder) == before


@pytest.mark.slow
def test_another_level_gives_other_answers_and_each_names_its_level(rate: Rate) -> None:
    """Line 4: the level of a folder that was rated before was ignored."""
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
def test_aliases_formula_and_offset_answer_at_once(rate: Rate, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first = rate().matches
    request.getfixturevalue("no_engine")
    aliases = tmp_path / "aliases.csv"
    for name in ("Ann Lee", "Ann Other"):  # one file, changed
        aliases.write_text(f"alias,name\nann,{name}\n")
        assert set(rate(aliases=aliases).players["player"]) == {name, "bob"}
    assert set(rate().players["player"]) == {"ann", "bob"}
    assert (rate(offset=1900.0).matches["rating"] - first["rating"]).to_numpy() == pytest.approx(-150)
    assert (rate(formula="published").matches["rating"] != first["rating"]).all()
    assert rate(formula="published-2003").facts["coefficients"] == "published-2003"  # neither has a file
    assert (rate().matches["rating"] == first["rating"]).all()


def test_a_match_is_known_by_what_was_played_wherever_it_turns_up(
    rate: Rate, games: Path, request: pytest.FixtureRequest
) -> None:
    rate()
    request.getfixturevalue("no_engine")
    other = games.parent / "other"
    other.mkdir()
    (other / "x.txt").write_text(match(1, "Carla", "Dörte"))
    assert set(rate(paths=(other,)).players["player"]) == {"Carla", "Dörte"}


@pytest.mark.slow
def test_a_new_file_costs_one_analysis(rate: Rate, games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rate()
    given: list[object] = []
    submit = Pool.submit
    monkeypatch.setattr(Pool, "submit", lambda pool, task: (given.append(task), submit(pool, task)))
    (games / "new.mat").write_text(match(4))
    assert len(rate().files) == 4
    assert len(given) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [({"offset": float("nan")}, "offset nan: a rating is a number"), ({"paths": ()}, "rate wants match files, or a")],
)
def test_a_mistake_that_no_command_line_can_hold(rate: Rate, options: dict[str, object], words: str) -> None:
    with pytest.raises(BgratingError, match=words):
        rate(**options)


@pytest.mark.parametrize(
    "name",
    ["report.html", "summary.txt", "pages.json", "players/ann.html", "readings.jsonl", "human_tables.provenance.json"],
)
def test_a_folder_that_is_not_ours_is_left_as_it_is(rate: Rate, tmp_path: Path, name: str) -> None:
    path = tmp_path / "results" / "human" / "games" / name
    path.parent.mkdir(parents=True)
    path.write_text("theirs")
    before = files(tmp_path / "results")
    with pytest.raises(SettingsError, match="left as it is: choose another --name, or move the folder"):
        rate()
    assert files(tmp_path / "results") == before


@pytest.mark.slow
def test_suggestions_that_are_given_back_stay_and_give_the_same_again(rate: Rate, games: Path) -> None:
    (games / "3.mat").write_text(match(3, "Ann"))
    folder = rate().folder
    assert folder
    table = folder / "alias_suggestions.csv"
    given = table.read_bytes()
    answers = {rate(aliases=table).answer for _ in range(3)}
    assert len(answers) == 1
    assert table.read_bytes() == given


def test_another_folder_of_the_same_name_is_told_of(rate: Rate, games: Path, tmp_path: Path) -> None:
    assert rate().notices == []
    again = tmp_path / "again" / games.name
    games.rename((tmp_path / "again").mkdir() or again)
    (sentence,) = rate(paths=(again,)).notices
    assert f"had the results of {games} before" in sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["club {2026}", "m{1}", "a b", "ä'\"`$(x)", "{input}", "%s \\n", "*?[a]", "-x", "\udcff"]
)
def test_paths_of_any_name(rate: Rate, games: Path, tmp_path: Path, name: str) -> None:
    """Line 16: braces in a path were a WildcardError."""
    folder = tmp_path / name
    games.rename(folder)
    (tmp_path / f"{name}.csv").write_text("alias,name\nann,Ann Lee\n")
    found = rate(paths=(folder,), results=tmp_path / f"r {name}", aliases=tmp_path / f"{name}.csv", name="here")
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
    """Return a match whose games are won in turn, which the engine has much to say of."""
    lines = [f" {games} point match"]
    for number in range(games):
        lines += ["", f" Game {number + 1}", f" ann : {(number + 1) // 2}      bob : {number // 2}"]
        first = ["  1) 41: 13/9 24/23", "  2) Doubles => 2", "Wins 1 point"]
        lines += (
            [first[0] + "   31: 8/5 6/5", first[1] + "   Drops", "  Wins 1 point"]
            if not number % 2
            else [
                "  1)                     41: 13/9 24/23",
                "  2) 31: 8/5 6/5          Doubles => 2",
                "  3) Drops",
                "                         Wins 1 point",
            ]
        )
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["", "machine"])
def test_a_machine_without_room_is_not_the_matchs_fault(
    rate: Rate, engine: Engine, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Line 2: the engine's temporary folder is full; the next run, with room, analyses what is left."""
    (games / "long.mat").write_text(long_match(60))
    whole = rate(results=None, store=None)
    narrow = wrapped(engine, tmp_path / "gnubg", f'#!/bin/sh\nulimit -f {240 if what else 100}\nexec "$@"\n')
    monkeypatch.setattr(rating, "find_engine", lambda *_: narrow)
    if what:
        found = rate()
        assert found.files.set_index("file")["status"].to_dict() == {
            "0.mat": "analysed",
            "1.mat": "analysed",
            "2.mat": "analysed",
            "long.mat": "not analysed",
        }
        (left,) = found.failed_here
        assert re.search(r"had no room for what the engine found: its answer is cut off: run again when there is", left)
    else:
        said = r"has no room for the engine's files .*: free some or set TMPDIR, then run again"
        with pytest.raises(BgratingError, match=said):
            rate()
    monkeypatch.undo()
    again = rate()
    assert again.matches["epm"].to_numpy() == pytest.approx(whole.matches["epm"].to_numpy())
    pages = again.pages[0].parent / "matches"
    assert len(list(pages.iterdir())) == 4  # those of the run before are not taken for these


def test_an_engine_that_prints_no_text_is_one_sentence(rate: Rate, tmp_path: Path) -> None:
    """Line 15."""
    program = tmp_path / "gnubg"
    program.write_bytes(b"#!/bin/sh\nprintf '\\377\\376\\200'\n")
    program.chmod(0o755)
    with pytest.raises(BgratingError, match="which is not a known engine"):
        rate(engine=str(program))
    with pytest.raises(EngineNotFoundError):
        rate(engine="/dev/null")


def test_progress_counts_matches_and_its_time_left_is_told_once_one_is_done(rate: Rate) -> None:
    steps: list[tuple[str, int, int, float | None]] = []

    class Heard(Progress):
        def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
            steps.append((what, done, total, seconds_left))

    rate(Heard())
    analysed = [step[1:] for step in steps if step[0] == "matches analysed"]
    assert (analysed[-1][0], analysed[-1][1]) == (3, 3)
    assert analysed[-1][2] == 0.0
    assert all(left is None for done, _, left in analysed if not done)


def test_no_store_keeps_nothing(rate: Rate, tmp_path: Path) -> None:
    assert rate(store=None, results=None).matches["epm"].notna().all()
    assert not (tmp_path / "store.sqlite").exists()
    assert not (tmp_path / "results").exists()


def text_of(table: pd.DataFrame) -> list[list[object]]:
    cells: list[list[object]] = table.astype(object).where(table.notna(), "").to_numpy().tolist()
    return cells


@pytest.mark.slow
def test_frames_and_files_are_the_same(rate: Rate) -> None:
    written, held = rate(), rate(results=None)
    for name in ("files", "matches", "players", "decisions"):
        there, here = getattr(written, name), getattr(held, name)
        here = here[there.columns]
        texts = [column for column in there if not pd.api.types.is_numeric_dtype(here[column])]
        assert text_of(there[texts]) == text_of(here[texts])
        pd.testing.assert_frame_equal(there.drop(columns=texts), here.drop(columns=texts), check_dtype=False)


def test_who_is_written_in_other_capitals_is_one_player_and_page_and_answer_say_so(games: Path, rate: Rate) -> None:
    (games / "0.mat").write_text(match(0, left="Ann"))
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
