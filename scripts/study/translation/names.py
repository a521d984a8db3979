"""What the translation between nets reads and makes, by name: light, since every start of the workflow asks for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bgrating.collection import listing
from bgrating.engine.nets import KEPT
from bgrating.rating.files import formula_file
from bgrating.settings import SettingsError

OLD, NEW = "1.07.001", "1.08"
NETS = (OLD, NEW)
STUDY = "translation"
"""The design (config/designs) of the simulated matches that the repository keeps."""
LEVEL = "0-ply"
"""At which people's matches are judged."""
SIMULATED, PEOPLE = "simulated", "people"
"""Sources of pairs: simulated matches, and people's of all collections together; a collection goes by its folder."""
FROZEN = KEPT / "translation" / "frozen" / "pairs.parquet"
TABLES = ("ratios", "agreement", "coefficients", "slopes", "prediction")


def formula_files() -> dict[str, Path]:
    """Return the files of the formulas of both nets (`coefficients=fitted`), by nets, as far as they are there."""
    paths = {nets: formula_file("fitted", nets) for nets in NETS}
    return {nets: path for nets, path in paths.items() if path.is_file()}


def collections(config: Mapping[str, Any]) -> list[Path]:
    """Return the folders that collections=DIR,DIR names; none where it is not set."""
    return [Path(name) for name in str(config.get("collections", "")).split(",") if name]


def fingerprints(folders: list[Path], results: str) -> str:
    """Return what changes when one of the folders does. Raises SettingsError where one is missing."""
    return " ".join(listing.fingerprint(folder, Path(results)) for folder in folders)


def analysed_by(archive: Path, nets: str) -> Path:
    """Return where the table of an archive's matches stands as these nets see them."""
    return archive.with_name(f"{archive.stem}.{nets}.csv")


def check_wish(config: Mapping[str, Any]) -> None:
    """Raise SettingsError where pairs are to be made anew and the settings do not say of what."""
    if not (collections(config) or "part" in config):
        raise SettingsError(
            f"translation_pairs: say what both engines are to analyse: collections=DIR,DIR (folders of match files), "
            f"part={STUDY} (simulated matches, played anew) or both; the rest is taken from the repository"
        )
