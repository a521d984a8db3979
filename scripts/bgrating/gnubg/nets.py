"""Where the results of an engine's nets stand, and whose nets made a table: an engine's errors have its own formula."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bgrating import BgratingError
from bgrating.gnubg.known import known_engines

KEPT = Path(__file__).resolve().parents[3] / "results"
"""The results that the repository keeps; a run's own are where the setting `results` says."""


class NetsError(BgratingError):
    """Results of different nets were to be mixed, or nobody knows the nets that made them."""


def kept(nets: str) -> Path:
    """Return the folder of what the repository keeps of these nets."""
    return KEPT / nets


def of_run(config: Mapping[str, Any]) -> Path:
    """Return the folder of a run's studies: results/<nets>."""
    return Path(config["results"], config["nets"])


def known_nets() -> list[str]:
    """Return the nets of the known engines, the newest first."""
    return list(dict.fromkeys(engine.nets for engine in known_engines()))


def one_nets(engines: Mapping[str, Mapping[str, Any]], expected: str = "") -> str:
    """Return the nets that several tables share (their engines by name). Raises NetsError naming one that differs."""
    for name, engine in engines.items():
        nets = nets_of(engine, name)
        if nets != (expected := expected or nets):
            raise NetsError(f"{name} holds matches of gnubg {nets}, which are not mixed with those of {expected}")
    return expected


def nets_of(engine: Mapping[str, Any], where: object) -> str:
    """Return the nets of an engine as a provenance describes it. Raises NetsError naming `where` it is unknown."""
    for known in known_engines():
        same = all(engine["checksums"].get(name, sha) == sha for name, sha in known.checksums.items())
        if known.has_version(engine["version"]) and same:
            return known.nets
    raise NetsError(
        f"{where}: made by '{engine['version']}' with weights that no engine of gnubg_configs/engines has; "
        f"known nets are {', '.join(known_nets())}"
    )
