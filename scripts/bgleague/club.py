"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

What a column means is decided from all its cells. Byes, forfeits and contradictory rows are flagged and not rated.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import count
from typing import Any

import pandas as pd

from bgleague.dates import plain, read_dates
from bgleague.games import GAMES, KNOWN, TELLING, Row, Table, length_of, name_of, safe_line
from bgmatch.days import ZEROS, impossible
from bgmatch.records import Json, Record
from bgrating.pages.words import counted
from bgrating.suggestion import without_marks

_NAMES = {
    "date": (
        "date day played when datetime matchdate playedon playedat datum spieldatum spieltag fecha dato kampdato data "
        "jour dag createdat created timestamp startedat endedat finishedat time tarih paiva дата ημερομηνια 日付 日期"
    ),
    "player1": (
        "homeplayer player1 playera p1 name1 player white home nameone challenger spieler1 spielera spieler heim "
        "joueur1 spiller1 hjemme jugador1 giocatore1 jogador1 speler1 spelare1 pelaaja1 zawodnik1 gracz1 hrac1 "
        "jatekos1 oyuncu1 игрок1 παικτης1 選手1"
    ),
    "player2": (
        "awayplayer player2 playerb p2 name2 opponent black away nametwo challenged defender spieler2 spielerb gegner "
        "gast joueur2 spiller2 ude jugador2 giocatore2 jogador2 speler2 spelare2 pelaaja2 zawodnik2 gracz2 hrac2 "
        "jatekos2 oyuncu2 игрок2 παικτης2 選手2"
    ),
    "score1": (
        "score1 scorea s1 resa res1 points1 pts1 result1 player1score homescore punkte1 pkt1 ergebnis1 "
        "puntos1 punti1 pontos1 punten1 pisteet1 punkty1 puan1 очки1 得点1"
    ),
    "score2": (
        "score2 scoreb s2 resb res2 points2 pts2 result2 player2score awayscore punkte2 pkt2 ergebnis2 "
        "puntos2 punti2 pontos2 punten2 pisteet2 punkty2 puan2 очки2 得点2"
    ),
    "score": (
        "score result ergebnis resultat spielstand resultado risultato punteggio uitslag tulos wynik vysledek eredmeny "
        "skor sonuc счет результат σκορ スコア 結果"
    ),
    "outcome": "result outcome winloss wl wonlost ergebnis resultat resultado",
    "winner": (
        "winner won wonby sieger gewinner gagnant vinder ganador vincitore vencedor winnaar vinnare vinner voittaja "
        "zwyciezca vitez gyoztes kazanan победитель νικητης 勝者"
    ),
    "loser": (
        "loser lost verlierer perdant taber perdedor perdente verliezer forlorare taper haviaja przegrany porazeny "
        "vesztes kaybeden проигравшии ηττημενος 敗者"
    ),
    "length": "length matchlength len points to n pointmatch matchto target lange matchlange distanz bis punkte pts",
    "id": "id matchid gameid number nr no nummer matchno matchnumber gameno gamenumber",
    "clock": "time clock uhrzeit starttime heure hora tid klokken ora",
    "remark": "remark remarks comment comments note notes bemerkung bemerkungen kommentar anmerkung",
}
"""Headings, as `plain` writes them, by the meaning of the column; an outcome is a word beside a score."""
_COUNTED = {"name", "player", "spieler", "member", "team", "played", "games", "rank"}
"""Headings of a season's table, which counts won and lost matches."""
ENGLISH = {"w": 1.0, "win": 1.0, "won": 1.0, "l": 0.0, "loss": 0.0, "lost": 0.0, "lose": 0.0, "d": 0.5, "draw": 0.5}
_LETTERS = (
    ENGLISH,
    {"s": 1.0, "sieg": 1.0, "n": 0.0, "niederlage": 0.0, "u": 0.5, "remis": 0.5},
    {"v": 1.0, "vundet": 1.0, "victoire": 1.0, "t": 0.0, "tabt": 0.0, "d": 0.0, "defaite": 0.0},
    {"1": 1.0, "0": 0.0, "0.5": 0.5, "0,5": 0.5, "½": 0.5},
)
"""The first player's score by the word or letter of a result; a mapping for each language."""
_LONGEST, _SHORTEST = 99, 3
SHOWN = 40  # letters of a cell that a reason quotes
_DATED = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b.*")
_CLOCK = re.compile(r"(?:\d[T ,]\s*|^)(?!0?0[:h]00)(\d{1,2}[:h]\d{2}.*)")  # 00:00 stands for a date without a time
_LENGTH = re.compile(r"(?:to\s+)?(\d{1,9})(?:[.,]0+)?(?:[\s-]*(?:p|pt|pts|points?|pkt|punkte?)\.?)?")
_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_BETWEEN = re.compile(r"\s*[-:–—−‐‑/]\s*|\s+(?:to|à|a|zu)\s+|\s+")
BYE = re.compile(
    r"\W*(bye|freilos|spielfrei|exempt|descanso|riposo|oversidder|no opponent|n/a|tb[ad])\W*\d*\W*|[-–—?.*_/]+",
    re.IGNORECASE,
)
FORFEIT = re.compile(
    r"forfeit|forfait|walk[\s-]?over|kampflos|no[\s-]?show|nicht angetreten|\bdefault|\bw[\s./]*o\b|\bff\b|^\s*\+",
    re.IGNORECASE,
)
_MADE_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-.]\s?[A-Za-zä]{3,4}\.?")
_NO_SCORE = {"", "-", "–", "—", "?", ":", "-:-"}
_SCORES = ("score1", "score2", "score")

Match = Json
"""The cells of a row by meaning, its `points` (None without a score), and its `day` (None if it is no date)."""


def columns_of(head: Sequence[str]) -> dict[str, int]:
    """Return the places of a list's columns by meaning (the keys of _NAMES); empty for a table that is no such list.

    Case, accents, spaces and punctuation of names do not matter. If two columns have the same name, the first is the
    first player's. A list needs two players and a score or a winner.
    """
    heading = [plain(name) for name in head]
    # The first of two equal names gets a 1, the second a 2.
    twice = {name: count(1) for name, number in Counter(heading).items() if name and number == 2}
    heading = [f"{name}{next(twice[name])}" if name in twice else name for name in heading]
    columns: dict[str, int] = {}
    for meaning, names in _NAMES.items():
        places = [heading.index(name) for name in names.split() if name in heading]
        if places and places[0] not in columns.values():
            columns[meaning] = places[0]
    found = set(columns)
    is_season = {"won", "lost"} <= set(heading) and "player2" not in columns and _COUNTED & set(heading)
    is_scored = {"player1", "player2"} <= found and ({"score1", "score2"} <= found or {"score", "winner"} & found)
    return columns if not is_season and (is_scored or {"winner", "loser"} <= found) else {}


def games(heading: Sequence[str], rows: Sequence[Row], today: date, order: str, table: Table) -> pd.DataFrame:
    """Return the games of a list of results; add its flagged rows and its notes to `table`.

    Columns: those of games, `date` (YYYY-MM-DD), `length`, `score` ("7-4", the first player's points first) and `id`
    (an id or a time of day, by which equal rows differ).
    """
    cells = [[field.strip() for field in fields] for _, fields in rows]
    columns = columns_of(heading)
    place = _date_column(columns, heading, cells)
    columns = {name: at for name, at in columns.items() if name != "date" and at != place}
    days: Sequence[str | None] = [""] * len(rows)
    notes: list[str] = []
    if place is not None:
        columns["date"] = place
        days, notes = read_dates([row[place] for row in cells], today, heading[place], order)
    nameless = [at for at, name in enumerate(heading) if not name.strip()]
    matches = [_match(row, columns, nameless, day) for row, day in zip(cells, days, strict=True)]
    has_scores = any(match.get(name, "") not in _NO_SCORE for match in matches for name in _SCORES)
    if reason := _no_lengths(matches, has_scores):
        notes.append(f"the column of points was taken for {reason}")
        matches = [match | {"length": ""} for match in matches]
    letters = _letters(matches)
    used = [at for name, at in columns.items() if letters or name != "outcome"]
    if unused := [name for at, name in enumerate(heading) if at not in used and name.strip()]:
        notes.append(f"columns that are not used: {safe_line([', '.join(unused)])}")
    if _turn_scores(matches, letters):
        notes.append("scores were read with the winner's points first, also where the second player won")
    results = [_result(match, letters, today, has_scores) for match in matches]
    texts = ["\t".join(" ".join(field.split()) for field in row).casefold() for row in cells]
    ids = _ids(matches, {at: texts[at] for at, result in enumerate(results) if not isinstance(result, str)})
    has_dates = any(match["day"] != "" for match in matches)
    seen: dict[str, int] = {}
    rated = []
    for (number, fields), match, result, text, match_id in zip(rows, matches, results, texts, ids, strict=True):
        if isinstance(result, str):
            table.flag(number, result, fields)
            continue
        if text in seen and match_id:
            table.flag(number, f"the same as row {seen[text]}: counted once", fields)
            continue
        seen.setdefault(text, number)
        score, length = result
        if score == 0.5:
            table.flag(number, "a tie: half a win for each", fields, rated=True)
        elif has_dates and not _known(match["day"]):
            why = impossible(match["day"]) or "no date"
            table.flag(number, f"{why}: not used in ratings over time", fields, rated=True)
        points = "-".join(map(str, match["points"] or ()))
        players = [match[name] for name in _players(match)]
        rated.append((*players, score, 1.0, number, _known(match["day"]), length, points, match_id))
    if repeated := len(rated) - len(seen):
        why = "all count, since no id and no time of day tells that they are one match"
        notes.append(f"{counted(repeated, 'rows')} repeated: {why}")
    if _is_from_both_sides(rated):
        notes.append("every result stands here from both sides: all count; if a match stands here twice, leave one out")
    table.notes += notes
    return pd.DataFrame(rated, columns=[*GAMES, *KNOWN, *TELLING])


def _match(row: Sequence[str], columns: Mapping[str, int], nameless: Sequence[int], day: str | None) -> Match:
    """Return a match; columns without a name, at the places `nameless`, are part of the remark."""
    match = {name: row[at] for name, at in columns.items()}
    match["remark"] = " ".join([match.get("remark", ""), *(row[at] for at in nameless)])
    return match | {"points": _points(match), "day": day}


def _known(day: str) -> str:
    return "" if day in ZEROS else day


def _is_from_both_sides(rows: Sequence[Sequence[Any]]) -> bool:
    """Tell whether each result has another one of the same day, as the other player gives it."""
    given, turned = Counter[tuple[Any, ...]](), Counter[tuple[Any, ...]]()
    for first, second, score, _, _, day, _, points, _ in rows:
        given[first, second, score, day, points] += 1
        turned[second, first, 1 - score, day, "-".join(points.split("-")[::-1])] += 1
    return given == turned and len(rows) > 2


def _date_column(columns: Mapping[str, int], heading: Sequence[str], cells: Sequence[Sequence[str]]) -> int | None:
    """Return the place of the column of dates.

    It is the first column with a heading for dates in which half the cells look like dates. Otherwise it is a column
    that has full dates only.
    """
    others = [at for name, at in columns.items() if name not in {"date", "clock"}]
    filled = {at: {row[at] for row in cells} - {""} for at in range(len(heading)) if at not in others}
    named = [at for name in _NAMES["date"].split() for at in filled if plain(heading[at]) == name]
    likely = [at for at in named if 2 * sum(map(_is_like_a_date, filled[at])) >= len(filled[at])]
    full = [at for at, values in filled.items() if values and all(map(_DATED.fullmatch, values))]
    return next(iter([*likely, *full, *named]), None)


def _is_like_a_date(value: str) -> bool:
    return len(re.findall(r"\d", value)) >= 3 and not re.fullmatch(r"\d{1,2}[:.]\d\d([:.]\d\d)?|\d{3,4}", value)


def _no_lengths(matches: Sequence[Match], has_scores: bool) -> str:
    """Return what a column of lengths counts instead of lengths, or nothing if it has lengths.

    Match lengths are odd. Beside winners without a score, a column with even numbers, or with none above 3, counts the
    points of a game. Beside scores, the numbers are no lengths if most winners have fewer points.
    """
    numbers = [_length(match.get("length", "")) or 0 for match in matches]
    if has_scores:
        pairs = zip(matches, numbers, strict=True)
        is_less = [max(match["points"]) < number for match, number in pairs if match["points"] and number]
        is_other = len(is_less) > 2 and 2 * sum(is_less) > len(is_less)
        return "no lengths of matches: most winners have fewer points" if is_other else ""
    is_worth = max(numbers, default=0) <= _SHORTEST or any(number % 2 == 0 for number in numbers if number)
    if any(numbers) and "winner" in matches[0] and is_worth:
        return "what each game was worth, not lengths of matches: every game counts as one"
    return ""


def _letters(matches: Iterable[Match]) -> Mapping[str, float]:
    """Return the scores of the words of a column of results; nothing if the words are of no one language."""
    words = {_word(match) for match in matches if "outcome" in match or not match["points"]} - _NO_SCORE
    words = {word for word in words if not FORFEIT.search(word)}
    return next((letters for letters in _LETTERS if words and words <= set(letters)), {})


def _word(match: Record) -> str:
    return without_marks(str(match.get("outcome", match.get("score", ""))).replace("½", "0.5").strip().lower())


def _turn_scores(matches: Iterable[Match], letters: Mapping[str, float]) -> bool:
    """Put the first player's points first if all scores begin with the winner's; tell whether they do.

    A single match that the second player won is not enough: its score may be a slip.
    """
    scored = [match for match in matches if match["points"]]
    lost = [match for match in scored if _stated(match, letters) == 0]
    if len(lost) < 2 or any(match["points"][0] < match["points"][1] for match in scored):
        return False
    for match in lost:
        match["points"] = match["points"][::-1]
    return True


def _ids(matches: Sequence[Match], rated: Mapping[int, str]) -> list[str]:
    """Return the id and the time of day of each match, from any column; no ids if two different rows share one.

    `rated` has the texts of the rated rows by their places.
    """
    ids = [match.get("id", "") for match in matches]
    texts = {(ids[place], text) for place, text in rated.items() if ids[place]}
    if len({match_id for match_id, _ in texts}) < len(texts):
        ids = [""] * len(matches)
    clocks = [_CLOCK.search(match.get("clock", "")) or _CLOCK.search(match.get("date", "")) for match in matches]
    return [f"{match_id} {clock[1] if clock else ''}".strip() for match_id, clock in zip(ids, clocks, strict=True)]


def _players(columns: Record) -> tuple[str, str]:
    return ("player1", "player2") if "player1" in columns and "player2" in columns else ("winner", "loser")


def _result(  # noqa: PLR0911 - each return is a reason
    row: Record, letters: Mapping[str, float], today: date, has_scores: bool
) -> tuple[float, float] | str:
    """Return the first player's score and the match length (nan if unknown), or why the row is not rated."""
    players = _players(row)
    letter, winner = letters.get(_word(row)), _stated(row, letters)
    length = _length(row.get("length", ""))
    scores = [row[name] for name in _SCORES if name in row]
    if any(BYE.fullmatch(name_of(row[name])) for name in players):
        return "a bye: not rated"
    if any(FORFEIT.search(text) for text in (*scores, row["remark"], row.get("winner", ""), _word(row))):
        return "a forfeit: not rated"
    if length is None:
        return f"the length is not a whole number of 1 to {_LONGEST} points"
    if winner is not None and math.isnan(winner):
        return "the winner is neither of the players"
    if letter is not None and letter != winner:
        return "the result contradicts the winner"
    if not row["points"] and letter is None and (problem := _unreadable(scores, winner, has_scores)):
        return problem
    if row["day"] is None:
        return f"not a date: {safe_line([row['date']], SHOWN)} (write 2026-03-14)"
    if row["day"] not in ZEROS and impossible(row["day"], today):
        return impossible(row["day"], today)
    if row["points"]:
        first_points, second_points = row["points"]
        return _scored(first_points, second_points, length, winner)
    return (math.nan if winner is None else winner), length or math.nan


def _stated(row: Record, letters: Mapping[str, float]) -> float | None:
    """Return the first player's score by the name or number of the winner, or by a word; NaN for another name."""
    if "loser" in _players(row):
        return 1.0
    named, first, second = (name_of(row.get(name, "")) for name in ("winner", "player1", "player2"))
    if not named:
        return letters.get(_word(row))
    if first.casefold() != second.casefold():
        named, first, second = (name.casefold() for name in (named, first, second))
    return {second: 0.0, "2": 0.0, first: 1.0, "1": 1.0}.get(named, math.nan)


def _unreadable(scores: Iterable[str], winner: float | None, has_scores: bool) -> str:
    if any(map(_MADE_DATE.fullmatch, scores)):
        return "a spreadsheet made a date of the score: write it as 7:4"
    written = [score for score in scores if score not in _NO_SCORE]
    if winner is None and written:
        return f"not a score: {safe_line(written, SHOWN)} (write 7-4)"
    if winner is None:
        return "no result"
    return "no score, while other rows have one: not rated" if has_scores else ""


def _scored(first: int, second: int, length: int, winner: float | None) -> tuple[float, float] | str:
    score = 0.5 if first == second else float(first > second)
    if winner not in (None, score):
        return "the score contradicts the winner"
    if not length:
        return score, length_of(first, second)
    if first == second:
        return "a tie: a match has a winner"
    if max(first, second) < length:
        return f"neither player has the {length} points of the match"
    return (score, length) if min(first, second) < length else f"both players have the {length} points of the match"


def _points(row: Mapping[str, str]) -> tuple[int, int] | None:
    """Return both players' points of a row, or None without a readable score."""
    parts = [row["score1"], row["score2"]] if "score1" in row and "score2" in row else []
    if all(part in _NO_SCORE for part in parts):
        parts = _BETWEEN.split(row.get("score", "").strip())
    if len(parts) != 2:
        return None
    first, second = map(_POINTS.fullmatch, parts)
    return (int(first[1]), int(second[1])) if first and second else None


def _length(value: str) -> int | None:
    """Return a match length; 0 for an empty cell, None if the cell is no match length."""
    if not value:
        return 0
    match = _LENGTH.fullmatch(value.lower())
    return int(match[1]) if match and 0 < int(match[1]) <= _LONGEST else None
