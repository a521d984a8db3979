"""Cube decisions in the words of players, and decisions as data of a page."""

import json

import pytest

from bgmatch.position import read_xgid, theme
from bgrating.pages.positions import for_boards, verdict, with_depth
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


@pytest.mark.parametrize(("position", "kind", "loss", "plies", "depth"), CASES["depths"])
def test_what_a_second_look_would_judge_is_not_checked(
    position: str, kind: str, loss: float, plies: int, depth: str
) -> None:
    xgid = CASES["positions"][position]
    row = ROW | {"xgid": xgid, "kind": kind, "theme": theme(read_xgid(xgid)), "loss_emg": loss}
    assert with_depth(row | {"first_loss_emg": loss}, plies)["by"] == depth


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
    assert for_boards([ROW | {"by": "", "others": ""}, shown])["others"] == ["", others]


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
    assert shown["others"] == words


def test_decisions_are_columns_that_json_holds() -> None:
    first = ROW | {"by": "", "others": "", "chances": "552 170 12 0 1000"}
    second = first | {"loss_emg": 0.1234, "loss_mwc": 0.02345}
    columns = for_boards([first, second])
    json.dumps(columns, allow_nan=False)
    assert {len(column) for column in columns.values()} == {2}
    assert columns["xgid"] == [ROW["xgid"]] * 2
    assert columns["verdict"] == [verdict(first), verdict(second)]
    assert columns["chances"] == ["552 170 12 0 1000"] * 2
    assert (columns["loss"], columns["lossMwc"], columns["luck"]) == (
        [0.0, 0.123],
        [0.0, 0.0234],
        [None, None],
    )
