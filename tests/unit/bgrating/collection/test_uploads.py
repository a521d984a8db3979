"""What a browser drops replaces no file."""

from pathlib import Path

from bgrating.collection.uploads import free


def test_a_name_that_is_taken_gets_the_next_number(tmp_path: Path) -> None:
    for _ in range(3):
        free(tmp_path, Path("club.mat")).touch()
    assert {path.name for path in tmp_path.iterdir()} == {"club.mat", "club-2.mat", "club-3.mat"}
