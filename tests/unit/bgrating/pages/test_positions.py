"""Cube decisions in the words of players, and decisions as data of a page."""

import json

import pytest

from bgmatch.position import read_xgid, theme
from bgrating.pages.positions import for_boards, unchecked, verdict, with_depth
from corpus import cases, values

CASES = values("verdicts")
ROW = values("decision") | {
    "kind": "double",
    "side": "right",
    "played": "double",
    "no_double": 0.5,
    "double_take": 0.6,
}


def figure(written: float | str) -> float | None:
    return None if isinstance(written, str) else written


@pytest.mark.parametrize(
    ("kind", "played", "no_double", "double_take", "loss", "words"), CASES["verdicts"]
)
def test_a_cube_decision_in_words(
    kind: str,
    played: str,
    no_double: float | str,
    double_take: float | str,
    loss: float,
    words: str,
) -> None:
    row = {"kind": kind, "played": played, "loss_emg": loss}
    row |= {"no_double": figure(no_double), "double_take": figure(double_take)}
    assert verdict(ROW | row) == words


@pytest.mark.parametrize(
    ("position", "kind", "no_double", "double_take", "loss", "plies", "words"), CASES["unchecked"]
)
def test_a_decision_that_a_shallow_analysis_may_misjudge_is_marked(
    position: str,
    kind: str,
    no_double: float | str,
    double_take: float | str,
    loss: float,
    plies: int,
    words: str,
) -> None:
    xgid = CASES["positions"][position]
    figures = {"no_double": figure(no_double), "double_take": figure(double_take), "loss_emg": loss}
    assert (
        unchecked(
            ROW | {"xgid": xgid, "kind": kind, "theme": theme(read_xgid(xgid))} | figures, plies
        )
        == words
    )


@pytest.mark.parametrize(
    ("loss", "first", "checked_by", "plies", "by", "others"), cases("values.verdicts")
)
def test_a_verdict_names_its_depth_and_the_judge_that_differs(
    loss: float, first: float, checked_by: str, plies: int, by: str, others: str
) -> None:
    row = ROW | {
        "kind": "play",
        "loss_emg": loss,
        "first_loss_emg": first,
        "checked_by": checked_by,
        "confirmed_by": "",
    }
    shown = with_depth(row, plies)
    assert (shown["by"], shown["others"]) == (by, others)
    assert with_depth(row | {"unforced": False}, plies)["by"] == ""
    assert for_boards([ROW, shown])["others"] == ({1: others} if others else {})


@pytest.mark.parametrize(("loss", "first", "xg", "words"), cases("values.xg_beside"))
def test_the_verdict_of_xg_stands_beside_ours_and_a_difference_is_marked(
    loss: float, first: float, xg: float, words: str
) -> None:
    judges = {
        "loss_emg": loss,
        "first_loss_emg": first,
        "checked_by": "2-ply",
        "xg_loss_emg": xg,
        "xg_by": "XG 4-ply",
    }
    shown = with_depth(ROW | judges, 0)
    assert (shown["others"], shown["disputed"]) == (words, "unlike" in words)


def test_decisions_are_columns_that_json_holds() -> None:
    columns = for_boards([ROW, ROW | {"loss_emg": 0.1234, "loss_mwc": 0.02345}])
    json.dumps(columns, allow_nan=False)
    coded, others = columns.pop("coded"), columns.pop("others")
    assert others == {}
    assert {len(column) for column in columns.values()} == {2}
    assert {
        name: [column["of"][ord(letter) - 48] for letter in column["at"]]
        for name, column in coded.items()
    } == {
        "game": [1, 1],
        "kind": ["double"] * 2,
        "theme": ["contact"] * 2,
        "side": [1, 1],
        "state": ["0:0:1::0:0:0:7:10"] * 2,
        "verdict": [verdict(ROW), verdict(ROW | {"loss_emg": 0.1})],
        "by": [""] * 2,
    }
    assert columns["place"] == ["-b----E-C---eE---c-e----B-00"] * 2
    assert columns["gnubg"] == ["", "4HPwATDgc/ABMA:MIFlAQAAAAAA"]  # only errors have names to copy
    assert (columns["loss"], columns["lossMwc"], columns["luck"]) == (
        [0.0, 0.123],
        [0, 234],
        [None, None],
    )


def test_a_play_among_the_candidates_is_its_place() -> None:
    play = ROW | {"kind": "play", "candidates": "8/5 6/5 0.1600;24/20 0.0100"}
    columns = for_boards(
        [play | {"played": played} for played in ("8/5 6/5", "24/20", "24/2", "no play")]
    )
    assert columns["played"] == [0, 1, "24/2", "no play"]


def test_hundreds_of_states_have_a_letter_each() -> None:
    rows = [
        ROW | {"xgid": f"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:{score}:0:0:0:10"}
        for score in range(700)
    ]
    state = for_boards(rows)["coded"]["state"]
    assert [state["of"][ord(letter) - 48] for letter in state["at"]] == [
        f"0:0:1::{n}:0:0:0:10" for n in range(700)
    ]


def test_chances_are_two_letters_a_figure() -> None:
    (packed,) = for_boards([ROW | {"chances": "552 170 12 0 1000"}])["chances"]
    assert [int(packed[place : place + 2], 36) for place in range(0, 10, 2)] == [
        552,
        170,
        12,
        0,
        1000,
    ]
