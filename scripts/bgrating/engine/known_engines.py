"""List the known engines (gnubg_configs/engines), and tell whose version made a table.

Errors found by different versions cannot be mixed: each has its own formula and folder of results.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bgmatch.records import Record
from bgrating import BgratingError
from bgrating.engine.levels import CONFIGS
from bgrating.places import user_files
from bgrating.settings_files import read_settings, settings_files

ENGINES = CONFIGS / "engines"


class MixedVersionsError(BgratingError):
    """Results of different or unknown engine versions cannot be used together."""


@dataclass(frozen=True)
class KnownEngine:
    """An engine that the project knows.

    `reported` is the beginning of its `show version`. `is_module`: it is a Python package, not a
    program. `version` is the release of gnubg whose neural nets it has. Its formula depends on
    them; settings, tables and folders call the version `nets`. `package` is the Python package with
    its version. `install` is the remedy if it is missing. `checksums` are the sha256 of its weights
    and bearoff databases by file name.
    """

    name: str
    reported: str
    is_module: bool = False
    version: str = ""
    package: str = ""
    install: str = ""
    checksums: Mapping[str, str] = field(default_factory=dict)

    def has_version(self, text: str) -> bool:
        return text == self.reported or text.startswith(f"{self.reported} ")


@cache
def known_engines() -> tuple[KnownEngine, ...]:
    """Return the known engines in search order: modules first, the newest version first."""
    engines = [_known(path) for path in settings_files(ENGINES, user_files("engines")).values()]
    return tuple(
        sorted(engines, key=lambda engine: (engine.is_module, engine.version), reverse=True)
    )


def _known(path: Path) -> KnownEngine:
    settings = read_settings(ENGINES, path, "engine")
    return KnownEngine(
        path.stem,
        settings["version"],
        is_module=settings["runs"] == "module",
        version=settings["nets"],
        package=settings.get("package", ""),
        install=settings["install"],
        checksums=settings["checksums"],
    )


def engine_versions() -> list[str]:
    return list(dict.fromkeys(engine.version for engine in known_engines()))


def shared_version(engines: Mapping[str, Record], expected: str = "") -> str:
    """Return the engine version that several tables share, given their engines by name.

    Raises MixedVersionsError naming another.
    """
    for name, engine in engines.items():
        version = version_of(engine, name)
        expected = expected or version
        if version != expected:
            raise MixedVersionsError(
                f"{name} holds matches of gnubg {version}, which are not mixed with those of"
                f" {expected}"
            )
    return expected


def version_of(engine: Record, where: object) -> str:
    """Return the version of an engine that a provenance describes.

    Raises MixedVersionsError naming `where` if it is unknown.
    """
    for known in known_engines():
        # Files that the engine does not have decide nothing.
        sums = {**known.checksums, **engine["checksums"]}
        if known.has_version(engine["version"]) and known.checksums.items() <= sums.items():
            return known.version
    raise MixedVersionsError(
        f"{where}: made by '{engine['version']}' with weights that no engine of"
        f" gnubg_configs/engines has; known nets are {', '.join(engine_versions())}"
    )
