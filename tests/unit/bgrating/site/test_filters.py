"""What a player's page adds up for a choice of matches is what Python computes."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import browser
from bgrating.people.players import errors_of, players_table, with_ratings
from bgrating.rating.choose import choose
from bgrating.rating.player import ratings
from bgrating.rating.population import Population, shrink
from bgrating.site.collection_page import Collection
from bgrating.tables.dictionary import columns
from unit.bgrating.site.test_collection_page import CHECKED, changed, collection, player_page

pytestmark = pytest.mark.browser
Json = dict[str, Any]
FIELD = Population(mean=3.8, mean_se=0.05, sd=0.35, scatter=30.0, players=99, repeats=99)
ANSWER = (
    "(() => { const choices = %s; return choices.map(choice =>"
    " document.getElementById('filter').figures(choice)); })()"
)
CHOICES = 500


@pytest.fixture(scope="module", name="own")
def _own(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a collection in which ann plays all: lengths, money, undated, unfinished."""
    made = collection(tmp_path_factory.mktemp("made"), ["ann", "bob", "ann", "cy", "ann", "dee"])
    random, matches = np.random.default_rng(5), made.matches.reset_index(drop=True)
    pairs = matches.groupby(["file", "match"], sort=False).ngroup().to_numpy()
    count = pairs.max() + 1
    left = (matches["side"] == "left").to_numpy()
    won, luck = (
        random.choice([0.0, 1.0, math.nan], count)[pairs],
        random.normal(0.0, 0.2, count)[pairs],
    )
    won = np.where(left, won, 1 - won)
    sign = np.where(left, 1.0, -1.0)
    matches = matches.assign(
        match_length=random.choice([0, 1, 3, 7], count, p=[0.1, 0.2, 0.4, 0.3])[pairs],
        event=random.choice(["", "Open", "Club"], count)[pairs],
        date=random.choice(
            ["", "2025-01-05", "2025-06-30", "2025-12-31"], count, p=[0.1, 0.3, 0.3, 0.3]
        )[pairs],
        unforced_moves=random.integers(0, 60, len(matches)),
        close_cube_decisions=random.integers(0, 12, len(matches)),
        chequer_error_emg=random.gamma(2.0, 0.3, len(matches)),
        cube_error_emg=random.gamma(1.0, 0.1, len(matches)),
        luck_mwc=np.where(np.isnan(won), math.nan, sign * luck / 2),
        won=won,
        luck_adjusted_result=won - 0.5 - sign * luck,
    )
    model = choose("fitted", "1.08")
    matches = with_ratings(matches, model, 2050.0).assign(level="0-ply")[columns("human/matches")]
    players = players_table(matches, model, 2050.0)[0]
    players = players.assign(level="0-ply", checked_matches=0, rating_0_ply=players["rating"])
    facts = {
        "analysis": "0-ply",
        "check": "none",
        "field": asdict(FIELD) | {"words": "field: of 99 players"},
    }
    return replace(changed(made, matches, players=players), model=model, provenance=facts)


def random_choices() -> list[Json]:
    random = np.random.default_rng(6)

    def some(values: list[Any], share: float) -> Any:
        return values[random.integers(len(values))] if random.random() < share else ""

    return [
        {
            "from": some(["2025-01-01", "2025-02-01", "2026-01-01"], 0.3),
            "to": some(["2025-06-30", "2025-12-30"], 0.3),
            "opponent": str(some([0, 1, 2], 0.3)),
            "length": str(some([0, 1, 3, 7], 0.3)),
            "event": str(some([1, 2], 0.2)),
            "result": some(["won", "lost"], 0.2),
            "kind": some(["chequer", "cube"], 0.3),
        }
        for _ in range(CHOICES)
    ]


def in_python(made: Collection, choice: Json, day: pd.Series) -> Json:
    """Return what a choice of ann's matches gives, by the product's own functions or by hand."""
    rows = made.matches[made.matches["player"] == "ann"]
    dates, wanted = day[rows.index], pd.Series(True, index=rows.index)
    if choice["from"]:
        wanted &= dates >= choice["from"]
    if choice["to"]:
        wanted &= (dates != "") & (dates <= choice["to"])
    for name, values in (("opponent", ["bob", "cy", "dee"]), ("event", ["", "Club", "Open"])):
        if choice[name]:
            wanted &= rows[name] == values[int(choice[name])]
    if choice["length"]:
        wanted &= rows["match_length"] == int(choice["length"])
    if choice["result"]:
        wanted &= rows["won"] == float(choice["result"] == "won")
    rows = rows[wanted]
    kinds = {"": ("chequer", "cube"), "chequer": ("chequer",), "cube": ("cube",)}[choice["kind"]]
    counts = {"chequer": "unforced_moves", "cube": "close_cube_decisions"}
    losses = sum(rows[f"{kind}_error_emg"].sum() for kind in kinds)
    decisions = sum(rows[counts[kind]].sum() for kind in kinds)
    finished = rows[rows["won"].notna()]
    by_name = made.players.set_index("player")["rating"]
    gap = finished["opponent"].map(by_name).astype(float) - by_name["ann"]
    chance = 1 / (1 + 10 ** (gap * np.sqrt(finished["match_length"]) / 2000))
    decided = rows[rows["luck_adjusted_result"].notna()]
    found: Json = {
        "matches": len(rows),
        "pr": 500 * losses / decisions if decisions else None,
        "won": finished["won"].sum(),
        "finished": len(finished),
        "expected": chance[finished["match_length"] > 0].sum(),
        "luck": decided["net_luck_mwc"].sum() if len(decided) else None,
        "rating": None,
    }
    usable = rows[(rows["match_length"] > 0) & (rows["unforced_moves"] > 0)]
    if len(usable):
        each = ratings(
            errors_of(usable, made.model), np.zeros(len(usable), int), made.model.formula, 2050.0
        )
        shrunk = shrink(each, FIELD, 2050.0)
        found["rating"] = [float(shrunk[name][0]) for name in ("rating", "ci_low", "ci_high")]
    return found


@pytest.mark.slow
def test_500_random_choices_are_what_python_computes(own: Collection, tmp_path: Path) -> None:
    choices = random_choices()
    with browser.opened(player_page(own, "ann", tmp_path, **CHECKED)) as page:
        answers = page.ask(ANSWER % json.dumps(choices))
        assert page.said() == []
    day = own.matches["date"].fillna("")
    sizes = set()
    for choice, answer in zip(choices, answers, strict=True):
        expected = in_python(own, choice, day)
        rating = answer["rating"] and [answer["rating"][name] for name in ("rating", "low", "high")]
        sizes.add(answer["matches"])
        assert rating == (expected["rating"] and pytest.approx(expected["rating"], abs=2e-3)), (
            choice
        )
        for name in ("matches", "pr", "won", "finished", "expected", "luck"):
            assert answer[name] == (expected[name] and pytest.approx(expected[name], abs=2e-4)), (
                name,
                choice,
            )
    assert len(sizes) > 15
    assert min(sizes) == 0


def test_the_trend_has_the_scatter_of_each_window(own: Collection, tmp_path: Path) -> None:
    with browser.opened(player_page(own, "ann", tmp_path, **CHECKED)) as page:
        points = page.ask("document.getElementById('filter').figures({}).trend")
    rows = own.matches[(own.matches["player"] == "ann") & own.matches["date"].fillna("").ne("")]
    rows = rows[rows["unforced_moves"] + rows["close_cube_decisions"] > 0]
    rows = rows.sort_values(["date", "file", "match"], kind="stable")
    size = min(20, len(rows) // 2)
    last = rows.tail(size)
    errors = (last["chequer_error_emg"] + last["cube_error_emg"]).to_numpy()
    decisions = (last["unforced_moves"] + last["close_cube_decisions"]).to_numpy()
    without = 500 * (errors.sum() - errors) / (decisions.sum() - decisions)
    error = math.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum())
    half = stats.t.ppf(0.95, size - 1) * error
    assert points[-1][0] == last["date"].iloc[-1]
    assert points[-1][1:] == pytest.approx([500 * errors.sum() / decisions.sum(), half], abs=1e-4)


@pytest.mark.parametrize(
    ("first", "dates", "points"), [(12, True, 7), (9, True, 0), (12, False, 0)]
)
def test_ten_matches_with_dates_have_a_trend(
    tmp_path: Path, first: int, *, dates: bool, points: int
) -> None:
    """Of twelve matches each point has six, so there are seven."""
    made = collection(tmp_path, ["ann", "bob"])
    matches = made.matches.head(2 * first)
    made = changed(made, matches if dates else matches.assign(date=""))
    with browser.opened(player_page(made, "ann", tmp_path, **CHECKED)) as page:
        assert len(page.ask("document.getElementById('filter').figures({}).trend")) == points
        is_hidden = page.ask("document.getElementById('trend').hidden")
        assert is_hidden is (points < 2)
        assert page.ask("document.querySelectorAll('#trend .chart').length") == 1 - is_hidden


def test_the_address_keeps_a_choice_and_a_button_takes_it_back(
    own: Collection, tmp_path: Path
) -> None:
    page = player_page(own, "ann", tmp_path, **CHECKED).resolve().as_uri()
    with browser.opened(f"{page}#choose:length=7&result=won") as tab:
        shown = tab.ask("document.getElementById('chosen').textContent")
        count = tab.ask(
            "document.getElementById('filter').figures({length: '7', result: 'won'}).matches"
        )
        assert shown.startswith(f"Matches{count}PR")
        tab.ask("document.querySelector('#filter button').click()")
        assert tab.ask("location.hash") == ""
        tab.ask("document.querySelector('#filter [name=opponent]').value = '1'")
        tab.ask("document.getElementById('filter').dispatchEvent(new Event('change'))")
        assert tab.ask("location.hash") == "#choose:opponent=1"


def test_names_with_markup_are_text_in_filters(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "<b>bob</b>", "\"c' & <i>y"])
    with browser.opened(player_page(made, "ann", tmp_path, **CHECKED)) as page:
        names = page.ask(
            "Array.from(document.querySelector('[name=opponent]').options, one => one.textContent)"
        )
        page.ask("document.getElementById('filter').open = true")
        page.until("document.querySelector('#chosen table') && true")
        inside = page.ask("document.querySelectorAll('#chosen b, #chosen i').length")
    assert set(names) == {"all", "<b>bob</b>", "\"c' & <i>y"}
    assert inside == 0
