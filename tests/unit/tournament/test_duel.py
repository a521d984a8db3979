"""A duel beside its test: what it prints, and that the first failure ends the shards that others still play."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from bgrating.tournament import duel
from bgrating.tournament.decision import UNDECIDED


def test_an_interval_without_an_end_and_small_error_rates_are_written_in_words(tmp_path: Path) -> None:
    asked = {"levels": "expert,beginner", "match_length": 1, "alpha": 1e-6, "results": "", "nets": "1.08"}
    found = duel.duel(asked, tmp_path)
    row = {
        "matches": 100, "difference": 1599.9, "ci_low": 189.6, "ci_high": float("nan"),
        "log_likelihood_ratio": 6.36, "lower": -13.8, "upper": 13.8, "decision": UNDECIDED,
    }  # fmt: skip
    assert "expert is +1599.9 [+189.6, no bound] points the stronger" in duel.line(found, row)
    assert "wrongly in 0.0001 % of cases" in duel.summary(found, pd.DataFrame([row]), "x.csv")


def test_the_first_failure_ends_the_engines_of_the_other_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(duel, "end_engines", ended.set)

    def fail() -> None:
        raise OSError(28, "No space left on device")

    def play() -> None:
        assert ended.wait(30)

    with ThreadPoolExecutor(2) as pool:
        shards: list[Future[None]] = [pool.submit(play), pool.submit(fail), pool.submit(play), pool.submit(play)]
        with pytest.raises(OSError, match="No space left"):
            duel._finish(shards)
        assert shards[0].done()
        assert shards[3].cancelled()
