"""Forms of a match text: whatever the engine imports in full is read in full.

Each form writes the same match in another way. The engine imports the text itself; it is compared
with what is read of the match as gnubg writes it.
"""

import csv
import re
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bgmatch import read_matches, write_mat
from bgmatch.sections import MatchTextError
from bgmatch.write import content_key
from bgrating.analysis.import_check import expected_import
from bgrating.engine import levels
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.pool import Pool, Task
from match_texts import DATA
from set_positions import cut

EXPECTED = Path(__file__).with_name("import_parity.csv")
FORMS = tomllib.loads((DATA / "forms.toml").read_text(encoding="utf-8"))


def forms(base: str) -> Iterator[tuple[str, str]]:
    for ending in FORMS["endings"]:
        every = re.sub(r"^ Game (\d)$", rf" Game \1{ending}", base, flags=re.M)
        yield f"every game ends with {ending!r}", every
        yield f"the last game ends with {ending!r}", base.replace(" Game 5\n", f" Game 5{ending}\n")
    for bar in FORMS["bars"]:
        yield bar, re.sub(r"\b25/", f"{bar}/", base)
    for off in FORMS["offs"]:
        yield off, re.sub(r"/0\b", f"/{off}", base)
    for dance in FORMS["dances"]:
        yield f"dance {dance}", re.sub(r"(\d\d:) *$", rf"\1 {dance}", base, flags=re.M)
    for word, others in FORMS["words"].items():
        for other in others:
            yield other, base.replace(word, other)
    for name, (pattern, new) in FORMS["changes"].items():
        yield name, re.sub(pattern, new, base, flags=re.M)
    yield "upper case", base.upper()
    yield "lower case", base.lower()


def imported(engine: Engine, texts: dict[str, str], expected: Any) -> set[str]:
    """Return the names of the texts of which the engine imports all that is expected."""
    with closing(Pool(engine, levels.analysis("0-ply-no-luck"), 2)) as pool:
        usual = {"task": "analyse", "before": [], "rolls": 300, "expected": expected}
        tasks = [Task(key, 300, usual | {"key": key, "text": texts[key]}) for key in texts]
        return {task.key for task, answer in pool.run(iter(tasks)) if "rows" in answer}


def read_as(text: str) -> Any:
    try:
        (match,) = read_matches(text.encode()).matches
    except MatchTextError:
        return None
    return expected_import(match)


def outcome(text: str, base: str) -> str:
    """Return `whole` where a text is read as the base is, else the reader's first reason."""
    try:
        (match,) = read_matches(text.encode()).matches
    except MatchTextError as problem:
        return str(problem)
    (truth,) = read_matches(base.encode()).matches
    is_same = content_key(match) == content_key(truth) and match.final_score == truth.final_score
    if read_as(text) == read_as(base) or (is_same and not match.findings):
        return "whole"
    reasons = [f"{finding.code}: {finding.message}" for finding in match.findings]
    return reasons[0] if reasons else "without a reason"


def matrix(engine: Engine, base: str) -> list[list[str]]:
    """Return form by form what the engine imports and what is read."""
    texts = {name: text for name, text in forms(base) if text.isascii()}
    whole = imported(engine, texts, read_as(base))
    rows = []
    for name, text in sorted(texts.items()):
        rows.append([name, "whole" if name in whole else "in part", outcome(text, base)])
    return rows


@pytest.mark.slow
def test_what_the_engine_imports_in_full_is_read_in_full(engine: Engine, shared: Path) -> None:
    """The table has every form; `python tests/oracles/test_import_parity.py` writes it."""
    now = matrix(engine, (shared / "cases" / "base.mat").read_text(encoding="utf-8"))
    assert [name for name, engines, ours in now if engines == "whole" and ours != "whole"] == []
    assert [name for name, _, ours in now if ours == "without a reason"] == []
    with EXPECTED.open(encoding="utf-8", newline="") as file:
        assert now == list(csv.reader(file))[1:]


def test_a_game_from_a_set_position_is_imported(engine: Engine, shared: Path) -> None:
    (match,) = read_matches((shared / "cases" / "base.mat").read_bytes()).matches
    for count in (1, 2, 5):
        (read,) = read_matches(cut(match, count).encode()).matches
        text = write_mat(read)
        assert imported(engine, {"cut": text}, expected_import(read)) == {"cut"}


SAME = ("set-pos-opening", "game-suffix", "bar-b", "comma", "no-move-dash")


@pytest.mark.parametrize("name", SAME)
def test_cases_that_are_the_same_as_the_base(shared: Path, name: str) -> None:
    paths = [shared / "cases" / f"{one}.mat" for one in ("base", name)]
    base, case = (read_as(path.read_text(encoding="utf-8")) for path in paths)
    assert case == base


@pytest.mark.parametrize("name", [f"dance {dance}" for dance in FORMS["dances"]])
def test_where_no_play_is_legal_whatever_stands_there_is_a_dance(shared: Path, name: str) -> None:
    base = (shared / "cases" / "base.mat").read_text(encoding="utf-8")
    assert read_as(dict(forms(base))[name]) == read_as(base)


if __name__ == "__main__":
    text = Path(__file__).parents[3].joinpath("shared/cases/base.mat").read_text(encoding="utf-8")
    rows = [["form", "engine", "ours"], *matrix(find_engine(), text)]
    with EXPECTED.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(rows)
