"""Rate match files from Python: the tables of `bgrating rate` as data frames."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bgmatch.scales import OFFSET
from bgrating.analysis.store import default_path
from bgrating.apart import rate_apart
from bgrating.collection.rate_request import MINUTES, Progress, RateRequest
from bgrating.decisions.thresholds import ERRORS

if TYPE_CHECKING:
    from bgrating.collection.rated_results import RateResult


def rate(
    paths: str | Path | Iterable[str | Path],
    *,
    level: str = "0-ply",
    luck: bool = True,
    player: str = "",
    formula: str = "fitted",
    aliases: str | Path | None = None,
    offset: float = OFFSET,
    engine: str = "",
    check: str = ERRORS,
    minutes: float = MINUTES,
    cores: int = 0,
    results: str | Path | None = None,
    name: str = "",
    sqlite: bool = False,
    store: str | Path | bool = True,
    progress: Progress | None = None,
) -> "RateResult":
    """Rate everybody in match files, as the command `bgrating rate` does.

    Another process does the work, so that the settings of numpy stay the caller's.

    Parameters
    ----------
    paths
        A file, folder or zip archive of matches, or several of them.
    level
        Level of the analysis: "0-ply", which the formula is for, or another one of the engine.
    luck
        Whether to analyse luck too. It takes most of the time.
    player
        The player that the answer names first.
    formula
        "fitted", "published", "published-2003", or the path of a formula file.
    aliases
        A CSV file with the columns alias and name.
    offset
        Rating of a player without errors, in FIBS points.
    engine
        The name of a known engine, or the path of a gnubg program; empty for the default.
    check
        "errors": 2-ply analyses every error again. "none": it does not.
    minutes
        Time for that; the next call goes on where this one stopped.
    cores
        Engine processes side by side; 0 for all cores.
    results
        Folder that receives tables and pages; None writes none.
    name
        Name of these results in that folder; empty for the name of the path.
    sqlite
        Whether that folder also receives one database of all tables.
    store
        The user's store of analyses (True), none (False), or the path of one.
    progress
        Receives the progress and the notices.

    Returns
    -------
    RateResult
        `files`, `matches`, `players` and `decisions` are data frames with a row per file, match and
        player, player, and decision. The page "Tables" has their columns and units.

    Raises
    ------
    BgratingError
        The caller can mend this. The message names the problem and the remedy.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    file = default_path() if store is True else store
    request = RateRequest(
        tuple(map(Path, several)),
        Path(results) if results else None,
        name=name,
        level=level,
        luck=luck,
        player=player,
        formula=formula,
        aliases=Path(aliases) if aliases else None,
        offset=offset,
        engine=engine,
        store=Path(file) if file else None,
        cores=cores,
        check=check,
        minutes=minutes,
        sqlite=sqlite,
    )
    return rate_apart(request, progress or Progress())
