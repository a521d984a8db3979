"""The match files of ../shared/cases are read as its CASES.md says."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from bgrating.collection.readings import read_data
from corpus import cases

TEXTS = cases("cases.text")


def read(path: Path) -> dict[str, Any]:
    record, _ = read_data(path.read_bytes(), path.name)
    assert record.problem == ""
    (match,) = record.matches
    return asdict(match)


@pytest.mark.parametrize("name", cases("cases.base"))
def test_a_file_has_the_games_of_base(shared: Path, name: str) -> None:
    found, base = (read(shared / "cases" / one) for one in (name, "base.mat"))
    same = ("moves", "games", "rolls", "score", "winner", "complete", "whole", "key")
    assert {fact: found[fact] for fact in same} == {fact: base[fact] for fact in same}


@pytest.mark.parametrize("case", TEXTS, ids=[case["file"] for case in TEXTS])
def test_a_file_is_read_as_its_case_says(shared: Path, case: dict[str, Any]) -> None:
    found = read(shared / "cases" / case["file"])
    assert {
        fact: found[fact] for fact in case if fact in found and fact not in {"warnings", "problem"}
    } == {
        fact: value for fact, value in case.items() if fact not in {"file", "warnings", "problem"}
    }
    assert case.get("problem", "") in found["problem"]
    if "warnings" in case:
        assert len(found["warnings"]) == len(case["warnings"])
        assert all(
            words in text for words, text in zip(case["warnings"], found["warnings"], strict=True)
        )
