"""The second look: a match is checked whole or not at all, and no verdict is lost."""

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path

import pandas as pd
import pytest

import browser
import short_match
from bgrating.analysis import second_look
from bgrating.analysis.store import Store, StoreError
from bgrating.collection.rate_request import Progress, RateRequest
from bgrating.collection.rated_results import RateResult
from bgrating.collection.rating_run import growing_results
from bgrating.collection.readings import read_data
from bgrating.decisions.decision_table import with_second_look
from bgrating.decisions.thresholds import COSTLY, QUIZ_LOSS
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.pages.positions import with_depth
from bgrating.people import players
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive, write_archive
from bgrating.tables.provenance import write_provenance
from bgrating.tables.table_files import read_table
from short_match import write_matches

pytestmark = pytest.mark.slow
Rated = Callable[..., Iterator[RateResult]]
LOSSES = ["chequer_error_emg", "cube_error_emg", "chequer_error_mwc", "cube_error_mwc"]


class Stopped(Progress):
    """Stops a run, as Ctrl-C does, when the first match is checked."""

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        if "checked" in what and done:
            raise KeyboardInterrupt


@pytest.fixture(name="games")
def _games(tmp_path: Path) -> Path:
    """Return a folder of three matches, whose second game has errors by both players."""
    return write_matches(tmp_path / "games", "41", "43", "21")


@pytest.fixture(name="run")
def _run(tmp_path: Path, games: Path) -> Rated:
    def run(progress: Progress | None = None, **options: object) -> Iterator[RateResult]:
        given = {"paths": (games,), "luck": False, "cores": 1}
        given |= {"results": tmp_path / "r", "store": tmp_path / "s"}
        return growing_results(RateRequest(**(given | {"check": "errors"} | options)), progress)

    return run


def asked(submitted: list[Task]) -> int:
    """Return how many decisions the second look has submitted, and forget them."""
    requests = [task.request for task in submitted]
    # The requests of whole matches have waited as JSON.
    number = sum(len(request["check"]) for request in requests if not isinstance(request, str))
    submitted.clear()
    return number


def flagged(decisions: pd.DataFrame) -> pd.Series:
    no_contact = decisions["kind"].ne("play") & decisions["theme"].isin(["race", "bearoff"])
    return decisions["unforced"] & (decisions["loss_emg"].ge(COSTLY) | no_contact)


def check_sums(result: RateResult) -> None:
    """Check that all figures of losses are sums over the list of decisions, at its level."""
    decisions = with_second_look(result.decisions)
    sides = decisions.groupby(["file", "match", "side"])
    for unit in ("emg", "mwc"):
        rows = result.matches.set_index(["file", "match", "side"])
        total = rows[f"chequer_error_{unit}"] + rows[f"cube_error_{unit}"]
        listed = sides[f"loss_{unit}"].sum()[
            total.notna()
        ]  # gnubg has no chances of winning for money
        assert total.dropna().to_dict() == pytest.approx(listed.to_dict(), abs=2e-5)
    rows = result.players.set_index("player")
    own = decisions["loss_emg"].where(
        decisions["player"].map(rows["level"]) == "checked", decisions["first_loss_emg"]
    )
    pr = (
        500
        * own.groupby(decisions["player"]).sum()
        / (rows["unforced_moves"] + rows["close_cube_decisions"])
    )
    assert rows["pr"].to_dict() == pytest.approx(pr.to_dict(), abs=1e-3)


def test_the_answer_comes_first_and_then_every_error_is_judged_again(
    run: Rated, submitted: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "LEAST_DECISIONS", 1)
    steps = run()
    answered, first = next(steps), next(steps)
    check_sums(first)
    (second,) = steps
    assert not answered.pages
    assert first.answer == answered.answer
    assert "Level: 0-ply; losses and PR are checked at 2-ply; without luck" in second.answer
    before, after = (
        result.players.set_index("player")[["rating", "rating_0_ply"]] for result in (first, second)
    )
    assert before["rating"].equals(before["rating_0_ply"])
    assert after.equals(before)
    assert second.matches["rating"].equals(first.matches["rating"])
    assert (second.players["pr"] != first.players["pr"]).all()
    assert set(first.matches["level"]) == {"0-ply"}
    assert set(second.matches["level"]) == set(second.players["level"]) == {"checked"}
    assert second.players["checked_matches"].equals(second.players["matches"])
    decisions = second.decisions
    errors = flagged(decisions)
    assert decisions["checked_by"].notna().equals(errors)
    assert (first.matches[LOSSES].to_numpy() != second.matches[LOSSES].to_numpy()).any()
    check_sums(second)
    acquitted = (
        decisions.loc[errors & decisions["loss_emg"].ge(COSTLY), "checked_loss_emg"] < COSTLY
    ).sum()
    told = f"Checked {errors.sum()} errors at 2-ply: {acquitted} of them are none."
    assert second.notices[0] == told
    assert asked(submitted) == errors.sum()
    *_, again = run()
    assert submitted == []
    assert again.decisions.equals(decisions)
    pages = [page.read_text() for page in (again.pages[0].parent / "matches").glob("*.html")]
    assert len(pages) == 3
    assert all("2-ply" in browser.told_in(page)["by"] for page in pages)


def test_a_match_has_the_same_figures_alone_and_the_same_losses_in_a_study(
    run: Rated, games: Path, engine: Engine, tmp_path: Path
) -> None:
    *_, many = run()
    *_, one = run(paths=(games / "43.mat",), store=tmp_path / "other", name="one")
    own = many.matches[many.matches["file"] == "43.mat"].reset_index(drop=True)
    assert own.equals(one.matches)
    decisions = with_second_look(many.decisions[many.decisions["file"] == "43.mat"]).reset_index(
        drop=True
    )
    assert decisions.equals(with_second_look(one.decisions))
    ((_, content),) = read_data((games / "43.mat").read_bytes(), "43.mat")[1].items()
    archive, table = tmp_path / "000.zip", tmp_path / "000.csv"
    write_archive(archive, {"0000.mat": content["text"]})
    write_provenance(archive)
    analyst = ArchiveAnalyst(
        engine, levels.analysis("2-ply-screened"), Limits(60.0, tmp_path / "log")
    )
    analyse_archive(analyst, archive, table)
    assert read_table(table)[LOSSES].to_numpy() == pytest.approx(own[LOSSES].to_numpy(), abs=1e-6)


def test_a_copy_that_differs_is_not_judged_again(run: Rated, games: Path) -> None:
    (games / "copy.mat").write_text(
        short_match.match(dice="43").replace("3 point match", "5 point match")
    )
    *_, last = run(minutes=2.0)
    assert last.files.set_index("file").loc["copy.mat", "status"] == "duplicate"
    assert len(last.notices) == 1, last.notices
    assert last.facts["checked_matches"] == 3


def test_a_match_whose_file_goes_meanwhile_is_not_judged_again_and_the_others_are(
    run: Rated, games: Path
) -> None:
    steps = run(results=None)
    next(steps)
    (games / "43.mat").unlink()
    *_, last = steps
    assert last.notices[0].endswith("Matches whose files have gone or were changed: 1.")
    levels = last.matches.groupby("file")["level"].first()
    assert levels.pop("43.mat") == "0-ply"
    assert set(levels) == {"checked"}


def test_a_run_that_is_stopped_keeps_what_was_finished(
    run: Rated, submitted: list[Task], tmp_path: Path
) -> None:
    *_, whole = run(store=tmp_path / "whole", results=None)
    every = asked(submitted)
    with pytest.raises(KeyboardInterrupt):
        list(run(Stopped()))
    before = asked(submitted)
    *_, second = run()
    after = asked(submitted)
    # A task that was under way may be done again.
    assert every <= before + after <= every + second_look.TOGETHER
    assert after < every
    assert second.matches.equals(whole.matches)


def test_a_spent_budget_is_reported_and_the_next_run_goes_on(run: Rated, games: Path) -> None:
    """One match was checked before; a player has one level until all matches are checked."""
    list(run(paths=(games / "43.mat",)))
    *_, first, second = run(minutes=1e-9)
    assert "for at most 1e-09 minutes (--minutes)" in first.notices[0]
    assert "1 of 3 matches are checked, and the time is over" in second.notices[-1]
    levels = second.matches.groupby("file")["level"].first().to_dict()
    assert levels == {"21.mat": "0-ply", "41.mat": "0-ply", "43.mat": "checked"}
    assert set(second.players["level"]) == {"0-ply"}
    check_sums(second)
    assert "Checked: 1 of 3 matches." in second.pages[0].read_text()
    *_, last = run()
    assert set(last.matches["level"]) == {"checked"}
    assert "Checked: 3 of 3 matches." in last.pages[0].read_text()


def test_a_disk_that_fills_up_costs_only_what_the_next_run_does_again(
    run: Rated, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    *_, whole = run(store=tmp_path / "whole", results=None)
    list(run(check="none"))
    put, puts = Store.put, list[str]()

    def full(store: Store, key: str, value: bytes) -> None:
        puts.append(key)
        if len(puts) == 2:
            raise StoreError("no room")
        put(store, key, value)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "put", full)
        *_, second = run()
    assert second.matches.equals(whole.matches)
    *_, again = run()
    assert again.matches.equals(whole.matches)


def test_boards_of_the_players_quiz_are_judged_at_3_ply_worst_first_and_change_no_figure(
    run: Rated, monkeypatch: pytest.MonkeyPatch, submitted: list[Task], tmp_path: Path
) -> None:
    *_, without = run()
    assert without.decisions["confirmed_by"].isna().all()
    monkeypatch.setattr(second_look, "BOARDS", 2)
    monkeypatch.setattr(second_look, "STABLE", 9.0)
    submitted.clear()
    *_, result = run(player="ann")
    assert result.matches.equals(without.matches)
    decisions = result.decisions
    confirmed = decisions["confirmed_by"] == "3-ply"
    own = decisions[(decisions["player"] == "ann") & (decisions["checked_loss_emg"] >= QUIZ_LOSS)]
    assert asked(submitted) == confirmed.sum() == 2 < len(own)
    assert set(decisions.loc[confirmed, "checked_loss_emg"]) <= set(
        own["checked_loss_emg"].nlargest(2)
    )
    *_, again = run(player="ann")
    assert submitted == []
    assert again.decisions.equals(decisions)
    *_, of_more_cores = run(player="ann", cores=3, store=tmp_path / "another")
    assert of_more_cores.decisions.equals(decisions)


@pytest.mark.parametrize("kind", ["money", "one point", "cut in mid-game", "cut in mid-turn"])
def test_sessions_and_matches_that_are_cut_are_checked(
    run: Rated, tmp_path: Path, kind: str
) -> None:
    text = short_match.match()
    games = text.replace("3 point match", "0 point match" if kind == "money" else "1 point match")
    if kind.startswith("cut"):
        games = text[
            : text.index("  3) 31: 8/5 6/5                 66") + 20 * (kind == "cut in mid-turn")
        ]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.mat").write_text(games)
    *_, last = run(paths=(tmp_path / "other",))
    assert set(last.matches["level"]) == {"checked"}
    check_sums(last)


def test_nothing_is_judged_again_where_that_is_asked_for_or_was_done_at_once(run: Rated) -> None:
    for options in ({"check": "none"}, {"level": "2-ply"}):
        _, result = run(**options)
        assert result.decisions["checked_by"].isna().all()
        assert result.facts["check"] == "none"
        assert set(result.matches["level"]) == {options.get("level", "0-ply")}


def test_decisions_that_the_engine_does_not_judge_stay_and_are_reported(
    run: Rated, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(run(check="none"))
    reasons = chain(["odd"], repeat("no"))  # the reason that is told is not that of the first

    def failing(pool: Pool, task: Task) -> None:
        pool._answers.put((task, {"failed": next(reasons)}))

    monkeypatch.setattr(Pool, "_answer", failing)
    *_, second = run()
    assert second.notices[0].endswith(" Not checked: 3 matches (no).")
    assert set(second.matches["level"]) == {"0-ply"}
    errors = with_second_look(second.decisions[flagged(second.decisions)])
    assert all("not checked" in with_depth(row, 0)["by"] for row in errors.to_dict("records"))


def test_a_decision_that_the_engine_cannot_judge_stays_marked_and_its_match_is_checked(
    run: Rated, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = Pool.run

    def without_one(pool: Pool, tasks: Iterator[Task], *, wait: bool = True) -> Iterator[object]:
        """Leave out a task's first decision, as if the engine could not set its position."""
        for task, answer in sound(pool, tasks, wait=wait):
            yield (
                task,
                answer | {"checked": answer["checked"][1:]} if "checked" in answer else answer,
            )

    monkeypatch.setattr(Pool, "run", without_one)
    *_, last = run()
    assert set(last.matches["level"]) == {"checked"}
    check_sums(last)
    left = last.decisions[flagged(last.decisions) & last.decisions["checked_by"].isna()]
    assert 0 < len(left) < flagged(last.decisions).sum()
    rows = with_second_look(left).to_dict("records")
    assert [row["loss_emg"] for row in rows] == left["loss_emg"].tolist()
    assert all("not checked" in with_depth(row, 0)["by"] for row in rows)
