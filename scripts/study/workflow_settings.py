"""The settings of a run, and the inputs, outputs and parameters of rules that follow from them.

Rules use it while Snakemake reads them, and jobs do (scripts/job.py). It imports no package that
Snakemake lacks.
"""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from bgleague.tournament import design as tournaments
from bgleague.tournament.design import STUDY, Tournament
from bgmatch.records import Json, Record
from bgrating.analysis import ANALYSIS
from bgrating.engine import levels
from bgrating.engine.known_engines import engine_versions, known_engines
from bgrating.places import DATA, USER_KINDS, use_user_files
from bgrating.play import designs
from bgrating.play.designs import Design, DesignPoint, Shard, frozen_tables
from bgrating.rating.result_files import PUBLISHED, formula_file, population_table, results_of
from bgrating.settings_files import SettingsError, check, load_yaml
from bgrating.tables.folder import name_of
from bgrating.tables.provenance import digest, write_atomic

# The sources of every page, beside its own template.
EVERY_PAGE = ("base.html.j2", "macros.html.j2", "page.js", "page.css", "style.css")
RUNS_IN = "BGRATING_RUNS_IN"
SETTINGS = "BGRATING_SETTINGS"


class PlannedShard(NamedTuple):
    """A shard of a design: its cell, its number with its matches, and the folder of its study."""

    point: DesignPoint
    shard: Shard
    folder: Path

    @property
    def archive(self) -> Path:
        return self.folder / "shards" / f"{self.point.shard_path(self.shard)}.zip"

    @property
    def table(self) -> Path:
        return self.folder / "analyses" / f"{self.point.shard_path(self.shard)}.csv"


class Settings:
    """The checked settings of a run.

    `results` is the folder of results, `engine_version` is the setting `nets`, and `played` the
    folder of its studies. Raises SettingsError for a wrong setting; a wrong design or level raises
    it on first use.
    """

    def __init__(self, config: Record) -> None:
        defaults = load_yaml(DATA / "config" / "config.yaml")
        self.config: Json = {**defaults, **config, "nets": str(config.get("nets", ""))}
        check(self.config, "config", "settings (config/config.yaml, --config)")
        user_files = {kind: self.config[kind] for kind in USER_KINDS if self.config.get(kind)}
        # `levels` may list the players of a tournament; a single word is a path.
        names = user_files.get("levels", "")
        is_list = isinstance(names, list) or ("," in names and not Path(names).exists())
        self._players = user_files.pop("levels") if is_list else ""
        for kind, path in user_files.items():
            if not Path(str(path)).exists():
                raise SettingsError(f"{kind}={path}: there is no such file or folder")
        use_user_files(user_files)
        self.engine_version = self.config["nets"] = self._engine_version()
        self.results = Path(str(self.config["results"]))
        if any(folder.is_file() for folder in [self.results, *self.results.parents]):
            raise SettingsError(f"results={self.results} is a file: choose a folder")
        for key in ("results", "aliases", "formula"):
            if set("{}") & set(str(self.config.get(key))):
                raise SettingsError(
                    f"{key}={self.config[key]}: Snakemake takes braces for wildcards; choose"
                    " another path"
                )
        self.played = self.results / self.engine_version
        self._designs: dict[str, Design] = {}

    def _engine_version(self) -> str:
        """Return the setting `nets`, else the version of the setting `engine`, else the newest."""
        engine_version = str(self.config["nets"])
        engine = self.config["engine"]
        if engine_version and engine_version not in engine_versions():
            raise SettingsError(
                f"nets={engine_version}: no engine has these nets; there are:"
                f" {', '.join(engine_versions())}"
            )
        by_engine = {known.name: known.version for known in known_engines()}
        if engine and not engine_version and engine not in by_engine:
            raise SettingsError(
                f"engine={engine} is a program: say whose nets it has, such as"
                f" nets={engine_versions()[-1]}"
            )
        return engine_version or by_engine.get(engine, known_engines()[0].version)

    @cached_property
    def tournament(self) -> Tournament:
        """The tournament of the settings. Raises SettingsError."""
        settings = {**self.config, "levels": self._players}
        if not self._players:
            del settings["levels"]
        return tournaments.tournament(settings)

    @cached_property
    def tournaments(self) -> dict[str, Tournament]:
        """The tournament of the settings by its study; none if it is wrong."""
        try:
            return {self.tournament.design.study: self.tournament}
        except SettingsError:
            return {}

    def write(self) -> Path:
        """Write the settings into Snakemake's folder, for pasted commands of jobs; return the file.

        Only the folder of results determines its name, so a setting that changes no result reruns
        nothing. Another run may overwrite the file, so the jobs of this run find the settings in
        the variable SETTINGS. RUNS_IN has the number of this process; a job ends when it ends.
        """
        path = Path(".snakemake", "bgrating", f"{digest(str(self.played.absolute()))[:12]}.json")
        text = json.dumps(self.config, sort_keys=True, indent=1)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text)
        os.environ |= {RUNS_IN: str(os.getpid()), SETTINGS: text}
        return path

    @property
    def studies(self) -> list[str]:
        return [*designs.studies(), *self.tournaments]

    @property
    def chosen_studies(self) -> list[str]:
        """The studies of the target `study`: the setting `part`, else the published ones.

        Raises SettingsError for a study without a design.
        """
        if "part" in self.config:
            return [self.design(self.config["part"]).study]
        return designs.published()

    @property
    def frozen_studies(self) -> list[str]:
        """The chosen studies that have frozen matches. Raises SettingsError if none has."""
        studies = list(filter(self.frozen, self.chosen_studies))
        if not studies:
            raise SettingsError(
                f"no frozen matches of {', '.join(self.chosen_studies)} in {self.played}: restore"
                " them from the repository, or play (snakemake study, snakemake tournament)"
            )
        return studies

    @property
    def tournament_names(self) -> list[str]:
        return [study.removeprefix(STUDY) for study in self.tournaments]

    def design(self, study: str) -> Design:
        """Return the design of a study or tournament, with the seed of the settings.

        Raises SettingsError.
        """
        if study in self.tournaments:
            return self.tournaments[study].design
        if study not in self._designs:
            design = designs.design(study)
            if "seed" in self.config and study not in self.added_studies:
                design = replace(design, seed=int(self.config["seed"]))
            self._designs[study] = design
        return self._designs[study]

    def shards(
        self, study: str, match_length: int | None = None, folder: Path | None = None
    ) -> Iterator[PlannedShard]:
        """Yield the shards of a study, or of one of its match lengths, in the order of the
        design.

        `folder` is that of the study, by default the one below the results.
        """
        for point in self.design(study).points:
            if match_length in {None, point.match_length}:
                for shard in point.shards():
                    yield PlannedShard(point, shard, folder or self.played / study)

    def shard(
        self, study: str, match_length: str, player: str, opponent: str, number: str
    ) -> PlannedShard:
        """Return a shard by the wildcards of its path.

        Raises SettingsError if the design has no such shard.
        """
        absent = SettingsError(
            f"{study} has no shard {number} of {player} against {opponent} to {match_length} points"
        )
        try:
            point = self.design(study).point(player, opponent, int(match_length))
        except KeyError:
            raise absent from None
        shard = point.shard(int(number))
        if shard.matches <= 0:
            raise absent
        return PlannedShard(point, shard, self.played / study)

    def require_results(self) -> None:
        """Make the folder of results. Raises SettingsError if no file can be written there."""
        try:
            self.results.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=self.results).close()
        except OSError as problem:
            raise SettingsError(
                f"results={self.results} cannot be written ({problem.strerror}): give results="
                " another folder"
            ) from None

    def require_packages(self, python: str) -> None:
        """Require that a Python has the packages of the study. Raises SettingsError.

        `./run` has set up the Python of the project.
        """
        needed = ("matplotlib", "pyarrow", "statsmodels")
        if python == sys.executable and not all(map(find_spec, needed)):
            command = shlex.quote(os.path.relpath(DATA / "run"))
            raise SettingsError(
                f"{python} has not the packages of the study: {command} set-up installs them, then"
                " run the same again"
            )

    def require_engine(self) -> None:
        """Find the engine and check its identity. Raises EngineError."""
        from bgrating.engine import locate, session  # noqa: PLC0415 - most targets need no engine

        session.check_engine(locate.engine_of(self.config))

    def programs(self, study: str) -> Mapping[str, str]:
        """Return the programs that play a tournament by their short names.

        There are none if levels of one gnubg play.
        """
        return self.tournaments[study].programs if study in self.tournaments else {}

    def task(self, study: str, shard: PlannedShard) -> Json:
        """Return what determines a shard's play: its players, move filters, seed, and matches."""
        design = self.design(study)
        names = shard.point.player, shard.point.opponent
        programs = self.programs(study)
        filters = levels.move_filters()
        player_levels: list[Json] = []
        if not programs:
            player_levels = [asdict(design.player_level(name)) for name in names]
        return {
            "players": player_levels or [programs[name] for name in names],
            "names": names,
            "move_filters": [filters[level["movefilter"]] for level in player_levels],
            "match_length": shard.point.match_length,
            "study_seed": design.seed,
            "shard": shard.shard.number,
            "matches": shard.shard.matches,
            "figures": ANALYSIS,
        }

    def analysis(self, study: str) -> Json:
        """Return the parameters of a study's analysis: level, move filter, and ANALYSIS."""
        level = self.design(study).analysis_level()
        return {
            "level": asdict(level),
            "move_filter": levels.move_filters()[level.movefilter],
            "figures": ANALYSIS,
        }

    @property
    def added_studies(self) -> list[str]:
        """The studies of the setting `studies`, without that of `part`."""
        setting = self.config.get("studies", ())
        names = setting.split(",") if isinstance(setting, str) else setting
        return [name.strip() for name in names if name.strip() != self.config.get("part")]

    def fitted(self, study: str) -> list[str]:
        """Return the studies whose matches are fitted for a study.

        They are the study itself and those of the setting `studies`.

        Raises SettingsError for a study without a design.
        """
        return list(dict.fromkeys(self.design(name).study for name in (study, *self.added_studies)))

    def cells(self, study: str) -> str:
        """Return a digest of the design points of a study.

        It is of players, match lengths and numbers of matches.
        """
        return digest([vars(point) for point in self.design(study).points])

    def match_tables(self, study: str) -> list[str]:
        """Return the tables of a study's matches: frozen tables, else those of its shards."""
        frozen = self.frozen(study)
        tables = []
        for length in self.design(study).match_lengths():
            if length in frozen:
                tables.append(str(frozen[length]))
            else:
                tables += [str(shard.table) for shard in self.shards(study, length)]
        return tables

    @property
    def collection_name(self) -> str:
        """The name of the folder of a collection's tables."""
        return str(
            self.config.get("name")
            or name_of(Path(str(self.config.get("collection", "none"))), "collection")
        )

    def collection_files(self) -> list[str]:
        """Return the files of the collection. Raises SettingsError if it does not exist."""
        collection = self.config.get("collection")
        if not collection:
            raise SettingsError(
                "no collection: ./run human --collection DIR rates the match files in a folder"
            )
        if not Path(collection).exists():
            raise SettingsError(f"collection={collection}: there is no such file or folder")
        # This module imports the readers of match files.
        from bgrating.collection.listing import list_paths  # noqa: PLC0415

        return [file.path for file in list_paths([Path(collection)], self.results)]

    def collection_settings(self) -> list[str]:
        """Return the files beside the matches that a collection's tables depend on.

        They are the formula, the aliases and the stored field.
        """
        formula = str(self.config["formula"])
        files = list[Path]()
        if formula not in PUBLISHED:
            files.append(formula_file(formula, self.engine_version))
        if self.config.get("aliases"):
            files.append(Path(str(self.config["aliases"])))
        return [
            str(path) for path in [*files, population_table(self.engine_version)] if path.is_file()
        ]

    def frozen(self, study: str) -> dict[int, Path]:
        """Return the existing frozen tables of a study by match length.

        For a study of the setting `studies`, the repository's tables replace those that the folder
        of results lacks.
        """
        tables = frozen_tables(self.played, self.design(study))
        if tables or study not in self.added_studies:
            return tables
        return frozen_tables(results_of(self.engine_version), self.design(study))


def own_python(project: Path) -> str:
    """Return the Python of the project's .venv, which has the packages of the study, or else that
    of Snakemake.
    """
    python = project / ".venv" / "bin" / "python"
    return str(python) if python.is_file() else sys.executable
