"""The engines that the project knows: data in gnubg_configs/engines, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bgrating.settings import check, load_yaml

ENGINES = Path(__file__).resolve().parents[3] / "gnubg_configs" / "engines"


@dataclass(frozen=True)
class KnownEngine:
    """What is known of an engine.

    `is_module` tells a Python package from a program; `nets` names its neural nets, on which its formula depends;
    `version` is how its `show version` begins; `package` the Python package with its version; `install` what to do
    where it is missing; `checksums` the sha256 of its weights and bearoff databases by file name; `unreadable` the
    formats of match files that it cannot read.
    """

    name: str
    is_module: bool
    nets: str
    version: str
    package: str
    install: str
    checksums: Mapping[str, str]
    unreadable: tuple[str, ...] = ()

    def has_version(self, text: str) -> bool:
        """Tell whether a version line is this engine's."""
        return text == self.version or text.startswith(f"{self.version} ")


@cache
def known_engines() -> tuple[KnownEngine, ...]:
    """Return the known engines in the order in which they are looked for: modules first, then the newest nets."""
    found = [_known(path) for path in sorted(ENGINES.glob("*.yaml"))]
    return tuple(sorted(found, key=lambda engine: (engine.is_module, engine.nets), reverse=True))


def _known(path: Path) -> KnownEngine:
    facts: Mapping[str, Any] = load_yaml(path)
    check(facts, "engine", f"gnubg_configs/engines/{path.name}")
    return KnownEngine(
        name=path.stem,
        is_module=facts["runs"] == "module",
        nets=facts["nets"],
        version=facts["version"],
        package=facts.get("package", ""),
        install=facts["install"],
        checksums=facts["checksums"],
        unreadable=tuple(facts.get("unreadable", ())),
    )
