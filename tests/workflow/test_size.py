"""The size of the house in AST nodes: whoever adds to a full room takes out, or argues."""

import ast
from pathlib import Path

import pytest

from repository_files import tracked

ROOMS = {
    "scripts/bgduel": 16_944,
    "scripts/bgduel/command": 1_051,
    "scripts/bgleague": 34_393,
    "scripts/bgleague/tournament": 3_031,
    "scripts/bgmatch": 21_328,
    "scripts/bgmatch/formats": 7_665,
    "scripts/bgrating": 3_430,
    "scripts/bgrating/analysis": 6_254,
    "scripts/bgrating/collection": 15_204,
    "scripts/bgrating/command": 5_095,
    "scripts/bgrating/decisions": 3_643,
    "scripts/bgrating/engine": 9_967,
    "scripts/bgrating/inside": 3_786,
    "scripts/bgrating/pages": 4_203,
    "scripts/bgrating/people": 6_718,
    "scripts/bgrating/play": 3_754,
    "scripts/bgrating/rating": 10_661,
    "scripts/bgrating/serve": 5_782,
    "scripts/bgrating/site": 7_505,
    "scripts/bgrating/tables": 5_461,
    "scripts/snakemake_logger_plugin_bgrating": 743,
    "scripts/study": 13_247,
    "scripts/study/formula": 5_444,
    "scripts/study/jobs": 1_950,
    "scripts/study/law": 2_508,
    "scripts/study/people": 4_226,
    "scripts/study/report": 1_406,
}
"""Most AST nodes of the modules of a folder."""
PACKAGES = {
    "scripts/bgduel": 17_995,
    "scripts/bgleague": 37_424,
    "scripts/bgmatch": 28_993,
    "scripts/bgrating": 91_463,
    "scripts/study": 28_781,
}
"""Most AST nodes of a package: less than its rooms might have together."""


def nodes(module: Path) -> int:
    return sum(1 for _ in ast.walk(ast.parse(module.read_text(encoding="utf-8"))))


def modules_of(project: Path, room: str) -> list[Path]:
    return sorted((project / room).glob("*.py"))


def test_every_room_has_a_limit(project: Path) -> None:
    modules = [
        name
        for name in tracked("--cached", "--others", "--exclude-standard", "scripts")
        if name.endswith(".py")
    ]
    rooms = {str(Path(name).parent) for name in modules if (project / name).is_file()}
    assert sorted(rooms - {"scripts"}) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_to_its_limit(project: Path, room: str) -> None:
    assert sum(map(nodes, modules_of(project, room))) <= ROOMS[room]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_keeps_to_its_limit(project: Path, package: str) -> None:
    rooms = [room for room in ROOMS if Path(room).is_relative_to(package)]
    modules = [module for room in rooms for module in modules_of(project, room)]
    assert sum(map(nodes, modules)) <= PACKAGES[package]


def test_the_rules_are_read_in_one_sitting(project: Path) -> None:
    files = [
        project / "Snakefile",
        project / "workflow" / "Snakefile",
        *project.glob("rules/*.smk"),
    ]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 520


def test_every_line_is_as_the_formatter_makes_it(project: Path) -> None:
    for folder in ("scripts", "tests", "benchmarks"):
        for module in (project / folder).rglob("*.py"):
            text = module.read_text(encoding="utf-8")
            is_dense = "# fmt: skip" in text or "# fmt: off" in text
            assert module == Path(__file__) or not is_dense, module
