"""Each list of lists.toml and services.toml is read as its case says, or refused."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from bgleague.games import players_of
from bgleague.readers import read_games
from bgleague.run import rate_results
from bgleague.settings import GamesToRate, RatingsError
from corpus import cases
from short_match import match

TODAY = date(2026, 11, 26)
CASES = {
    case["about"]: case for name in ("lists", "services") for case in cases(f"lists/{name}.list")
}


def write_list(folder: Path, case: Mapping[str, Any]) -> Path:
    """Write the file of a case: a text, or a workbook whose sheets it gives."""
    if "text" in case:
        path = folder / case.get("file", "list.csv")
        path.write_text(case["text"], encoding="utf-8", newline="")
        return path
    book = openpyxl.Workbook()
    book.remove(book["Sheet"])
    for title, rows in case["sheets"].items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / "list.xlsx")
    return folder / "list.xlsx"


def read_text(folder: Path, text: str) -> GamesToRate:
    return read_games([write_list(folder, {"text": text})], TODAY)


def values_of(reading: GamesToRate) -> dict[str, Any]:
    """Return what a case may expect: values of games in order; 0 for an unknown length."""
    games = reading.games
    lengths = games.get("length", pd.Series(dtype=float))
    dates = games.get("date", pd.Series(dtype=str)).tolist()
    return {
        "games": games["count"].sum(),
        "players": players_of(games),
        "pairs": (games["first"] + ", " + games["second"]).tolist(),
        "scores": games["first_score"].tolist(),
        "counts": games["count"].tolist(),
        "rows": games["row"].tolist(),
        "dates": dates,
        "date": dates[0] if dates else "none",
        "length": lengths.fillna(0).tolist(),
        "lengths": "known" if len(lengths) and lengths.notna().all() else "unknown",
        "self_play": reading.self_play["count"].tolist(),
        "rated": reading.flagged["rated"].tolist(),
        "seats": reading.seats,
        "notes": list(reading.notes),
    }


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_list_is_read_as_its_case_says(tmp_path: Path, case: Mapping[str, Any]) -> None:
    """`flagged` has words of each flagged row's reason; `only_note` those of the one note."""
    path = write_list(tmp_path, case)
    if "refused" in case:
        with pytest.raises(RatingsError, match=case["refused"]) as problem:
            read_games([path], TODAY)
        assert "\n" not in str(problem.value)
        return
    reading = read_games([path], TODAY)
    values, notes = values_of(reading), "; ".join(reading.notes)
    expected = {name: value for name, value in case.items() if name in values}
    assert {name: values[name] for name in expected} == expected
    assert case.get("note", "") in notes
    assert case.get("only_note", "") in notes
    assert "only_note" not in case or len(reading.notes) == 1
    assert "lacks" not in case or case["lacks"] not in notes
    reasons = dict(zip(map(str, reading.flagged["row"]), reading.flagged["reason"], strict=True))
    reasons_expected = case.get("flagged", dict.fromkeys(reasons, case.get("every_reason", "")))
    assert reasons.keys() == reasons_expected.keys()
    assert [reason for row, reason in reasons.items() if reasons_expected[row] not in reason] == []
    assert reasons or "every_reason" not in case


@pytest.mark.parametrize(
    "name", ["BYE", "(Bye)", "Bye 2", "Freilos", "N/A", "TBD", "No opponent", "-", "???"]
)
@pytest.mark.parametrize(
    "row", ["Ann,{name},7,0,Ann", "{name},Ann,0,7,Ann", "Ann,{name},,,Ann", "Ann,{name},1,0,"]
)
def test_a_bye_is_not_rated(tmp_path: Path, name: str, row: str) -> None:
    reading = read_text(
        tmp_path,
        f"player1,player2,score1,score2,winner\nAnn,Bob,7,3,Ann\n{row.format(name=name)}\n",
    )
    assert reading.games[["first", "second"]].to_numpy().tolist() == [["Ann", "Bob"]]
    flagged = reading.flagged[["row", "reason", "rated"]].to_numpy().tolist()
    assert flagged == [[3, "a bye: not rated", False]]


def test_too_many_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RatingsError, match="250,001 rows; up to 250,000 are read: split it"):
        read_text(tmp_path, "winner,loser\n" + "a,b\n" * 250_000)


def test_a_file_that_is_no_text_and_one_that_is_absent_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(RatingsError, match="no such file"):
        read_games([path])
    path.write_bytes(b"first,second,first_score\n\x81a\x8d\x8f\x90\xff,b,1\n")
    with pytest.raises(
        RatingsError, match="no encoding known here fits its words; save it as CSV UTF-8"
    ):
        read_games([path])


def test_a_standing_of_few_dates_uses_none_and_leaves_no_match_out(tmp_path: Path) -> None:
    """A cross table has no dates."""
    group = [
        ("", "Ann", "Bob", "Cyd"),
        ("Ann", "", "7-4", "3-7"),
        ("Bob", "4-7", "", "7-2"),
        ("Cyd", "7-3", "2-7", ""),
    ]
    final = [("Date", "Player 1", "Player 2", "Score"), (date(2026, 5, 1), "Ann", "Cyd", "11-9")]
    league = rate_results(
        [write_list(tmp_path, {"sheets": {"Group": group, "Final": final}})], today=TODAY
    )
    assert "3 matches without a date: not used in ratings over time" in league.notes
    main, rows = league.standing
    assert (main, len(rows)) == ("history", 3)
    assert "75% of the games have no date: whole-history ratings use no date" in league.notes


def test_players_of_a_cross_table_stand_by_their_wins(tmp_path: Path) -> None:
    path = write_list(tmp_path, CASES["a cross table of two rounds"])
    wins = rate_results([path], today=TODAY).files["league.csv"].set_index("player")["wins"]
    assert wins.to_dict() == {"Ann": 4.0, "Bob": 3.0, "Cyd": 4.0, "Dan": 1.0}


def test_wins_of_a_cross_table_are_games_and_halves_are_draws(tmp_path: Path) -> None:
    """Ann won 2 of 3 against Bob; Bob and Cyd drew one and Cyd won one; Ann and Cyd drew."""
    games = read_text(tmp_path, ",Ann,Bob,Cyd\nAnn,,2,½\nBob,1,,0.5\nCyd,½,1.5,\n").games
    pairs = (games["first"] + games["second"]).groupby(games["first_score"]).apply(sorted)
    assert games["count"].tolist() == [2, 1, 1, 1, 1]
    assert pairs.to_dict() == {
        1.0: ["AnnBob"],
        0.5: ["AnnCyd", "BobCyd"],
        0.0: ["AnnBob", "BobCyd"],
    }


def test_match_files_are_rated_in_the_order_of_their_dates_and_once_beside_a_list(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "matches"
    folder.mkdir()
    for name, dice, month in (("a", "41", 5), ("b", "43", 2)):
        (folder / f"{name}.mat").write_text(match(dice=dice, month=month), encoding="ascii")
    assert read_games([folder], TODAY).games["date"].tolist() == ["2024-02-01", "2024-05-01"]
    (folder / "b.mat").unlink()
    results = write_list(
        tmp_path, {"text": "player1,player2,score,length\nBob,Ann,3-0,3\nAnn,Cyd,7-2,7\n"}
    )
    reading = read_games([results, folder], TODAY)
    assert len(reading.games) == 2
    assert "match files: 1 row of list.csv again" in "; ".join(reading.notes)
