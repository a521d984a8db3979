"""Mutants of modules: one small change of meaning each, as a slip of the keyboard makes it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

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


@dataclass(frozen=True)
class Mutant:
    """A module with one change; `line` and `words` say where and what."""

    module: Path
    line: int
    words: str
    text: str


def drawn(scripts: Path, rooms: tuple[str, ...], number: int, seed: int) -> list[Mutant]:
    """Return mutants of the modules in some rooms, each change as likely as the others."""
    modules = sorted(module for room in rooms for module in (scripts / room).glob("*.py"))
    places = [
        (module, place) for module in modules for place in range(len(list(_changes(_tree(module)))))
    ]
    return [_mutant(*place) for place in Random(seed).sample(places, number)]


def _tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def _mutant(module: Path, place: int) -> Mutant:
    tree = _tree(module)
    node, changed = list(_changes(tree))[place]
    before, after = ast.unparse(node), ast.unparse(changed)
    new = _Replaced(node, changed).visit(tree)
    return Mutant(
        module, node.lineno, f"{before} -> {after}", ast.unparse(ast.fix_missing_locations(new))
    )


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else super().generic_visit(node)


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield expressions of functions, and what a mutant has in their place; annotations stay."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                for node in ast.walk(statement):
                    if changed := _changed(node):
                        yield node, changed  # type: ignore[misc]


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
