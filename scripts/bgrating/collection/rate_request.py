"""Check the options of a run of `rate` before anything is read or written.

The check needs no pandas, so a wrong request is refused at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bgmatch.scales import OFFSET
from bgrating.analysis.store import default_path
from bgrating.decisions.thresholds import CHECKS, NONE
from bgrating.engine import levels
from bgrating.engine.levels import NO_LUCK
from bgrating.engine.locate import Engine, find_engine
from bgrating.people.aliases import read_aliases
from bgrating.rating.calculator import MOST_OFFSET
from bgrating.rating.result_files import FITTED, PUBLISHED, formula_file
from bgrating.settings_files import SettingsError
from bgrating.site.addresses import PROVENANCE
from bgrating.site.export import check_export
from bgrating.tables.folder import check_folder, check_name, name_of

MINUTES = 10.0
"""Minutes that the second look takes at most by default."""


@dataclass(frozen=True)
class RateRequest:
    """The options of a run.

    `paths`: files, folders, archives. `results`: the folder of tables and pages, below
    human/<name>; None: none are written. `name` of the results, empty for that of the paths.
    `level` and `luck`: how the engine judges. `player`: the player that the answer names first.
    `formula`: fitted, published, published-2003, or a file. `engine`, `engine_version`: as for
    find_engine.
    `store`: its file, None for none. `cores`: 0 for all. `export`: the file for the page of the
    player, or of the only match. `check`: the decisions to judge again (second_look.py), for
    `minutes` at most. `sqlite`: whether to write a database of all tables too.
    """

    paths: Sequence[Path]
    results: Path | None = None
    name: str = ""
    level: str = "0-ply"
    luck: bool = True
    player: str = ""
    formula: str = "fitted"
    aliases: Path | None = None
    offset: float = OFFSET
    engine: str = ""
    engine_version: str = ""
    store: Path | None = field(default_factory=default_path)
    cores: int = 0
    export: Path | None = None
    check: str = NONE
    minutes: float = MINUTES
    sqlite: bool = False


class Progress:
    """Receives the progress and the notices of a run; this one ignores them."""

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """Receive a step of the run.

        Parameters
        ----------
        what
            What is counted, for example "matches analysed".
        done, total
            How many are done, and of how many.
        seconds_left
            Seconds that the rest takes; None where nobody knows.
        """

    def say(self, sentence: str) -> None:
        """Receive a notice for the user."""


@dataclass(frozen=True)
class CheckedRequest:
    """A valid request, with the paths, level, engine and aliases that it names.

    `folder` receives its results.
    """

    request: RateRequest
    paths: tuple[Path, ...]
    name: str
    folder: Path | None
    level: levels.Analysis
    engine: Engine
    aliases: Mapping[str, str]


def check(request: RateRequest) -> CheckedRequest:
    """Check a request without reading a match or writing anything.

    Raises SettingsError or EngineError.
    """
    for path in request.paths:
        if not path.exists():
            raise SettingsError(f"there is no file or folder {path}")
    paths = tuple(dict.fromkeys(path.resolve() for path in request.paths))
    if not paths:
        raise SettingsError("rate wants match files, or a folder of them")
    name = request.name or _name_of(paths)
    check_name(name)
    if not abs(request.offset) <= MOST_OFFSET:
        raise SettingsError(
            f"offset {request.offset:g}: a rating is a number from {-MOST_OFFSET:,.0f} to"
            f" {MOST_OFFSET:,.0f}"
        )
    level = levels.analysis(
        request.level if request.luck else request.level.removesuffix(NO_LUCK) + NO_LUCK
    )
    aliases = read_aliases(request.aliases) if request.aliases else {}
    engine = find_engine(request.engine, request.engine_version)
    _check_formula(request.formula, engine.known.version)
    if request.check not in CHECKS:
        raise SettingsError(f"--check {request.check}: choose one of {', '.join(CHECKS)}")
    if not request.minutes > 0:
        raise SettingsError(
            f"--minutes {request.minutes:g}: a number above 0; --check none judges nothing again"
        )
    if request.export:
        check_export(request.export)
    folder = request.results / "human" / name if request.results else None
    if folder:
        check_folder(folder, PROVENANCE)
    return CheckedRequest(request, paths, name, folder, level, engine, aliases)


def _check_formula(formula: str, engine_version: str) -> None:
    file = formula_file(formula, engine_version)
    if formula not in PUBLISHED and not file.is_file():
        known = "" if formula == FITTED else "; formulas are fitted, published, published-2003"
        raise SettingsError(f"formula {formula}: there is no file {file}{known}")


def _name_of(paths: Sequence[Path]) -> str:
    name = name_of(paths[0], "collection")
    return name if len(paths) == 1 else f"{name}-and-{len(paths) - 1}-more"
