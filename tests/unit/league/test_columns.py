"""Attacks on columns: what a list means is decided from whole columns, or refused in one sentence.

Each case is a list, and what it must give: first players' scores with dates, lengths or notes; or the refusal's words.
"""

from datetime import date
from pathlib import Path

import pytest

from bgrating.league.dates import read_dates
from bgrating.league.encodings import _is_greek
from bgrating.league.readers import read_games
from bgrating.league.settings import RatingsError

TODAY = date(2026, 11, 26)

DATES = [
    # dates of a column; the days that it means
    ("25-03-14 25-04-02 25-11-30", "2025-03-14 2025-04-02 2025-11-30"),
    ("25-03-14 25-04-02", "2025-03-14 2025-04-02"),
    ("24-12-31 25-01-02", "2024-12-31 2025-01-02"),
    ("99-12-31 00-01-02", "1999-12-31 2000-01-02"),
    ("25/03/14 25/03/28", "2025-03-14 2025-03-28"),
    ("14-03-25 02-04-25 30-11-25", "2025-03-14 2025-04-02 2025-11-30"),
    ("03-14-25 04-02-25", "2025-03-14 2025-04-02"),
    ("31.12.25 1.2.26", "2025-12-31 2026-02-01"),
    ("3.4.2026 4.4.2026", "2026-04-03 2026-04-04"),
    (" ".join(f"1/{day}/2026" for day in range(1, 13)), " ".join(f"2026-01-{day:02d}" for day in range(1, 13))),
    ("3/25/2026 1/2/2026", "2026-03-25 2026-01-02"),
    ("25/3/2026 1/2/2026", "2026-03-25 2026-02-01"),
    ("11/12/2026 1/5/2026", "2026-11-12 2026-01-05"),  # 11 December has not come yet
    ("2026/3/4 2026.3.5 2026-03-06", "2026-03-04 2026-03-05 2026-03-06"),
    ("2026-01-01T20:00:11.5+00:00 2026-01-02T20:00Z", "2026-01-01 2026-01-02"),
    ("20260314 20260402", "2026-03-14 2026-04-02"),
    ("250314 250402", "2025-03-14 2025-04-02"),
    ("14032026 31032026", "2026-03-14 2026-03-31"),
    ("1767297611 1767384011", "2026-01-01 2026-01-02"),
    ("1767297611000", "2026-01-01"),
    ("46030 46031.75", "2026-01-08 2026-01-09"),
    ("14-Mar-2026 3-Apr-26", "2026-03-14 2026-04-03"),
    ("14.März.2026 2.Mai.2026", "2026-03-14 2026-05-02"),
    ("0206-03-14 2026-01-02", "? 2026-01-02"),
    ("1582-10-15 2026-01-02", "? 2026-01-02"),
    ("0001-01-01 2026-01-02", "? 2026-01-02"),
    ("14.3.206 14.3.2026", "? 2026-03-14"),
    ("2026-02-30 2026-02-28", "? 2026-02-28"),
    ("2026-13-01 2026-12-01", "? 2026-12-01"),
    ("2026-3 2026-03-01", "? 2026-03-01"),
    ("9999-99-99 2026-03-01", "? 2026-03-01"),
    ("00.00.0000 01.03.2026", "? 2026-03-01"),
    ("29/02/2025 03/03/2025", "? 2025-03-03"),
    ("03/04/2026", "refused"),
    ("01-02-03", "refused"),
    ("1/3/2026 2/3/2026 3/3/2026", "refused"),
    ("12-03-25", "refused"),
    ("010203", "refused"),
]


@pytest.mark.parametrize(("written", "days"), DATES)
def test_the_order_of_dates_is_that_of_the_column(written: str, days: str) -> None:
    if days == "refused":
        with pytest.raises(RatingsError, match=r"fit two readings: .* may be .* or .*--dates"):
            read_dates(written.split(), TODAY)
        assert len(read_dates(written.split(), TODAY, order="dmy").days) == len(written.split())
        return
    assert [day or "?" for day in read_dates(written.split(), TODAY).days] == days.split()


def test_the_readings_of_a_date_are_named_in_the_order_of_the_choices() -> None:
    with pytest.raises(RatingsError, match=r"may be 2001-02-03 or 2003-02-01 or 2003-01-02; .* ymd, dmy, mdy$"):
        read_dates(["01-02-03"], TODAY)


@pytest.mark.parametrize("written", ["Sat 14 Mar 2026", "March 14, 2026", "14 de marzo de 2026", "Samstag, 14.03.2026"])
def test_dates_with_words(written: str) -> None:
    assert read_dates([written], TODAY).days == ["2026-03-14"]


@pytest.mark.parametrize("heading", ["Dato", "Datum", "fecha"])
def test_the_language_of_a_heading_tells_that_the_day_is_first(heading: str) -> None:
    assert read_dates(["03/04/2026"], TODAY, heading).days == ["2026-04-03"]


ROWS = "{date},player1,player2,score1,score2\n2026-03-14,ann,bob,7,3\n2026-03-15,bob,ann,7,5\n"
LISTS = [
    # a list, the games that it has, words of a note
    *((ROWS.format(date=heading), "1 1 2026-03-14", "") for heading in ("created_at", "timestamp", "Dato", "Kampdag")),
    ("time,day,winner,loser\n20:30,2026-03-14,a,b\n21:30,2026-03-14,b,a\n", "1 1 2026-03-14", ""),
    ("played,date,winner,loser\n3,2026-03-14,a,b\n4,2026-03-14,b,a\n", "1 1 2026-03-14", ""),
    ("winner,loser,points\na,b,1\nb,a,2\na,b,3\n", "1 1 1", "what each game was worth"),
    ("winner,loser,points\na,b,1\nb,a,1\n", "1 1", "what each game was worth"),
    ("winner,loser,points\na,b,2\nb,a,8\n", "1 1", "what each game was worth"),
    ("winner,loser,points\na,b,7\nb,a,5\n", "1 1 length", ""),
    ("winner,loser,punkte\na,b,11\nb,a,9\n", "1 1 length", ""),
    ("player1,player2,winner,points\na,b,a,4\na,b,b,1\n", "1 0", "what each game was worth"),
    ("player1,player2,score,points\na,b,7-3,7\nb,a,2-7,7\n", "1 0 length", ""),
    ("player1,player2,score,points\na,b,2-1,30\nb,a,1-2,20\na,b,2-0,30\n", "1 0 1", "no lengths of matches"),
    ("player1,player2,result\na,b,W\na,b,L\nb,a,w\n", "1 0 1", ""),
    ("player1,player2,result\na,b,S\na,b,N\n", "1 0", ""),
    ("player1,player2,result\na,b,win\na,b,draw\n", "1 0.5", ""),
    ("player1,player2,result\na,b,1\na,b,0\nb,a,½\n", "1 0 0.5", ""),
    ("player1,player2,score\na,b,7:3\na,b,3 - 7\na,b,7–5\na,b,5/7\n", "1 0 1 0 length", ""),
    ("first;second;first_score\na;b;0,5\nb;a;1,0\n", "0.5 1", ""),
    ("first,second,first_score\na,b,1.000\nb,a,0.000\n", "1 0", ""),
    ("first;second;first_score;count\na;b;1;1.000\n", "refused: may be 1 or 1000", ""),
    ('first,second,first_score,count\na,b,1,"2,000"\n', "refused: may be 2 or 2000", ""),
    ("Spieler 1;Spieler 2;Punkte 1;Punkte 2;Länge\na;b;7,0;3,0;7,0\n", "1 length", ""),
    ("player1,player2,score,length\na,b,1-0,1\na,b,0-1,0\n", "1 length", ""),  # no match is to 0 points
    ('player1,player2,score,remark\na,b,7-3,"good\nmatch"\nb,a,7-4,ok\n', "1 1 length", ""),
    ('"player\n1","player\n2",score\na,b,7-3\n', "1 length", ""),
    ('player1,player2,score,remark\na,b,7-3,"he said ""no"",\nthen left"\n', "1 length", ""),
    ('player1,player2,score\n"Lee, Ann",b,7-3\n', "1 length", ""),
    ('player1,player2,score,remark\r\na,b,7-3,"two\r\nlines"\r\nb,a,7-1,x\r\n', "1 1 length", ""),
    ('player1,player2,score\n"a,b,7-3\nb,a,7-4\n', "1 length", ""),  # the quotation mark spoils its own line
    ("date,winner,loser\n2026-03-14 00:00:00,a,b\n2026-03-14 00:00:00,a,b\n", "1 1 2026-03-14", "1 row repeated"),
    ("id,winner,loser\n1,a,b\n1,a,b\n2,a,b\n", "1 1", ""),
    (
        "date,time,winner,loser\n2026-03-14,20:30,a,b\n2026-03-14,20:30,a,b\n2026-03-14,21:00,a,b\n",
        "1 1 2026-03-14",
        "",
    ),
    ("round,winner,loser\n1,a,b\n1,a,b\n", "1 1", "1 row repeated"),
]


def outcome(path: Path) -> tuple[str, str]:
    """Return the scores of a list, then the first date, or `length` if lengths are known; and its notes."""
    try:
        reading = read_games(path, TODAY)
    except RatingsError as problem:
        return f"refused: {problem}", ""
    games = reading.games
    words = [f"{score:g}" for score in games["first_score"]]
    if "date" in games:
        words.append(games["date"].iloc[0])
    elif "length" in games and games["length"].notna().all():
        words.append("length")
    return " ".join(words), "; ".join(reading.notes)


@pytest.mark.parametrize(("text", "games", "note"), LISTS)
def test_a_column_means_what_all_its_cells_say(tmp_path: Path, text: str, games: str, note: str) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8", newline="")
    found, notes = outcome(tmp_path / "list.csv")
    if games.startswith("refused"):
        assert found.startswith("refused")
        assert games.removeprefix("refused: ") in found
    else:
        assert (found, note in notes) == (games, True), notes


ENCODED = [
    ("cp1252", "Jürgen Groß, Søren Holm, JOSÉ", "Windows-1252"),
    ("cp1250", "Łukasz Żak, Dvořák, Kovář", "Windows-1250"),
    ("cp1251", "Иван Петров, Анна, Ольга Смирнова", "Windows-1251"),
    ("koi8-r", "Иван Петров, Анна, Ольга Смирнова", "KOI8-R"),
    ("cp1253", "Γιάννης, Μαρία, Ελένη", "Windows-1253"),
    ("cp932", "山田太郎, さくら, ヤマダ", "Shift-JIS"),
    ("mac-roman", "Jürgen, José, Zoë", "MAC-ROMAN"),
    ("cp1252", "Øård, Bøås", "Windows-1252"),  # half of their letters are plain
    ("utf-16", "Иван, 山田, Zoë", ""),
    ("utf-8-sig", "Иван, 山田, Zoë", ""),
    ("utf-8", "Иван, 山田, Zoë", ""),
    ("cp1251", "ИВАН, АННА, ПЕТР", "refused"),  # in capitals it may be KOI8-R
    ("euc-kr", "김철수, 이영희, 박민수", "refused"),
]


@pytest.mark.parametrize(("encoding", "names", "note"), ENCODED)
def test_an_encoding_is_one_in_which_all_words_are_words(tmp_path: Path, encoding: str, names: str, note: str) -> None:
    rows = "".join(f"{name.strip()},Bob,7-3\n" for name in names.split(","))
    path = tmp_path / "list.csv"
    path.write_bytes(f"player1,player2,score\n{rows}".encode(encoding))
    if note == "refused":
        with pytest.raises(RatingsError, match=r"may be written in .* or .*; save it as CSV UTF-8"):
            read_games(path)
        return
    reading = read_games(path)
    assert reading.games["first"].tolist() == [name.strip() for name in names.split(",")]
    assert note in "; ".join(reading.notes)
    assert bool(note) is bool(reading.notes)


@pytest.mark.parametrize(("word", "is_greek"), [("Μαρίας", True), ("Μαρίςα", False), ("Μςαρία", False), ("ς", False)])
def test_a_last_letter_of_greek_words_stands_last(word: str, is_greek: bool) -> None:
    assert _is_greek(word) is is_greek
