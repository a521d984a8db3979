"""A club's list as Excel saves it: the right standing without an edit."""

from datetime import date, datetime
from pathlib import Path

import openpyxl

from bgrating.league.page import page
from bgrating.league.run import rate_results
from bgrating.league.standing import standing

TODAY = date(2026, 11, 22)
MATCHES = [
    ("02.02.2026", "Jürgen Groß", "Zoë Çelik", 7, 4, 7, ""),
    ("02.02.2026", "Bob Müller", "Freilos", 7, 0, 7, ""),
    ("16.02.2026", "Zoë Çelik", "Bob Müller", 7, 5, 7, ""),
    ("16.02.2026", "Jürgen Groß", "Freilos", 7, 0, 7, ""),
    ("02.03.2026", "Bob Müller", "Jürgen Groß", 3, 9, 9, "Halbfinale"),
    ("13.04.2026", "Zoë Çelik", "Jürgen Groß", 0, 7, 7, "kampflos"),
    ("27.04.2026", "Jürgen Groß", "Bob Müller", 11, 2, 11, "Finale"),
]
HEAD = ("Datum", "Spieler 1", "Spieler 2", "Punkte 1", "Punkte 2", "Länge", "Bemerkung")
STANDING = [  # by hand: two byes and the forfeit count for nobody
    ("Jürgen Groß", 3, 3, 0, 7 + 9 + 11, "WWW"),
    ("Zoë Çelik", 2, 1, 1, 7, "LW"),
    ("Bob Müller", 3, 0, 3, 0, "LLL"),
]


def excel(path: Path) -> None:
    """Save a workbook with a sheet of rules before the list, a merged title, real dates, and a total below."""
    book = openpyxl.Workbook()
    rules, sheet = book.active, book.create_sheet("Ergebnisse")
    assert rules is not None
    rules.title = "Regeln"
    rules.append(("Gespielt wird auf ungerade Längen.",))
    sheet["A1"] = "Backgammonclub Groß-Gerau, Saison 2026"
    sheet.merge_cells("A1:G1")
    sheet["A2"], sheet["B2"] = "Stand:", datetime(2026, 4, 30)
    sheet.append(())
    sheet.append(HEAD)
    for day, *rest in MATCHES:
        sheet.append((datetime.strptime(day, "%d.%m.%Y"), *rest))
        sheet.cell(sheet.max_row, 1).number_format = "DD.MM.YYYY"
    sheet.append(())
    sheet.append(("Summe", None, None, f"=SUM(D5:D{4 + len(MATCHES)})", None, None, None))
    book.save(path)


def test_the_standing_is_right_without_an_edit(tmp_path: Path) -> None:
    excel(tmp_path / "liste.xlsx")
    rated = rate_results(tmp_path / "liste.xlsx", today=TODAY)
    rows = standing("history", rated.files["league.csv"], rated.field.games, rated.rated["history"].ratings)
    assert [
        tuple(row[key] for key in ("player", "played", "won", "lost", "points", "form")) for row in rows
    ] == STANDING
    assert rated.field.games["date"].tolist() == ["2026-02-02", "2026-02-16", "2026-03-02", "2026-04-27"]
    assert rated.field.games["length"].tolist() == [7, 7, 9, 11]
    reasons = rated.files["flagged.csv"]["reason"].tolist()
    assert [reasons.count(f"{what}: not rated") for what in ("a bye", "a forfeit")] == [2, 1]
    text = page(rated, "liste")
    assert "It is on the FIBS scale, for matches to 8.4 points, as these are on average" in text
    assert "Jürgen Groß" in text
