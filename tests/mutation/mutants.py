"""Mutants of modules: one small change of meaning each, as a slip of the keyboard makes it."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True, order=True)
class Mutant:
    """A module with one change.

    `function`, `change` and `number` tell it from others of its module: the function, what stands
    where, and how often that change was possible in the function before.
    """

    module: str
    function: str
    change: str
    number: int
    text: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        return f"{self.module} {self.function}: {self.change} ({self.number})"

    @property
    def package(self) -> str:
        return self.module.split("/")[0]


def drawn(scripts: Path, number: int, seed: int) -> list[Mutant]:
    """Return mutants of the packages in a folder, each possible change as likely as the others.

    They are those whose names have the smallest hashes. So a change of code changes few of them.
    """
    modules = sorted(path for path in scripts.glob("*/**/*.py") if "build" not in path.parts)
    found = [
        mutant for module in modules for mutant in mutants_of(module, module.relative_to(scripts))
    ]
    found.sort(key=lambda mutant: hashlib.sha256(f"{seed} {mutant.name}".encode()).digest())
    return [replace(one, text=_text(scripts / one.module, one)) for one in found[:number]]


def mutants_of(module: Path, name: Path) -> list[Mutant]:
    seen = Counter[tuple[str, str]]()
    found = []
    for function, node, changed in _changes(_tree(module)):
        change = f"{ast.unparse(node)} -> {ast.unparse(changed)}"
        found.append(Mutant(name.as_posix(), function, change, seen[function, change]))
        seen[function, change] += 1
    return found


def _tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def _text(module: Path, mutant: Mutant) -> str:
    """Return the text of a module with the change of a mutant."""
    place = mutants_of(module, Path(mutant.module)).index(mutant)
    tree = _tree(module)
    _, node, changed = list(_changes(tree))[place]
    return ast.unparse(ast.fix_missing_locations(_Replaced(node, changed).visit(tree)))


_NOTE = """
try:
    __import__("reach").note({!r})
except ImportError:
    pass
"""


def marked(text: str, module: str, functions: Iterable[str]) -> str:
    """Return the text of a module with calls that note (reach.py) when its functions run."""
    tree = ast.parse(text)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name in functions:
            name = f"{module} {function.name}"
            # The Python of an engine does not find the module.
            call = ast.parse(_NOTE.format(name)).body[0]
            function.body.insert(ast.get_docstring(function) is not None, call)
    return ast.unparse(ast.fix_missing_locations(tree))


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else super().generic_visit(node)


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield the function of each expression that may change, the expression, and the changed one.

    Annotations stay. An expression of a function within another belongs to the outer one.
    """
    inner = set[ast.AST]()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or function in inner:
            continue
        inner.update(ast.walk(function))
        for statement in function.body:
            for node in ast.walk(statement):
                changed = _changed(node)
                if changed:
                    yield function.name, node, changed  # type: ignore[misc]


def _changed(node: ast.AST) -> ast.expr | None:
    changed: ast.expr | None = None
    match node:
        case ast.Compare(left, [comparison, *others], right) if type(comparison) in COMPARISONS:
            changed = ast.Compare(left, [COMPARISONS[type(comparison)](), *others], right)
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            changed = ast.BinOp(left, OPERATORS[type(operator)](), right)
        case ast.BoolOp(ast.And(), values):
            changed = ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(ast.Or(), values):
            changed = ast.BoolOp(ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            changed = operand
        case ast.IfExp(test, body, other):
            changed = ast.IfExp(test, other, body)
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            changed = ast.Constant(value + 1)
    return changed
