"""`bgrating ratings` in process: files of any program, tables, page, settings, hostile lists."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bgleague import command as ratings
from bgleague.settings import PROVENANCE, EloStart, RatingsSettings
from bgrating.command import main
from bgrating.tables.table_files import read_table
from corpus import data_text
from matrix_files import read_matrix
from unit.bgleague.test_members import collection

GAMES = data_text("lists/games.csv")
CLUB = [("Datum", "Spieler 1", "Spieler 2", "Punkte 1", "Punkte 2", "Länge")]
for day, pair in enumerate([("Jürgen", "Bob"), ("Bob", "Zoë"), ("Zoë", "Jürgen")] * 4, 1):
    CLUB.append((f"{day}.3.2026", *pair, *("74" if day % 3 else "27"), "7"))
Rate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Rate:
    """Return a function that rates with some words into the test's folder: status, out, error."""

    def run_ratings(
        *arguments: str | Path, results: Path = tmp_path / "out"
    ) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["ratings", *map(str, arguments), "--results", str(results)])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run_ratings


def write_list(folder: Path, text: str = GAMES, name: str = "games.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_every_table_and_the_page_are_there_and_the_answer_comes_last(
    rate: Rate, tmp_path: Path, look: Callable[[str, Path], None]
) -> None:
    words = ["--fix", "cid=1000", "--seed", "5", "--name", "club"]
    status, out, err = rate(write_list(tmp_path), *words)
    assert (status, err) == (0, "")
    first, *_, standing, _, page = out.splitlines()
    assert first == "120 games of 3 players"
    assert "2 rows flagged, 2 of them not rated" in out
    assert standing.split()[:3] == ["3", "cid", "21.5"]
    folder = tmp_path / "out" / "ratings" / "club"
    assert page == f"Page: {(folder / 'report.html').as_uri()}"
    for name in ("elo", "elo_log", "logistic", "eloworld", "league", "head_to_head", "flagged"):
        assert len(read_table(folder / f"{name}.csv")), name
    provenance = json.loads((folder / PROVENANCE).read_text())
    written_files = {path.name for path in folder.iterdir() if path.suffix in {".csv", ".png"}}
    assert written_files - {"alias_suggestions.csv"} < set(provenance["written"])
    assert (folder / "elo.csv").read_text(encoding="utf-8").startswith("player,rating,games,")
    columns = "player,score,std_error,ci_low,ci_high,wins,games,separated"
    assert (folder / "logistic.csv").read_text(encoding="utf-8").startswith(columns)
    columns = set(read_table(folder / "eloworld.csv"))
    assert {"player", "elo", "elo_p25", "elo_p75", "p_champion"} <= columns
    assert json.loads((folder / "logistic.json").read_text())["cid"] == 1000
    statistics = set(json.loads((folder / "logistic_fit.json").read_text()))
    assert {"bias", "scale", "cross_entropy", "n_games"} <= statistics
    assert read_matrix(folder / "pred.csv").shape == (3, 3)
    assert "the score is outside 0 to 1" in (folder / "report.html").read_text(encoding="utf-8")
    index = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "ratings/club/report.html" in index
    look("ratings", folder / "report.html")


def test_settings_are_read_as_the_command_line_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[RatingsSettings] = []

    def note(_: object, settings: RatingsSettings, __: Path) -> tuple[str, dict[str, object]]:
        parsed.append(settings)
        return "", {}

    monkeypatch.setattr(ratings, "_rate", note)
    arguments = (
        "--method logistic,elo --fix a=b=1500,c=-3.5 --fuse 0,1000 --bias off --start"
        " a=1400:20,b=1200 --seed 7 --diluted a=0.25 --since 2026-03-14 --least 5"
    )
    file, out = write_list(tmp_path), str(tmp_path / "out")
    for more in ([], ["--subset", "a, Jose\u0301,a", "--bias", "on"]):
        with pytest.raises(SystemExit):
            main(["ratings", str(file), *arguments.split(), *more, "--results", out])
    without, every_option = parsed
    assert every_option == RatingsSettings(
        methods=("elo", "logistic"),
        fix={"a=b": 1500.0, "c": -3.5},
        fuse=(0, 1000),
        bias=True,
        subset=("a", "Jos\u00e9"),
        start={"a": EloStart(1400, 20), "b": EloStart(1200, 14)},
        seed=7,
        diluted={"a": 0.25},
        since="2026-03-14",
        min_games=5,
    )
    assert without.bias is False
    with pytest.raises(SystemExit):
        main(["ratings", str(file), "--results", out])
    assert parsed[-1] == RatingsSettings()


def test_the_answer_has_a_clubs_words_and_a_column_without_use_is_no_flagged_row(
    rate: Rate, tmp_path: Path
) -> None:
    rows = [(*row, "x" if number else "Hall") for number, row in enumerate(CLUB)]
    text = "".join(";".join(row) + "\n" for row in rows)
    status, out, _ = rate(write_list(tmp_path, text), "--method", "logistic")
    assert status == 0
    assert "columns that are not used: Hall" in out
    assert "12 matches of 3 players, 2026-03-01 to 2026-03-12" in out
    assert not [word for word in ("flagged", "bias", "log-F", "maximum likelihood") if word in out]


def test_a_member_has_results_and_the_rating_by_errors_of_a_collection_side_by_side(
    rate: Rate, tmp_path: Path
) -> None:
    collection(tmp_path / "out", "evenings", 30, "BOB")
    club = write_list(tmp_path, "".join(";".join(row) + "\n" for row in CLUB))
    assert rate(club, "--method", "logistic,fibs")[0] == 0
    page = next((tmp_path / "out/ratings").glob("*/report.html")).read_text(encoding="utf-8")
    links = dict(re.findall(r'<td[^>]*><a href="(#member-[0-9]+)">([^<]*)</a>', page))
    anchor = next(link for link, name in links.items() if name == "Bob").removeprefix("#")
    bob = page.partition(f'<h3 id="{anchor}">')[2].partition("</details>")[0]
    assert " by results, 1,800 by errors" in bob
    assert 'in 30 matches of <a href="../../human/evenings/players/' in bob
    assert re.findall(r"<a href=\"#member-[0-9]+\">([^<]*)", bob) == ["Jürgen", "Zoë"]
    assert "Chance, %" in bob


def test_files_of_others_in_the_folder_stay_and_nothing_is_written(
    rate: Rate, tmp_path: Path
) -> None:
    file, folder = write_list(tmp_path), tmp_path / "out" / "ratings" / "mine"
    folder.mkdir(parents=True)
    (folder / "league.csv").write_text("my own list\n")
    status, _, err = rate(file, "--name", "mine")
    assert status == 1
    assert "holds a league.csv that this program did not make; it is left as it is" in err
    (folder / "league.csv").rename(folder / "ratings.provenance.json")
    _, _, err = rate(file, "--name", "mine")
    assert "a ratings.provenance.json of an older version, or one that was changed" in err
    assert [path.name for path in folder.iterdir()] == ["ratings.provenance.json"]


EVIL = "e\x1b[2Jv\x07i\x01l\u202e"


def test_control_characters_of_names_reach_neither_terminal_nor_page(
    rate: Rate, tmp_path: Path
) -> None:
    """The decoder drops control characters; with many of them it takes a file for a binary one."""
    remark = "played at the club " * 4
    lines = ["date,player1,player2,score1,score2,remark"]
    lines += [f"2026-01-{i:02d},{EVIL},bob{i % 2},7,{i % 5},{remark}" for i in range(1, 9)]
    lines += [f"2026-02-{i:02d},bob{i % 2},{EVIL},7,{i % 5},{remark}" for i in range(1, 9)]
    status, out, err = rate(write_list(tmp_path, "\n".join([*lines, f"{EVIL},,{EVIL}", ""])))
    assert (status, err) == (0, "")
    assert "evil\\u202e" in out
    assert all(line.isprintable() for line in out.splitlines())
    page = (tmp_path / "out/ratings/games/report.html").read_text(encoding="utf-8")
    # Intervals have no-break spaces; two marks keep a name's direction to itself.
    ours = str.maketrans("\t\u00a0", "  ", "\u2068\u2069")
    assert all(line.isprintable() for line in page.translate(ours).splitlines())
    figures = page.split("<svg ")[1:]
    assert len(figures) >= 2
    for figure in figures:
        ElementTree.fromstring("<svg " + figure.partition("</svg>")[0] + "</svg>")
    for table in (tmp_path / "out/ratings/games").glob("*.csv"):
        letters = set(table.read_text(encoding="utf-8"))
        assert not {"\x1b", "\x07", "\x01", "\u202e"} & letters, table.name


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "first,second,first_score,count\na,b,1,2\nb,a,1,2\na,b,1,LONG\na,b,LONG,1\n",
        "first,second,first_wins,second_wins\na,b,1,2\nb,a,2,2\na,b,LONG,0\n",
        "a b 1 0\nb a 1 0\na b LONG 0\n",
        (
            "date,player1,player2,score1,score2,length\n2026-01-01,a,b,7,3,7\n2026-01-02,b,a,7,3,7\n"
            "2026-01-01,a,b,LONG,3,7\n2026-01-01,a,b,7,3,LONG\nLONG-01-01,a,b,7,3,7\n01.01.LONG,a,b,7,3,7\n"
        ),
    ],
)
def test_a_number_of_thousands_of_digits_is_a_flagged_row(
    rate: Rate, tmp_path: Path, text: str
) -> None:
    status, out, err = rate(write_list(tmp_path, text.replace("LONG", "9" * 5000)))
    assert (status, err, "flagged" in out) == (0, "", True)


def test_names_of_one_person_are_suggested_and_merged_on_request_only(
    rate: Rate, tmp_path: Path
) -> None:
    names = ["Anna Muller", "Anna M\u00fcller", "CARLOS D\u00cdAZ", "Carlos D\u00edaz"]
    names += ["Bob", "Bob\u200b"]
    rows = [f"{name},Guest {i % 2},7,{i}" for i, name in enumerate(names)] + ["Guest 0,Guest 1,7,1"]
    file = write_list(tmp_path, "\n".join(["player1,player2,score1,score2", *rows, ""]))
    output = rate(file)[1]
    assert "of 7 players" in output  # capitals alone make no second player
    assert "2 in alias_suggestions.csv" in output
    table = tmp_path / "out/ratings/games/alias_suggestions.csv"
    assert "of 5 players" in rate(file, "--aliases", table, "--name", "merged")[1]
