"""Each file has one status with its reason, with the engine's words beside the reader's."""

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bgmatch import write_mat
from bgrating.collection import readings
from bgrating.collection.accounts import MAX_REASON, Analysed, account
from bgrating.collection.listing import Reader, list_paths, with_members
from bgrating.collection.rated_results import require_matches
from bgrating.collection.readings import read_data
from bgrating.people.aliases import joined, read_aliases
from bgrating.people.players import players_table, with_ratings
from bgrating.rating.choose import choose
from bgrating.settings_files import SettingsError
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from corpus import DATA, cases, values
from match_texts import read
from records import accounted, read_found, records_of, said

FORMS = values("accounts")["forms"]


def text(left: str = "ann", right: str = "bob", length: int = 1) -> str:
    return str(FORMS["match"].format(left=left, right=right, length=length))


def unlike(match: str) -> str:
    return match.replace("8/5 6/5", "24/23 13/10")


def games_at(
    *scores: tuple[int, int],
    length: int = 5,
    last: str = "      Wins 5 points and the match\n",
    head: str = "",
) -> str:
    """Return a match of games with these scores; `last` are the rows of the last one's end."""
    games = []
    for number, (left, right) in enumerate(scores, 1):
        form = FORMS["last" if number == len(scores) else "game"]
        games.append(form.format(number=number, left=left, right=right, rows=last))
    return f"{head}\n {length} point match\n\n{''.join(games)}"


def text_of(file: Mapping[str, Any]) -> str:
    """Return the text of a file of tests/data/accounts.toml."""
    if "text" in file:
        return str(file["text"])
    form = FORMS["exchanged" if "exchanged" in file else "match"]
    match = form.format(**{"left": "ann", "right": "bob", "length": 1} | file)
    match = unlike(match) if "unlike" in file else match
    match = f"{match}\n{match}" if "twice" in file else match
    match = "\ufeff" + match.replace("\n", "\r\n") if "windows" in file else match
    return match.replace(*file.get("changed", ("", "")))


LEFT_OUT = {"duplicate", "rejected"}


@pytest.mark.parametrize("case", cases("accounts.case"), ids=lambda case: case["about"])
def test_every_file_has_one_status_with_its_reason(case: dict[str, Any]) -> None:
    texts = {name: text_of(file) for name, file in case["files"].items()}
    found, matches = accounted(texts, "", case.get("aliases"))
    assert {*found} == {*case["found"]}
    for name, (status, reason) in case["found"].items():
        assert found[name][0] == status
        assert reason in found[name][1]
        assert bool(reason) is bool(found[name][1])
    assert set(matches["file"]) == {name for name in found if found[name][0] not in LEFT_OUT}


def test_incomplete_matches_and_money_sessions_have_no_result() -> None:
    _, matches = accounted({"cut.mat": text(length=5), "money.mat": unlike(text(length=0))})
    assert matches["won"].isna().all()
    cut = matches[matches["file"] == "cut.mat"]
    assert cut["luck_adjusted_result"].isna().all()
    assert cut["actual_result"].isna().all()
    assert cut["chequer_error_emg"].notna().all()


@pytest.mark.parametrize(
    "problem", [EOFError("ended early"), RecursionError("deep"), MemoryError(), KeyError("x")]
)
def test_a_reader_that_fails_on_a_file_goes_on(
    monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    sound = readings.read_file

    def failing(data: bytes, suffix: str) -> Any:
        if b"evil" in data:
            raise problem
        return sound(data, suffix)

    monkeypatch.setattr(readings, "read_file", failing)
    found, _ = accounted({"a.mat": text(), "bad.mat": text("evil")})
    assert found["a.mat"] == ("analysed", "")
    status, reason = found["bad.mat"]
    assert status == "rejected"
    assert type(problem).__name__ in reason
    assert "report this file" in reason


def test_a_reason_names_five_warnings_counts_the_others_and_is_bounded() -> None:
    unknown = [f"Gaem {number}\n" for number in range(9)]
    _, reason = accounted({"a.mat": text() + "".join(unknown)})[0]["a.mat"]
    assert reason.count("Gaem") == 5
    assert reason.endswith("and 4 more")
    names = {f"{number}{'x' * 200}.mat": text(f"ann{number}") for number in range(9)}
    longest = max((reason for _, reason in accounted(names)[0].values()), key=len)
    assert len(longest) == MAX_REASON
    assert longest.endswith("…")


def test_a_copy_of_a_rejected_file_is_no_duplicate() -> None:
    records, crashed = records_of({"a.mat": text(), "b.mat": text("other", "names")}), "it crashed"
    problems = {match.key: crashed for record in records for match in record.matches}
    files, _ = account(records, Analysed({}, problems))
    assert files["status"].tolist() == ["rejected"] * 2
    assert files["reason"].tolist() == [crashed, f"a copy of a.mat: {crashed}"]


def rated(matches: pd.DataFrame) -> pd.DataFrame:
    return with_ratings(matches, choose("published", "1.07.001"), 2050.0).assign(level="0-ply")


@pytest.mark.parametrize(
    ("other", "complete", "won"), [("", [], []), (text(length=5), ["false"], [""])]
)
def test_truth_values_are_written_alike_whatever_the_collection(
    tmp_path: Path, other: str, complete: list[str], won: list[str]
) -> None:
    _, matches = accounted({"a.mat": text(), "b.mat": unlike(other)})
    write_table(rated(matches)[columns("human/matches")], tmp_path / "matches.csv", "human/matches")
    written = pd.read_csv(tmp_path / "matches.csv", dtype=str, keep_default_na=False)
    assert set(written["complete"]) == {"true", *complete}
    assert set(written["won"]) == {"true", "false", *won}


def test_one_name_in_two_forms_is_one_player_and_one_name_on_both_sides_is_nobody(
    tmp_path: Path,
) -> None:
    composed, parted = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    both = text("ann", "ann").replace("24/23", "24/23 ").replace("8/5 6/5", "13/9")
    texts = {"a.mat": text(composed), "b.mat": unlike(text(parted)), "c.mat": both}
    found, matches = accounted(texts)
    assert "both players are called 'ann'" in found["c.mat"][1]
    players, *_ = players_table(rated(matches), choose("published", "1.07.001"), 2050.0)
    assert players.set_index("player")["matches"].to_dict() == {"bob": 2, composed: 2}
    aliases = tmp_path / "aliases.csv"
    aliases.write_text(f"alias,name\n{parted},Zoe\n")
    assert "Zoe" in joined(matches, read_aliases(aliases))["player"].tolist()


def test_a_table_holds_no_formula_and_one_line_a_name(tmp_path: Path) -> None:
    names = ["=HYPERLINK(1)", "@x", 'quo"te', "<script>alert(1)</script>", "two\nlines", "../../up"]
    for number, name in enumerate(names):
        match = text(left=name.replace("\n", " ")).replace("24/23", f"{24 - number}/23")
        (tmp_path / f"{number}.mat").write_text(match)
    (tmp_path / "=cmd.mat").write_text("")
    (tmp_path / "new\nline.mat").write_text("")
    reader = Reader()
    listed = with_members(list_paths([tmp_path], tmp_path / "results"))
    records = [read_found(one, reader.read)[0] for one in listed]
    reader.close()
    files, matches = account(records, said(records))
    shown = rated(matches)[columns("human/matches")]
    for name, table in (("files.csv", files), ("matches.csv", shown)):
        write_table(table, tmp_path / name, f"human/{name.removesuffix('.csv')}")
        lines = (tmp_path / name).read_text().splitlines()
        assert len(lines) == len(table) + 1
        cells = pd.read_csv(tmp_path / name, dtype=str, keep_default_na=False).to_numpy().ravel()
        assert not [one for one in cells if one.startswith(("=", "@"))]
    assert "'=cmd.mat" in (tmp_path / "files.csv").read_text()
    assert r"new\nline.mat" in (tmp_path / "files.csv").read_text()


@pytest.mark.parametrize(("scores", "is_counted"), cases("values.scores_that_count"))
def test_a_score_that_follows_from_a_known_chance_counts_as_a_result(
    scores: list[tuple[int, int]], is_counted: bool
) -> None:
    _, matches = accounted({"a.mat": games_at(*scores)})
    for name in ("actual_result", "luck_adjusted_result"):
        assert matches[name].notna().all() == is_counted
    assert ("luck-adjusted" in matches["reason"].iloc[0]) == (not is_counted)
    if scores == [[0, 0], [1, 0], [0, 0]]:  # goes backwards: nobody won
        assert matches["won"].isna().all()


@pytest.mark.parametrize(("indent", "points", "score"), [(6, 2012, (5, 0)), (34, 7, (0, 5))])
def test_a_score_beyond_the_length_is_capped(
    indent: int, points: int, score: tuple[int, int]
) -> None:
    last = f"{'':{indent}}Wins {points} points and the match\n"
    _, matches = accounted({"a.mat": games_at((0, 0), last=last)})
    assert tuple(matches["score"]) == score
    assert tuple(matches["opponent_score"]) == score[::-1]


@pytest.mark.parametrize("length", [0, 7])
def test_without_a_cube_no_cube_decision_is_counted(length: int) -> None:
    without_cube = games_at((0, 0), length=length, head='; [CubeLimit "1"]')
    record, _ = read_data(without_cube.encode(), "a.mat")
    (match,) = record.matches
    assert any("the rating has no cube part" in warning for warning in match.warnings)


def test_the_text_for_the_engine_says_that_there_is_no_cube() -> None:
    assert '; [CubeLimit "1"]' in write_mat(read(games_at((0, 0), head='; [CubeLimit "1"]')))


@pytest.mark.parametrize(("damage", "told"), cases("sentences.rejected_files"))
def test_the_reason_of_a_rejected_file_is_its_first_finding(
    damage: tuple[str, str], told: str
) -> None:
    found, _ = accounted({"a.mat": games_at((0, 0)).replace(*damage)})
    assert found["a.mat"][0] == "rejected"
    assert told in found["a.mat"][1]


@pytest.mark.parametrize("rows", cases("values.files_without_a_match"))
def test_a_collection_without_a_match_is_refused(rows: list[list[str]]) -> None:
    files = pd.DataFrame(rows, columns=["file", "status", "reason"])
    with pytest.raises(SettingsError, match="no match could be read in here") as refused:
        require_matches(files, ["here"])
    assert all(reason in str(refused.value) for _, _, reason in rows)
    require_matches(pd.DataFrame([*rows, ("c.mat", "money", "")], columns=files.columns), ["here"])


def test_a_file_is_known_by_its_first_line_and_a_copy_of_the_text(project: Path) -> None:
    name = "2025-02-23-advanced-noise-0.02"
    sources = {"a.mat": project / "examples" / f"{name}.mat"}
    sources |= {"b.txt": DATA / "saved" / f"{name}.match", "c.gmd": DATA / "saved" / f"{name}.gmd"}
    found, rows = accounted({file: path.read_bytes() for file, path in sources.items()})
    statuses = {file: status for file, (status, _) in found.items()}
    assert statuses == {"a.mat": "analysed", "b.txt": "duplicate", "c.gmd": "duplicate"}
    assert set(rows["file"]) == {"a.mat"}
