"""Each file has one status with its reason; what the engine said stands beside what was read."""

from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.accounts import account
from bgrating.files.listing import Reader, list_paths, with_members
from bgrating.people.players import with_ratings
from bgrating.rating.choose import choose
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import write_table
from records import read_found, said

MATCH = """ {length} point match

 Game 1
 {left} : 0                         {right} : 0
  1)                             41: 13/9 24/23
  2) 31: 8/5 6/5                  Doubles => 2
  3)  Drops
{end}
"""
WON = "                                  Wins 1 point"


def text(left: str = "ann", right: str = "bob", length: int = 1, end: str = WON) -> str:
    return MATCH.format(left=left, right=right, length=length, end=end)


def unlike(match: str) -> str:
    return match.replace("8/5 6/5", "24/23 13/10")


def read(folder: Path) -> list[dict[str, Any]]:
    reader = Reader()
    found = [read_found(one, reader.read)[0] for one in with_members(list_paths([folder], folder / "results"))]
    reader.close()
    return found


def statuses(folder: Path) -> tuple[dict[str, tuple[str, str]], pd.DataFrame]:
    records = read(folder)
    files, matches = account(records, said(records))
    return {row.file: (row.status, row.reason) for row in files.itertuples()}, matches


def test_statuses(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    (tmp_path / "copy.txt").write_bytes(b"\xef\xbb\xbf" + text().replace("\n", "\r\n").encode())
    (tmp_path / "cut.mat").write_text(unlike(text(length=5)))
    (tmp_path / "money.mat").write_text(text(length=0))
    (tmp_path / "empty.mat").write_text("")
    (tmp_path / "binary.mat").write_bytes(bytes(range(256)))
    (tmp_path / "notes.md").write_text("# no match")
    (tmp_path / "odd.mat").write_text(unlike(text()).replace("Wins 1 ", "Wins 9 "))
    found, matches = statuses(tmp_path)
    told = "its copy money.mat differs: length 1 points, there unlimited"
    assert found["a.mat"] == ("analysed with warnings", told)
    assert found["copy.txt"] == ("duplicate", "same rolls and plays as a.mat")
    told = "same rolls and plays as odd.mat, but: length 5 points, there 1 points"
    assert found["cut.mat"] == ("duplicate", told)
    told = "same rolls and plays as a.mat, but: length unlimited, there 1 points"
    assert found["money.mat"] == ("duplicate", told)
    assert found["empty.mat"] == ("rejected", "empty file")
    assert found["binary.mat"] == ("rejected", "binary file, not a match text")
    assert found["notes.md"][0] == "rejected"
    assert found["odd.mat"][0] == "analysed with warnings"
    assert "the text gives 9 points" in found["odd.mat"][1]
    assert sorted(set(matches["file"])) == ["a.mat", "odd.mat"]


def test_incomplete_matches_and_money_sessions_have_no_result(tmp_path: Path) -> None:
    (tmp_path / "cut.mat").write_text(text(length=5))
    (tmp_path / "money.mat").write_text(unlike(text(length=0)))
    found, matches = statuses(tmp_path)
    assert found["cut.mat"] == ("incomplete", "the match ends at 0-1 of 5 points")
    assert found["money.mat"] == ("money", "money session")
    assert matches["won"].isna().all()
    cut = matches[matches["file"] == "cut.mat"]
    assert cut["luck_adjusted_result"].isna().all()
    assert cut["actual_result"].isna().all()
    assert cut["chequer_error_emg"].notna().all()


def test_several_matches_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "two.mat").write_text(text() + "\n" + text())
    found, matches = statuses(tmp_path)
    assert found["two.mat"] == (
        "analysed with warnings",
        "match 1 analysed; match 2 duplicate (same rolls and plays as two.mat match 1)",
    )
    assert matches["match"].tolist() == [1, 1]


def test_a_table_holds_no_formula_and_one_line_a_name(tmp_path: Path) -> None:
    names = ["=HYPERLINK(1)", "@x", 'quo"te', "<script>alert(1)</script>", "two\nlines", "../../up"]
    for number, name in enumerate(names):
        (tmp_path / f"{number}.mat").write_text(
            text(left=name.replace("\n", " ")).replace("24/23", f"{24 - number}/23")
        )
    (tmp_path / "=cmd.mat").write_text("")
    (tmp_path / "new\nline.mat").write_text("")
    records = read(tmp_path)
    files, matches = account(records, said(records))
    rated = with_ratings(matches, choose("published", "1.07.001"), 2050.0).assign(level="0-ply")
    rated = rated[columns("human/matches")]
    for name, table in (("files.csv", files), ("matches.csv", rated)):
        write_table(table, tmp_path / name, f"human/{name.removesuffix('.csv')}")
        lines = (tmp_path / name).read_text().splitlines()
        assert len(lines) == len(table) + 1
        cells = pd.read_csv(tmp_path / name, dtype=str, keep_default_na=False).to_numpy().ravel()
        assert not [one for one in cells if one.startswith(("=", "@"))]
    assert "'=cmd.mat" in (tmp_path / "files.csv").read_text()
    assert r"new\nline.mat" in (tmp_path / "files.csv").read_text()


EXCHANGED = """ 1 point match

 Game 1
 {left} : 0                         {right} : 0
  1) 41: 13/9 24/23              31: 8/5 6/5
  2)  Doubles => 2                Drops
      Wins 1 point
"""
"""The same match with its columns exchanged."""


def test_copies_under_other_names_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text("ann", "bob"))
    (tmp_path / "b.mat").write_text(text("x", "y"))
    (tmp_path / "c.mat").write_text(text("ann", "bob") + "\n")
    (tmp_path / "d.mat").write_text(text("bob", "ann"))  # as if the other had played ann's rolls
    found, matches = statuses(tmp_path)
    told = "d.mat has the same rolls and plays for bob (left) and ann (right); b.mat for x (left) and y (right)"
    assert found["a.mat"] == ("analysed with warnings", f"the names of its copies are others: {told}")
    assert found["b.mat"] == (
        "duplicate",
        "same rolls and plays as a.mat, which counts for ann (left) and bob (right), not for x (left) and y (right)",
    )
    assert found["c.mat"] == ("duplicate", "same rolls and plays as a.mat")
    assert found["d.mat"][1].endswith("not for bob (left) and ann (right)")
    assert matches["player"].tolist() == ["ann", "bob"]


def test_copies_with_exchanged_columns_agree_where_their_names_are_exchanged_too(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text("ann", "bob"))
    (tmp_path / "b.mat").write_text(EXCHANGED.format(left="bob", right="ann"))
    (tmp_path / "c.mat").write_text(EXCHANGED.format(left="ann", right="bob"))
    found, _ = statuses(tmp_path)
    (counts,) = (name for name, (status, _) in found.items() if status != "duplicate")
    assert counts != "c.mat"
    assert found["ab".replace(counts[0], "") + ".mat"] == ("duplicate", f"same rolls and plays as {counts}")
    assert found["c.mat"][1].startswith(f"same rolls and plays as {counts}, which counts for")


def test_aliases_that_make_one_of_both_players_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text("ann", "bob"))
    records = read(tmp_path)
    (file,) = account(records, said(records), {"bob": "ann"})[0].to_dict("records")
    assert file["status"] == "analysed with warnings"
    assert "'ann': counted for neither" in file["reason"]


def test_names_that_aliases_bring_together_are_no_disagreement(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text("ann", "bob"))
    (tmp_path / "b.mat").write_text(text("annie", "bob"))
    records = read(tmp_path)
    analysed = said(records)
    statuses_of = [account(records, analysed, aliases)[0]["status"].tolist() for aliases in ({}, {"annie": "ann"})]
    assert statuses_of == [["analysed with warnings", "duplicate"], ["analysed", "duplicate"]]
