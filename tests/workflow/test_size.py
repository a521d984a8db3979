"""The size of the house in AST nodes, room by room: whoever adds to a full room takes something out, or argues."""

import ast
from pathlib import Path

import pytest

ROOMS = {
    "scripts/bgrating": 3_350,
    "scripts/bgrating/analysis": 7_220,
    "scripts/bgrating/collection": 13_010,
    "scripts/bgrating/command": 7_970,
    "scripts/bgrating/decisions": 5_450,
    "scripts/bgrating/engine": 12_210,
    "scripts/bgrating/files": 9_840,
    "scripts/bgrating/inside": 3_910,
    "scripts/bgrating/league": 29_490,
    "scripts/bgrating/matchtext": 17_990,
    "scripts/bgrating/pages": 5_570,
    "scripts/bgrating/people": 7_980,
    "scripts/bgrating/play": 3_950,
    "scripts/bgrating/rating": 13_280,
    "scripts/bgrating/referee": 10_690,
    "scripts/bgrating/serve": 5_780,
    "scripts/bgrating/site": 9_560,
    "scripts/bgrating/tables": 5_490,
    "scripts/bgrating/tournament": 9_790,
    "scripts/snakemake_logger_plugin_bgrating": 760,
    "scripts/study": 16_780,
    "scripts/study/formula": 5_510,
    "scripts/study/jobs": 2_080,
    "scripts/study/law": 5_170,
    "scripts/study/people": 3_110,
    "scripts/study/report": 1_960,
}
"""Most AST nodes of the modules of a folder. Each has about a hundredth of room to grow."""


def nodes(module: Path) -> int:
    return sum(1 for _ in ast.walk(ast.parse(module.read_text(encoding="utf-8"))))


def modules_of(project: Path, room: str) -> list[Path]:
    return sorted((project / room).glob("*.py"))


def test_every_room_has_a_limit(project: Path) -> None:
    scripts = project / "scripts"
    rooms = {str(module.parent.relative_to(project)) for module in scripts.rglob("*.py")}
    assert sorted(rooms - {"scripts"}) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_to_its_limit(project: Path, room: str) -> None:
    assert sum(map(nodes, modules_of(project, room))) <= ROOMS[room]


def test_the_rules_are_read_in_one_sitting(project: Path) -> None:
    files = [project / "Snakefile", project / "workflow" / "Snakefile", *project.glob("rules/*.smk")]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 600


def test_every_line_is_as_the_formatter_makes_it(project: Path) -> None:
    for folder in ("scripts", "tests", "benchmarks"):
        for module in (project / folder).rglob("*.py"):
            text = module.read_text(encoding="utf-8")
            is_dense = "# fmt: skip" in text or "# fmt: off" in text
            assert module == Path(__file__) or not is_dense, module
