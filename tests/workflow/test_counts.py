"""Code that one reads at first sight: how often scripts/ and .ci/ use what slows a reader."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from repository_files import tracked

MOST = {
    "assignments of a tuple to a tuple": 6,
    "comprehensions that hold another": 1,
    "conditional expressions that are hard to read": 1,
    "assignments within expressions": 13,
    "imports within functions": 35,
    "functions with more than five parameters": 11,
    "functions over forty lines": 19,
    "modules that share their name": 4,
}
"""The largest counts; whoever adds one takes another out."""
WIDTH = 100
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def modules(project: Path) -> list[Path]:
    names = tracked("--cached", "--others", "--exclude-standard", "scripts", ".ci")
    return [project / name for name in names if name.endswith(".py") and (project / name).is_file()]


def hard_conditions(tree: ast.AST, is_within: bool = False) -> Iterator[ast.IfExp]:
    """Yield conditional expressions over lines, or within another, a comprehension, an f-string."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.IfExp) and (is_within or node.lineno != node.end_lineno):
            yield node
        holds = isinstance(node, COMPREHENSIONS | ast.IfExp | ast.JoinedStr | ast.Lambda)
        is_statement = isinstance(node, ast.stmt)
        yield from hard_conditions(node, holds or (is_within and not is_statement))


def is_tuple_to_tuple(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Tuple)
    )


def holds_another(node: ast.AST) -> bool:
    inner = [part for part in ast.walk(node) if isinstance(part, COMPREHENSIONS)]
    return isinstance(node, COMPREHENSIONS) and len(inner) > 1


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    named = function.args
    return len(named.posonlyargs) + len(named.args) + len(named.kwonlyargs)


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def late_imports(function: ast.AST) -> int:
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function))


def counts_of(source: str) -> Counter[str]:
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    return Counter(
        {
            "assignments of a tuple to a tuple": sum(map(is_tuple_to_tuple, nodes)),
            "comprehensions that hold another": sum(map(holds_another, nodes)),
            "conditional expressions that are hard to read": len(list(hard_conditions(tree))),
            "assignments within expressions": sum(isinstance(n, ast.NamedExpr) for n in nodes),
            "imports within functions": sum(map(late_imports, functions)),
            "functions with more than five parameters": sum(parameters(f) > 5 for f in functions),
            "functions over forty lines": sum(lines(f) > 40 for f in functions),
        }
    )


@pytest.fixture(scope="module")
def counts(project: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for module in modules(project):
        found += counts_of(module.read_text(encoding="utf-8"))
    names = Counter(module.name for module in modules(project) if module.name != "__init__.py")
    found["modules that share their name"] = sum(count for count in names.values() if count > 1)
    return found


@pytest.mark.parametrize("what", MOST)
def test_a_count_keeps_to_its_limit(counts: Counter[str], what: str) -> None:
    assert counts[what] <= MOST[what]


def test_every_count_sees_what_it_is_to_see() -> None:
    source = """
def f(a, b, c, d, e, g):
    import os
    one, two = 1, 2
    if (three := two):
        return [[x for x in y] for y in (1 if one else 2 if two else 3)]
"""
    source += "def long():\n" + "    pass\n" * 40
    found = counts_of(source)
    assert found.pop("conditional expressions that are hard to read") == 2
    assert set(found.values()) == {1}


def test_no_line_of_code_is_longer_than_a_screen(project: Path) -> None:
    """Ruff holds the lines of Python; these are the other languages that are read."""
    for name in tracked("run", ".ci/run", "Snakefile", "rules/*.smk"):
        for number, line in enumerate((project / name).read_text("utf-8").splitlines(), 1):
            assert len(line) <= WIDTH, f"{name}:{number}"
