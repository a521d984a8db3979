"""List the known engines (gnubg_configs/engines), and tell whose neural nets made a table.

Errors under different nets cannot be mixed: each has its own formula and folder of results.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bgmatch.records import Record
from bgrating import BgratingError
from bgrating.engine.levels import CONFIGS
from bgrating.places import own_files
from bgrating.settings_files import read_settings, settings_files

ENGINES = CONFIGS / "engines"


class NetsError(BgratingError):
    """Results of different or unknown nets cannot be used together."""


@dataclass(frozen=True)
class KnownEngine:
    """The facts of an engine.

    `is_module`: it is a Python package, not a program. `nets` names its neural nets, on which its
    formula depends. `version` is the beginning of its `show version`, `package` the Python package
    with its version. `install` is the remedy if it is missing. `checksums` are the sha256 of its
    weights and bearoff databases by file name.
    """

    name: str
    version: str
    is_module: bool = False
    nets: str = ""
    package: str = ""
    install: str = ""
    checksums: Mapping[str, str] = field(default_factory=dict)

    def has_version(self, text: str) -> bool:
        return text == self.version or text.startswith(f"{self.version} ")


@cache
def known_engines() -> tuple[KnownEngine, ...]:
    """Return the known engines in search order: modules first, then the newest nets."""
    engines = [_known(path) for path in settings_files(ENGINES, own_files("engines")).values()]
    return tuple(sorted(engines, key=lambda engine: (engine.is_module, engine.nets), reverse=True))


def _known(path: Path) -> KnownEngine:
    settings = read_settings(ENGINES, path, "engine")
    del settings["description"]
    is_module = settings.pop("runs") == "module"
    return KnownEngine(path.stem, is_module=is_module, **settings)


def known_nets() -> list[str]:
    return list(dict.fromkeys(engine.nets for engine in known_engines()))


def one_nets(engines: Mapping[str, Record], expected: str = "") -> str:
    """Return the nets that several tables share, given their engines by name.

    Raises NetsError naming another.
    """
    for name, engine in engines.items():
        nets = nets_of(engine, name)
        expected = expected or nets
        if nets != expected:
            raise NetsError(
                f"{name} holds matches of gnubg {nets}, which are not mixed with those of"
                f" {expected}"
            )
    return expected


def nets_of(engine: Record, where: object) -> str:
    """Return the nets of an engine that a provenance describes.

    Raises NetsError naming `where` if it is unknown.
    """
    for known in known_engines():
        # Files that the engine does not have decide nothing.
        sums = {**known.checksums, **engine["checksums"]}
        if known.has_version(engine["version"]) and known.checksums.items() <= sums.items():
            return known.nets
    raise NetsError(
        f"{where}: made by '{engine['version']}' with weights that no engine of"
        f" gnubg_configs/engines has; known nets are {', '.join(known_nets())}"
    )
