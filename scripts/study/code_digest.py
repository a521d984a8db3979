"""The digest of a module's code and of the modules of this project that it imports.

It is a parameter of rules, so that an edit of a module makes the steps that import it again. An
edit of a comment or a docstring makes none.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]


def code_digest(*names: str, scripts: Path = SCRIPTS) -> str:
    """Return the digest of modules, given by their full names, and of all that they import."""
    digests: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        path = scripts / name.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if name not in digests and file.is_file():
            digests[name], imported = _read(file)
            waiting += imported
    return hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest()


@cache
def _read(file: Path) -> tuple[str, tuple[str, ...]]:
    """Return the digest of a file's code, and the names of modules that it may import."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [one for one in node.body if not _is_text(one)]
        elif isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    packages = [name.rpartition(".")[0] for name in imported]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), (*imported, *packages)


def _is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
