"""The second look with the real engine: after the answer, kept match by match, and never twice."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import browser
import short_match
from bgrating.analysis import second_look
from bgrating.analysis.store import Entry, Store, StoreError
from bgrating.collection import rate as rate_module
from bgrating.collection.rate import RateRequest, RateResult, Watcher, rated, write_pages
from bgrating.decisions.files import judged
from bgrating.engine.pool import Pool
from bgrating.pages.positions import ASKED, COSTLY, is_asked, with_depth

pytestmark = pytest.mark.slow
Rated = Callable[..., Iterator[RateResult]]


class Stopped(Watcher):
    """Stops a run, as Ctrl-C does, when the first match was judged again."""

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        if "again" in what and done:
            raise KeyboardInterrupt


@pytest.fixture(name="run")
def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rated:
    """Return a function that rates three matches, whose second game has errors by both players; it has no quiz."""
    monkeypatch.setattr(second_look, "BOARDS", 0)
    games = tmp_path / "games"
    games.mkdir()
    for dice in ("41", "43", "21"):
        (games / f"{dice}.mat").write_text(short_match.match(dice=dice))

    def run(watcher: Watcher | None = None, check: str = "shown", **options: object) -> Iterator[RateResult]:
        given = {"paths": (games,), "luck": False, "results": tmp_path / "r", "store": tmp_path / "s", "cores": 1}
        return rated(RateRequest(**(given | {"check": check} | options)), watcher)

    return run


@pytest.fixture(name="asked")
def _asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the decisions of every task are added that an engine gets."""
    asked: list[int] = []
    submit = Pool.submit
    monkeypatch.setattr(Pool, "submit", lambda pool, task: (asked.append(task.rolls), submit(pool, task)))
    return asked


def test_the_answer_comes_first_and_then_every_error_is_judged_again(run: Rated, asked: list[int]) -> None:
    first, second = run()
    assert second.answer == first.answer
    assert first.players.equals(second.players)
    assert (first.facts["check"], second.facts["check"]) == ("shown, unfinished", "shown")
    decisions = second.decisions
    errors = decisions["loss_emg"] >= COSTLY
    assert errors.sum() > 3
    assert decisions.loc[errors, "checked_by"].eq("2-ply").all()
    assert decisions.loc[errors, "checked_loss_emg"].ge(0).all()
    assert decisions.loc[~errors & decisions["kind"].eq("play"), "checked_by"].isna().all()
    shown = judged(decisions)
    assert shown.loc[errors, "loss_emg"].equals(decisions.loc[errors, "checked_loss_emg"])
    assert shown.loc[~errors, "loss_emg"].equals(decisions.loc[~errors, "loss_emg"])
    (said,) = second.told
    acquitted = (decisions.loc[errors, "checked_loss_emg"] < COSTLY).sum()
    assert said == f"Judged again at 2-ply: {errors.sum()} decisions ({acquitted} are no errors there)"
    del asked[:]
    (again,) = run()
    assert asked == []
    assert again.decisions.equals(decisions)
    assert again.facts == second.facts
    pages = [page.read_text() for page in (write_pages(again)[0].parent / "matches").glob("*.html")]
    assert len(pages) == 3
    assert all("2-ply" in browser.told_in(page)["coded"]["by"]["of"] for page in pages)


def test_an_error_by_another_program_that_is_no_decision_of_ours_is_left_alone(
    run: Rated, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = {(1, ply, "double"): {"xg_loss_emg": 0.5, "xg_by": "XG 3-ply"} for ply in range(2, 8)}
    monkeypatch.setattr(rate_module, "beside", lambda _: {("21.mat", 1): verdicts})
    *_, last = run()
    assert last.facts["check"] == "shown"


def test_a_run_that_is_stopped_keeps_what_was_finished(run: Rated, asked: list[int]) -> None:
    steps = run(Stopped())
    write_pages(next(steps))
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    steps.close()
    every = asked[3:]  # the first three are whole analyses
    del asked[:]
    steps = run()
    held = int(next(steps).decisions["checked_by"].notna().sum())
    assert 0 < held < sum(every)
    (second,) = steps
    assert sum(asked) == sum(every) - held
    assert second.facts["check"] == "shown"


def test_a_disk_that_fills_up_costs_only_what_the_next_run_does_again(
    run: Rated, monkeypatch: pytest.MonkeyPatch, asked: list[int]
) -> None:
    list(run(check="none"))
    del asked[:]
    put, puts = Store.put, list[str]()

    def full(store: Store, key: str, judge: str, entry: Entry) -> None:
        puts.append(key)
        if len(puts) == 2:
            raise StoreError("no room")
        put(store, key, judge, entry)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "put", full)
        _, second = run()
    assert second.facts["check"] == "shown"
    decisions = second.decisions
    count = sum(asked)
    assert count == decisions["checked_by"].notna().sum()
    del asked[:]
    steps = run()
    held = next(steps).decisions["checked_by"].notna().sum()
    assert 0 < held < count
    (again,) = steps
    assert sum(asked) == count - held
    assert again.decisions.equals(decisions)


def test_boards_of_quizzes_are_judged_once_more_at_3_ply_and_only_they_are_asked(
    run: Rated, monkeypatch: pytest.MonkeyPatch, asked: list[int]
) -> None:
    *_, without = run()
    before = without.decisions
    monkeypatch.setattr(second_look, "BOARDS", 2)
    monkeypatch.setattr(second_look, "STABLE", 9.0)
    del asked[:]
    first, second = run()
    assert (first.facts["check"], second.facts["check"]) == ("shown, unfinished", "shown")
    (said,) = second.told
    assert said.startswith(f"Judged again at 3-ply: {sum(asked)} decisions (")
    after = second.decisions
    deep = after["checked_by"] == "3-ply"
    for _, rows in before[before["checked_loss_emg"] >= ASKED].groupby("player"):
        costliest = rows["checked_loss_emg"].nlargest(2)
        assert deep[rows.index].sum() == len(costliest)
        assert rows["checked_loss_emg"][deep].min() == costliest.min()
    assert deep.sum() == sum(asked) > 2
    assert after[~deep].equals(before[~deep])
    assert after.loc[deep, "checked_loss_emg"].ne(before.loc[deep, "checked_loss_emg"]).any()
    shown = judged(after)
    assert [is_asked(row, 0) for row in shown.to_dict("records")] == (deep & shown["loss_emg"].ge(ASKED)).tolist()
    del asked[:]
    (again,) = run()
    assert asked == []
    assert again.decisions.equals(after)
    change = (after["checked_loss_emg"] - before["checked_loss_emg"]).abs()
    monkeypatch.setattr(second_look, "STABLE", change[deep].median())
    (stable,) = run()
    agree = deep & (change <= second_look.STABLE)
    assert 0 < agree.sum() < deep.sum()
    assert stable.decisions[agree].equals(after[agree])
    assert stable.decisions[~agree].equals(before[~agree])


@pytest.mark.parametrize("kind", ["money", "one point", "cut in mid-game", "cut in mid-turn"])
def test_sessions_and_matches_that_are_cut_are_judged_again_or_marked(run: Rated, tmp_path: Path, kind: str) -> None:
    text = short_match.match()
    games = text.replace("3 point match", "0 point match" if kind == "money" else "1 point match")
    if kind.startswith("cut"):
        games = text[: text.index("  3) 31: 8/5 6/5                 66") + 20 * (kind == "cut in mid-turn")]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.mat").write_text(games)
    *_, last = run(paths=(tmp_path / "other",), check="all")
    decisions = judged(last.decisions)
    shown = [with_depth(row, 0) for row in decisions.to_dict("records")]
    print(kind, last.told, decisions[["kind", "loss_emg", "first_loss_emg", "checked_by"]].to_string())
    assert len(shown) > 1
    for row in shown:
        assert row["by"] in {"2-ply", ""} if row["checked_by"] or not row["unforced"] else "0-ply" in row["by"]
        assert row["checked_by"] or row["loss_emg"] == row["first_loss_emg"]


def test_of_many_matches_only_what_is_in_quizzes_and_summaries(
    run: Rated, monkeypatch: pytest.MonkeyPatch, asked: list[int]
) -> None:
    monkeypatch.setattr(second_look, "MOST_MATCHES", 2)
    monkeypatch.setattr(second_look, "QUIZ", 1)
    first, second = run()
    del asked[:]
    assert first.told[0].startswith("3 matches are more than 2: only what quizzes and summaries of matches show is")
    checked = second.decisions[second.decisions["checked_by"].notna()]
    left = second.matches[second.matches["side"] == "left"].set_index("file")
    for file, rows in second.decisions.groupby("file"):
        of_loser = rows[(rows["side"] == ("right" if left.loc[file, "won"] else "left")) & (rows["loss_emg"] >= COSTLY)]
        decided = of_loser.nlargest(3, "loss_mwc")
        assert set(decided.index) <= set(checked.index)
    for _, rows in second.decisions.groupby("player"):
        assert rows["loss_emg"].idxmax() in checked.index
    assert second.facts["check"] == "summary"
    *_, everything = run(check="all")
    unforced = everything.decisions["unforced"]
    assert everything.decisions.loc[unforced, "checked_by"].eq("2-ply").all()
    assert sum(asked) == unforced.sum() - len(checked)


def test_nothing_is_judged_again_where_that_is_asked_for_or_was_done_at_once(run: Rated) -> None:
    (without,) = run(check="none")
    assert without.decisions["checked_by"].isna().all()
    (deep,) = run(level="2-ply")
    assert deep.decisions["checked_by"].isna().all()
    assert deep.facts["check"] == "none"


def test_what_the_engine_does_not_judge_stays_and_is_told(run: Rated, monkeypatch: pytest.MonkeyPatch) -> None:
    list(run(check="none"))
    monkeypatch.setattr(
        Pool,
        "answers",
        lambda pool, **_: ((task, {"failed": "no"}) for _, _, task in sorted(pool._tasks.queue) if task),
    )
    monkeypatch.setattr(Pool, "_feed", lambda _: None)
    _, second = run()
    assert second.told[0].endswith("; not judged: 3 matches (no)")
    assert second.facts["check"] == "shown, unfinished"
    assert second.decisions["checked_by"].isna().all()
    shown = judged(second.decisions)
    assert shown["loss_emg"].equals(second.decisions["loss_emg"])
    errors = shown[shown["unforced"] & (shown["loss_emg"] >= COSTLY)]
    assert all("not checked" in with_depth(row, 0)["by"] for row in errors.to_dict("records"))
    pages = [page.read_text() for page in (write_pages(second)[0].parent / "matches").glob("*.html")]
    assert len(pages) == 3
    assert all("0-ply, not checked" in page or "close, not checked" in page for page in pages)
    assert not any('"2-ply"' in page for page in pages)


def test_only_the_decision_that_the_engine_does_not_judge_stays_unchecked(
    run: Rated, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = Pool.answers

    def without_one(pool: Pool, *, wait: bool) -> Iterator[object]:
        """Leave out the first decision of every match, as the worker does with a position that it cannot set."""
        for task, answer in answers(pool, wait=wait):
            yield task, answer | {"checked": answer["checked"][1:]} if "checked" in answer else answer

    monkeypatch.setattr(Pool, "answers", without_one)
    *_, last = run()
    assert last.facts["check"] == "shown"
    decisions = last.decisions
    errors = decisions[decisions["unforced"] & (decisions["loss_emg"] >= COSTLY)]
    left = errors[errors["checked_by"].isna()]
    assert set(left.groupby("file").size()) == {1}
    assert left["file"].nunique() == 3
    rows = judged(left).to_dict("records")
    assert [row["loss_emg"] for row in rows] == left["loss_emg"].tolist()
    assert all("not checked" in with_depth(row, 0)["by"] for row in rows)
    pages = [page.read_text() for page in (write_pages(last)[0].parent / "matches").glob("*.html")]
    by = [browser.told_in(page)["coded"]["by"]["of"] for page in pages]
    assert all("2-ply" in depths and any("not checked" in depth for depth in depths) for depths in by)
