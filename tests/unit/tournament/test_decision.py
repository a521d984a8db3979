"""The sequential test: its arithmetic by hand, its error rates in simulated tournaments, and no match too many."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.locate import Engine
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.matches import SCHEMA
from bgrating.rating.fibs import win_probability
from bgrating.settings import SettingsError
from bgrating.tables.provenance import provenance_path, write_provenance
from bgrating.tournament.decision import NOT_STRONGER, STRONGER, UNDECIDED, Question, answers, estimates, looks_of
from bgrating.tournament.duel import decide, duel, sides, summary
from study.decision_errors import error_rates


def drawn(points: float, number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw results to 3 points of a first player so much stronger; net luck explains most of each."""
    random = np.random.default_rng(seed)
    won = (random.random(number) < float(win_probability(-points, 3))).astype(float)
    return won, 0.8 * (won - won.mean()) + random.normal(0, 0.15, number)


def test_a_look_by_hand() -> None:
    won, luck = drawn(0.0, 400, 1)
    question = Question(3, min_gain=20.0, alpha=0.05, beta=0.1)
    chance, error = estimates(won[None, :], luck[None, :], np.array([400]))
    slope = np.cov(won, luck)[0, 1] / np.var(luck, ddof=1)
    left = won - slope * luck
    assert chance[0, 0] == pytest.approx(left.mean())
    assert error[0, 0] == pytest.approx(left.std(ddof=2) / 20, rel=1e-9)
    high = 1 / (1 + 10 ** (-20 * math.sqrt(3) / 2000))
    by_densities = ((left.mean() - 0.5) ** 2 - (left.mean() - high) ** 2) / (2 * error[0, 0] ** 2)
    assert question.ratio(chance, error)[0, 0] == pytest.approx(by_densities)
    assert question.bounds() == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))


def test_results_that_are_all_alike_are_taken_less_their_luck() -> None:
    luck = np.random.default_rng(2).normal(0.2, 0.1, 200)
    chance, error = estimates(np.ones((1, 200)), luck[None, :], np.array([200]))
    assert chance[0, 0] == pytest.approx(1 - luck.mean())
    assert error[0, 0] > 0


def test_the_test_stops_at_the_first_look_that_decides() -> None:
    for points, decision in ((120.0, STRONGER), (-120.0, NOT_STRONGER)):
        won, luck = drawn(points, 5000, 3)
        table = answers(Question(3), won, luck)
        assert table["decision"].iloc[-1] == decision
        assert (table["decision"].iloc[:-1] == UNDECIDED).all()
        assert table["matches"].iloc[-1] < 5000
        assert ((table["ci_low"] < table["difference"]) & (table["difference"] < table["ci_high"])).all()
    assert looks_of(Question(3, step=30), 200).tolist() == [120, 150, 180]


def test_error_rates_in_simulated_tournaments() -> None:
    """Three standard errors of 500 tests above the rates that were asked for; both hypotheses, and far from them."""
    random = np.random.default_rng(5)
    won = (random.random(3000) < 0.5).astype(float)
    net = 0.8 * (won - 0.5) + random.normal(0, 0.15, 3000)
    matches = pd.DataFrame({"actual_result": won - 0.5, "player_luck_mwc": net / 2, "opponent_luck_mwc": -net / 2})
    matches["luck_adjusted_result"] = matches["actual_result"] - net
    question = Question(3, min_gain=40.0, alpha=0.05, beta=0.1, step=50, max_matches=4000)
    table = error_rates(matches, (0.0, 1.0, 2.0), question, 500, 1).set_index("truth")
    assert table.loc[0.0, f"{STRONGER}_low"] < table.loc[0.0, STRONGER] < table.loc[0.0, f"{STRONGER}_high"]
    assert table["elo1"].tolist() == pytest.approx([40 * math.sqrt(3) / 5] * 3)
    assert table.loc[0.0, STRONGER] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    assert table.loc[40.0, NOT_STRONGER] <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / 500)
    assert table.loc[80.0, STRONGER] > 0.98
    assert (table["mean_matches"] < table["fixed_matches"]).all()
    assert (table["fixed_matches"] < table["fixed_without_luck"]).all()


def pretend_play(strength: float, played: list[Path]):  # type: ignore[no-untyped-def]
    """Return what leaves a shard's table as analysis does, with results of levels so far apart."""

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        sign = 1.0 if cell.player == "expert" else -1.0
        won, luck = drawn(sign * strength, shard.matches, shard.number + (1000 if sign > 0 else 0))
        rows = []
        for number in range(shard.matches):
            for side, one in (("left", 1.0), ("right", -1.0)):
                row = dict.fromkeys((name.split("_", 1)[1] for name in SCHEMA.names if name.startswith("player_")), 0)
                row |= {"match": number, "side": side, "games": 1, "rolls": 1, "luck_adjusted_result": 0.0}
                row |= {"actual_result": one * (won[number] - 0.5), "luck_mwc": one * luck[number] / 2}
                rows.append(row)
        table.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_csv(table, index=False)
        write_provenance(table, rows=len(rows))
        played.append(table)

    return play


def test_no_more_is_played_than_the_answer_needs_whatever_the_cores(engine: Engine, tmp_path: Path) -> None:
    tables = []
    for cores in (1, 6):
        played: list[Path] = []
        place = tmp_path / str(cores)
        planned = duel({"levels": "expert,advanced", "results": str(place), "nets": "", "most": 3000}, place, engine)
        table = decide(planned, pretend_play(80.0, played), cores, lambda _: None)
        assert table["decision"].iloc[-1] == STRONGER
        assert 50 * len(played) <= table["matches"].iloc[-1] + 100 * (cores // 2)
        tables.append(table)
        again: list[Path] = []
        assert decide(planned, pretend_play(80.0, again), cores, lambda _: None).equals(table)
        assert again == []
        assert "expert is stronger than advanced" in summary(planned, table, sides(planned, table), "here")
    assert tables[0].equals(tables[1])
    facts = json.loads(provenance_path(played[0]).read_text())
    assert facts["rows"] == 100


def test_a_duel_of_three_levels_and_one_without_matches_are_refused(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="name two levels"):
        duel({"levels": "expert,advanced,beginner", "results": str(tmp_path), "nets": ""}, tmp_path, engine)
    with pytest.raises(SettingsError, match="--most 60: the first look is after 100 matches"):
        duel({"levels": "expert,advanced", "results": str(tmp_path), "nets": "", "most": 60}, tmp_path, engine)
