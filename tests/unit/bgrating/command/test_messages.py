"""What cannot be done is one sentence of messages.txt, status 1, and changes no file."""

import shlex
from pathlib import Path

import pytest

from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.command import main
from short_match import write_matches

MESSAGES = Path(__file__).parents[3] / "data" / "messages.txt"
LINES = [
    line for line in MESSAGES.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]


@pytest.fixture(scope="module", name="place")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("messages")
    write_matches(place / "games", "41", "43", "21")
    (place / "notes.md").write_text("# bgrating\n\nNo list of results.\n")
    (place / "damaged.parquet").write_bytes(b"PAR1" + bytes(range(32)) + b"\xff and no more")
    (place / "lists").mkdir()
    for name in ("club.csv", "lists/club.csv"):
        (place / name).write_text("winner,loser\nann,bob\nbob,cid\ncid,ann\n")
    rate(RateRequest((place / "games",), luck=False, results=place / "r", store=None, cores=1))
    return place


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("words", "sentence"), [*zip(LINES[::2], LINES[1::2], strict=True)])
def test_a_mistake_is_one_sentence_and_changes_no_file(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    sentence: str,
) -> None:
    """A name was once checked after a folder was emptied, a player after pages were deleted."""
    before = files(place)
    monkeypatch.chdir(place)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words.removeprefix("$ ")))
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (1, "", 1)
    assert sentence in err
    assert files(place) == before
