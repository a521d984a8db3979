# Names, settings and input functions that the rule files share.
# Needs: config, config/designs. Makes: nothing.
import os
import re
import sys
import tempfile
from pathlib import Path

from snakemake.exceptions import WorkflowError

PROJECT = Path(str(workflow.current_basedir)).parent  # not the folder that runs it, where this is another's module
sys.path.insert(0, str(PROJECT / "scripts"))
from bgrating.play import designs
from bgrating.engine import levels
from bgrating.rating.files import field_table, own_formula
from bgrating.engine.locate import engine_of, nets_of_run
from bgrating.engine.errors import EngineError
from bgrating.play.designs import frozen_matches, frozen_table, require_matches, require_seed
from bgrating.entry import modules
from bgrating.engine.nets import committed_results, known_nets, results_dir
from bgrating.engine.session import check_engine
from bgrating.settings import SettingsError, check
from bgrating.tournament.design import kept, programs_of, require_same_seed, tournament
from study import law, lock
from study.plan import asked_lengths, require_one_of

lock.hold()

try:
    config["nets"] = str(config["nets"])  # --config nets=1.08 is a number to YAML
    check(config, "config", "settings (config/config.yaml, --config)")
    config["nets"] = nets_of_run(config)
    STUDIES = {study: designs.design(study) for study in designs.studies()}
    TOURNAMENT = tournament(config)
    TOURNAMENTS = {**kept(results_dir(config)), TOURNAMENT.design.study.partition("/")[2]: TOURNAMENT}
    PARTS = [config["part"]] if "part" in config else [part for part, design in STUDIES.items() if design.published]
    for part in PARTS:
        designs.design(part)
except (SettingsError, EngineError) as problem:
    raise WorkflowError(str(problem)) from None

RESULTS = config["results"]
NETS = config["nets"]
PLAYED = str(results_dir(config))  # the studies of these nets, whose tables are never mixed with another's
# A tournament is one more study, under the name tournament/<name>.
STUDIES |= {one.design.study: one.design for one in TOURNAMENTS.values()}
# Parts that have matches in frozen tables, which is all that `analysis` and `comparison` use.
HELD = [part for part in PARTS if any(frozen_matches(Path(PLAYED), STUDIES[part]).values())]
ABSENT = [part for part in PARTS if part not in HELD]
PLAY_FIRST = "restore them from the repository, or play (./run study, ./run tournament)"
# Rules whose jobs start the engine.
WITH_ENGINE = {"shard", "human_shard", "costs"}
SHARD = "{study}/shards/{match_length}/{player}~{opponent}/{shard}"  # as designs.shard_table names it


wildcard_constraints:
    study="|".join(map(re.escape, STUDIES)),
    tournament="|".join(map(re.escape, TOURNAMENTS)),
    match_length=r"\d+",
    player=r"[\w.+@-]+",
    opponent=r"[\w.+@-]+",
    shard=r"\d{3}",


def project_files(*paths):
    """Return files of this project as seen from the folder that the workflow runs in."""
    return [os.path.relpath(PROJECT / path) for path in paths]


def templates(*names):
    """Return the templates of a page, and what every page is made with."""
    return project_files(
        *(f"report/{name}" for name in (*names, "base.html.j2", "macros.html.j2", "page.js", "style.css"))
    )


def require_engine():
    """Start the engine once where jobs will need it. Raises WorkflowError, so that a wrong one is told once."""
    names = {job.rule.name for job in workflow.dag.needrun_jobs()}
    try:
        if names & WITH_ENGINE:
            check_engine(engine_of(config))
    except EngineError as problem:
        raise WorkflowError(str(problem)) from None


def require_one_seed():
    """Look for matches that another seed played. Raises WorkflowError before anything is played anew.

    The error of an input function would not do: Snakemake takes the output that is there already instead.
    """
    jobs = [job for job in workflow.dag.needrun_jobs() if job.rule.name in {"shard", "matches", "tournament_tables"}]
    studies = {getattr(job.wildcards, "study", TOURNAMENT.design.study) for job in jobs}
    try:
        if TOURNAMENT.design.study in studies:
            require_same_seed(TOURNAMENT.design, Path(PLAYED))
        for study in studies:
            for length, rows in frozen_matches(Path(PLAYED), STUDIES[study]).items():
                if rows:
                    require_seed(frozen_table(Path(PLAYED), study, length), config.get("seed", STUDIES[study].seed))
                if study == TOURNAMENT.design.study and "games_per_cell" in config:
                    require_matches(frozen_table(Path(PLAYED), study, length), TOURNAMENT.design)
    except SettingsError as problem:
        raise WorkflowError(str(problem)) from None


def require_writable():
    """Write into the results folder, or the nearest one above it. Raises WorkflowError before anything is computed."""
    place = next(folder for folder in [Path(RESULTS).absolute(), *Path(RESULTS).absolute().parents] if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as problem:
        raise WorkflowError(
            f"results={RESULTS}: {place} cannot be written ({problem.strerror}); choose another folder: results=DIR"
        ) from None


require_writable()


def design_point(wildcards):
    return STUDIES[wildcards.study].point(wildcards.player, wildcards.opponent, int(wildcards.match_length))


def level_files(wildcards):
    """Return the files of the levels that meet in a shard; none where programs meet."""
    if programs_of(wildcards.study, config):
        return []
    return levels.files(wildcards.player) + levels.files(wildcards.opponent)


def shard_matches(wildcards):
    return next(shard.matches for shard in design_point(wildcards).shards() if shard.number == int(wildcards.shard))


def shard_priority(wildcards):
    """Return the priority of a shard: the first shards of all cells precede the second ones, so that they stay even.

    Of these the longest come first (matches times match length), so that no core waits long for the last one.
    """
    return shard_matches(wildcards) * int(wildcards.match_length) - 10**6 * int(wildcards.shard)


def study_seed(wildcards):
    return config.get("seed", STUDIES[wildcards.study].seed)


def shard_tables(study, match_length):
    return [
        designs.shard_table(Path(PLAYED), study, point, shard.number)
        for point in STUDIES[study].points_of(match_length)
        for shard in point.shards()
    ]


def missing_tables(studies):
    from study.pooling import frozen_shards  # pandas, which other targets do not wait for

    missing = []
    for study in studies:
        held = frozen_shards(Path(PLAYED), STUDIES[study])
        for point in STUDIES[study].points:
            for shard in point.shards():
                if (point.match_length, point.player, point.opponent, shard.number) not in held:
                    missing.append(designs.shard_table(Path(PLAYED), study, point, shard.number))
    return missing


def match_tables(wildcards):
    """Return the tables that hold a study's matches: frozen ones, one a match length, or else those of all shards.

    The folder of results decides, not the target. `fill` and `freeze` add to frozen tables what they lack.
    """
    study, design = wildcards.study, STUDIES[wildcards.study]
    held = frozen_matches(Path(PLAYED), design)
    if any(held.values()):
        return [frozen_table(Path(PLAYED), study, length) for length in held]
    return [table for length in design.match_lengths() for table in shard_tables(study, length)]


def frozen_studies(names):
    held = [name for name in names if any(frozen_matches(Path(PLAYED), STUDIES[name]).values())]
    return [f"{PLAYED}/{name}/matches.parquet" for name in held]


def frozen_tournaments(names):
    return [str(table) for name in names for table in sorted(Path(PLAYED, name, "frozen").glob("*.parquet"))]


def require_frozen(name):
    if not any(frozen_matches(Path(PLAYED), STUDIES[name]).values()):
        raise WorkflowError(f"no frozen matches of {name} in {PLAYED}: {PLAY_FIRST}")


def planning(wildcards):
    """Return the costs that a plan starts from. Raises WorkflowError where a plan is asked for nothing or too much."""
    require_frozen(MAIN_STUDY)
    try:
        require_one_of(config.get("halfwidth"), config.get("hours"))
        asked_lengths(str(config.get("lengths", "")))
    except SettingsError as problem:
        raise WorkflowError(str(problem)) from None
    return str(committed_results(NETS) / "statistics" / "costs.csv")


def law_of_others(table):
    tables = [committed_results(nets) / "law" / f"{table}.csv" for nets in known_nets() if nets != NETS]
    return [str(table) for table in tables if table.is_file()]


def half_played(name):
    """Return whether a test is played in part: nobody looks at its results before it is whole."""
    held, planned = frozen_matches(Path(PLAYED), STUDIES[name]), sum(point.matches for point in STUDIES[name].points)
    return name in law.TESTS and 0 < sum(held.values()) < planned


def law_matches(wildcards):
    """Return the tables of matches that the law takes: of studies, and of the tournament of levels."""
    names = dict.fromkeys([*law.STUDIES, *law.OTHERS, *law.DEPTH])
    studies = frozen_studies(name for name in names if name in STUDIES and "/" not in name and not half_played(name))
    return [*studies, *frozen_tournaments(name for name in law.OTHERS if "/" in name)]


def studied(*studies):
    return expand([*rules.fit.output, rules.report.output.report, rules.report.output.summary], study=studies)


def analysed(wildcards):
    """Return what an analysis makes. Raises WorkflowError where no part has matches."""
    if not HELD:
        raise WorkflowError(f"no frozen matches of {', '.join(PARTS)} in {PLAYED}: {PLAY_FIRST}")
    return [*studied(*HELD), *([] if "part" in config else rules.comparison_page.output)]


def refitted(wildcards):
    """Return every table and figure that the repository keeps of these nets, as far as frozen tables determine them.

    Raises WorkflowError where tables are gone: nothing is played for it.
    """
    for name in (TOURNAMENT.design.study, MAIN_STUDY):
        require_frozen(name)
    fits = expand(rules.fit.output, study=HELD)
    of_decide = (*rules.decide_errors.output, *rules.decide_money.output)
    simulated = [path for path in of_decide if Path(path).is_relative_to(PLAYED)]
    figures = [rules.law_page.output.figures, f"{PLAYED}/{MAIN_STUDY}/figures"]
    tables = [*rules.compare.output, *rules.law_tables.output]
    tournaments = expand(rules.tournament_tables.output, tournament=TOURNAMENTS)
    return [*fits, *tables, *tournaments, *simulated, *figures]
