"""The law inside its domain and its test: known formulas come back, the verdict is the one written down."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import simulated
from bgrating.rating.fibs import rating_difference
from bgrating.tables.dictionary import columns
from study.comparison.studies import Played, of_matches
from study.formula.regressions import UndeterminedError
from study.law import page, preregistered, tables
from study.law.preregistered import COUNTS, LAW, MOVES, fit_inside

# The law's count of the simulated players: they have one close decision to about eight unforced moves.
PER_MOVE = 1000.0


def per_move(matches: pd.DataFrame, truth: simulated.Truth, per_match: float = 0.0) -> pd.DataFrame:
    """Draw results anew so that R follows the law exactly: a2(N) EPM + PER_MOVE x cube error per unforced move.

    `per_match` is what chequer errors per match, over N, add.
    """
    rng = np.random.default_rng(17)
    parts = []
    for (length, _, _), rows in matches.groupby(["match_length", "player", "opponent"]):
        epm, cube = (
            rows[f"player_{error}_error_emg"].sum() / rows["player_unforced_moves"].sum()
            - rows[f"opponent_{error}_error_emg"].sum() / rows["opponent_unforced_moves"].sum()
            for error in ("chequer", "cube")
        )
        r = (truth.a2_const + truth.a2_inv / length) * epm + PER_MOVE * cube
        r += per_match * (rows["player_chequer_error_emg"] - rows["opponent_chequer_error_emg"]).mean() / length
        p = 1 / (1 + 10 ** (r * np.sqrt(length) / 2000))
        won = rng.random(len(rows)) < p
        actual = np.where(won, 0.5, -0.5)
        luck = actual - (p - 0.5) - rng.normal(0, 0.1, len(rows))  # what luck leaves of the chance has mean zero
        common = rng.normal(0, 0.1, len(rows))
        parts.append(
            rows.assign(
                actual_result=actual, luck_adjusted_result=actual - luck,
                player_luck_mwc=common + luck / 2, opponent_luck_mwc=common - luck / 2,
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


TRUTH = simulated.Truth()


@pytest.fixture(scope="module", name="study")
def _study() -> Played:
    rng = np.random.default_rng(3)
    return of_matches("part2", per_move(simulated.study(rng, lengths=(3, 5, 11), matches=300), TRUTH))


@pytest.fixture(scope="module", name="fresh")
def _fresh() -> Played:
    """Return matches of other players, both noisy, that follow the same law."""
    rng = np.random.default_rng(4)
    players = [simulated.Player(f"fresh-{i}", 0.03, 0.2, 0.015 + 0.003 * i, 0.04 + 0.01 * i) for i in range(6)]
    opponent = simulated.Player("noise-0.02", 0.02, 0.1, 0.0125, 0.05)
    drawn = simulated.study(rng, lengths=(3, 5, 11), matches=300, players=players, opponent=opponent)
    return of_matches("inside", per_move(drawn, TRUTH))


def test_a_known_law_comes_back_from_inside_its_domain(study: Played) -> None:
    law = fit_inside([study], LAW)
    z = (law.fit.estimate - [TRUTH.a2_const, TRUTH.a2_inv, PER_MOVE]) / law.fit.std_error
    assert (np.abs(z) < 3.5).all()
    assert len(law.outside) > 0
    assert (law.predicted(law.inside) < 450).all()
    assert (law.predicted(law.outside) >= 450).all()
    value, error = law.a2(5)
    assert value == pytest.approx(TRUTH.at(5)["a2"], abs=4 * error)


def test_one_length_determines_no_law(study: Played) -> None:
    one = study.matches[study.matches["match_length"] == 5]
    with pytest.raises(UndeterminedError, match="two lengths"):
        fit_inside([of_matches("part2", one)], LAW)


def test_the_right_law_predicts_matches_that_it_was_not_fitted_to(study: Played, fresh: Played) -> None:
    row, found = preregistered.outcome(fresh, fit_inside([study], LAW), 0.9)
    assert row["n_points"] == 18
    assert row["p_value"] > 0.001
    assert row["slope_low"] < 1.05
    assert row["slope_high"] > 0.95
    apart = (found["measured"] - found["predicted"]) / found["std_error"]
    assert 0.5 < float((apart**2).mean()) < 2.0


def test_another_law_is_refuted(study: Played, fresh: Played) -> None:
    steeper = per_move(fresh.matches, simulated.Truth(a2_const=2 * TRUTH.a2_const, a2_inv=2 * TRUTH.a2_inv))
    row, _ = preregistered.outcome(of_matches("inside", steeper), fit_inside([study], LAW), 0.9)
    assert row["verdict"] == preregistered.REFUTED
    assert row["slope_low"] > 1.05


def test_the_outcome_says_which_errors_cost_more(study: Played, fresh: Played) -> None:
    """Chequer errors cost a quarter more here."""
    dearer = per_move(fresh.matches, simulated.Truth(a2_const=1.25 * TRUTH.a2_const, a2_inv=1.25 * TRUTH.a2_inv))
    row, _ = preregistered.outcome(of_matches("inside", dearer), fit_inside([study], LAW), 0.999)
    assert 1.0 < row["chequer_slope_low"] < 1.25 < row["chequer_slope_high"]
    assert row["cube_slope_low"] < 1 < row["cube_slope_high"]


def half_of_them_short(matches: pd.DataFrame) -> pd.DataFrame:
    """Return matches where every second player's have half the moves, at the same error rates."""
    players = sorted(matches["player"].unique())
    short = matches["player"].isin(players[::2])
    names = ("unforced_moves", "chequer_error_emg", "cube_error_emg")
    halved = [f"{side}_{name}" for side in ("player", "opponent") for name in names]
    found = matches.astype(dict.fromkeys(halved, float))
    found.loc[short, halved] /= 2
    return found


def test_errors_that_cost_by_the_match_are_told_from_those_by_the_move(study: Played, fresh: Played) -> None:
    truth = simulated.Truth(a2_const=TRUTH.a2_const / 2, a2_inv=TRUTH.a2_inv)
    fitted, judged = (
        of_matches(one.name, per_move(half_of_them_short(one.matches), truth, per_match=600.0))
        for one in (study, fresh)
    )
    law, term = (fit_inside([fitted], count) for count in (LAW, MOVES))
    wanted = [truth.a2_const, truth.a2_inv, 600.0, PER_MOVE]
    assert (np.abs((term.fit.estimate - wanted) / term.fit.std_error) < 3.5).all()
    assert law.fit.chi_square > 2 * term.fit.chi_square
    outcomes = {one.count: preregistered.outcome(judged, one, 0.9) for one in (law, term)}
    assert outcomes[MOVES][0]["p_value"] > 0.001
    rows = preregistered.beside_the_law(outcomes, LAW, 0.9).set_index("count")
    assert rows.loc[MOVES, "log_loss_high"] < 0


def test_both_tests_are_told_with_and_without_the_term(
    study: Played, fresh: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_whole", lambda name, played: [of_matches(name, played)])
    truth = simulated.Truth(a2_const=TRUTH.a2_const / 2, a2_inv=TRUTH.a2_inv)
    drawn = {
        name: per_move(half_of_them_short(one.matches), truth, 600.0)
        for name, one in (("part2", study), ("inside", fresh), ("short-long", fresh))
    }
    made = tables.tables(drawn, {}, "other")
    assert MOVES not in set(made["test"]["count"]) | set(made["at_lengths"]["count"])
    assert set(made["coefficients"]["count"]) == set(COUNTS)
    since = made["test_since"].set_index(["study", "count"])
    assert set(since.index) == {(name, count) for name in ("inside", "short-long") for count in COUNTS}
    others = {name: pd.DataFrame(columns=columns(f"law/{name}")) for name in ("cuts", "lengths", "depth")}
    said = page.summary(made | others, "other", Path("report.html"))
    law, term = (since.loc["short-long", count] for count in (LAW, MOVES))
    assert f"({law['verdict']}) by the law and {term['slope']:.2f}" in said
    assert "the term is needed" in said
    only_inside = {name: rows for name, rows in drawn.items() if name != "short-long"}
    without = page.summary(tables.tables(only_inside, {}, "other") | others, "other", Path("report.html"))
    assert "the term" not in without


def test_the_error_of_measured_rates_is_what_resampling_gives(study: Played, fresh: Played) -> None:
    law = fit_inside([study], LAW)
    seen = fresh.observed(COUNTS[LAW])
    variances = preregistered.rate_variances(fresh.matches, law, seen)
    own = fresh.matches[(fresh.matches["match_length"] == 5) & (fresh.matches["player"] == "fresh-3")]
    place = np.flatnonzero((seen.match_length == 5) & (seen.pairs == "fresh-3 against noise-0.02"))[0]
    rng = np.random.default_rng(8)
    drawn = []
    for _ in range(120):
        rows = own.iloc[rng.integers(len(own), size=len(own))].reset_index(drop=True)
        drawn.append(law.predicted(of_matches("inside", rows).observed(COUNTS[LAW]))[0])
    assert np.sqrt(variances[place]) == pytest.approx(np.std(drawn), rel=0.2)


@pytest.mark.parametrize(
    ("p_value", "low", "high", "verdict"),
    [
        (0.3, 0.96, 1.04, "confirmed"),
        (0.05, 0.95, 1.05, "confirmed"),
        (0.04, 0.96, 1.04, "undecided"),
        (0.3, 0.94, 1.04, "undecided"),
        (0.009, 0.96, 1.04, "refuted"),
        (0.3, 0.80, 0.94, "refuted"),
        (0.3, 1.051, 1.2, "refuted"),
    ],
)
def test_the_verdict_is_the_one_written_down(p_value: float, low: float, high: float, verdict: str) -> None:
    assert preregistered.verdict(p_value, low, high) == verdict


def test_the_rule_stands_in_the_page_that_was_written_before(project) -> None:  # type: ignore[no-untyped-def]
    text = " ".join((project / "docs" / "preregistration.md").read_text(encoding="utf-8").split())
    assert f"below {preregistered.LIMIT:.0f}" in text
    assert "p is 0.05 or more, and the 90 % interval of the slope lies within 0.95 to 1.05" in text
    assert "p is below 0.01, or the 90 % interval of the slope lies wholly outside 0.95 to 1.05" in text


def test_engines_are_compared_by_the_ratio_of_their_coefficients() -> None:
    """ln(2) has a standard error of 0.1 x root 2 where both coefficients are known to 10 per cent."""
    own = pd.DataFrame(
        {"count": [LAW], "term": ["b"], "match_length": [None], "estimate": [200.0], "std_error": [20.0]}
    )
    other = own.assign(estimate=100.0, std_error=10.0)
    row = tables.engines(own, {"1.07.001": other}, "1.08").iloc[0]
    half = 1.6448536 * 0.1 * 2**0.5
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == pytest.approx(
        (2, 2 * np.exp(-half), 2 * np.exp(half))
    )
    assert row["differs"]


def test_without_matches_every_table_is_empty() -> None:
    assert all(table.empty for table in tables.tables({}, {}, "1.08").values())


def test_measured_ratings_are_those_of_the_chances(study: Played, fresh: Played) -> None:
    """Near the prediction a measured rating is the inverse of the FIBS formula."""
    found = preregistered.outcome(fresh, fit_inside([study], LAW), 0.9)[1]
    seen = fresh.observed(COUNTS[LAW])
    exact = dict(
        zip(zip(seen.match_length, seen.pairs, strict=True), rating_difference(seen.p, seen.match_length), strict=True)
    )
    near = found[(found["measured"] - found["predicted"]).abs() < 15]
    assert len(near) > 3
    for row in near.itertuples():
        assert row.measured == pytest.approx(exact[row.match_length, row.pair], abs=1.5)
