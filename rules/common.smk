# Names, settings and input functions that the rule files share.
# Needs: config, config/designs. Makes: nothing.
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))
from bgrating import designs, levels
from bgrating.frozen import frozen_matches, frozen_part
from bgrating.modules import modules
from bgrating.plan.settings import asked_lengths, one_wish
from bgrating.progress import announce_matches
from bgrating.settings import SettingsError, check
from bgrating.tournament.design import need, tournament

try:
    check(config, "config", "settings (config/config.yaml, --config)")
    STUDIES = {study: designs.design(study) for study in designs.studies()}
    TOURNAMENT = tournament(config)
    PARTS = [config["part"]] if "part" in config else [part for part, design in STUDIES.items() if design.published]
    for part in PARTS:
        designs.design(part)
except SettingsError as problem:
    raise WorkflowError(str(problem)) from None

RESULTS = config["results"]
# A tournament is one more study, under the name tournament/<name>.
STUDIES[TOURNAMENT.design.study] = TOURNAMENT.design
NEED = need(TOURNAMENT.design, Path(RESULTS))
# Parts that have matches in frozen tables, which is all that `analysis` and `comparison` use.
HELD = [part for part in PARTS if any(frozen_matches(Path(RESULTS), STUDIES[part]).values())]
ABSENT = [part for part in PARTS if part not in HELD]
# Targets that work from frozen tables alone.
FROM_FROZEN = {"analysis", "comparison", "estimates", "coverage", "plan", "tournament_analysis"}
SHARD = "{study}/shards/{match_length}/{player}~{opponent}/{shard}"  # as designs.shard_table names it


wildcard_constraints:
    study="|".join(map(re.escape, STUDIES)),
    match_length=r"\d+",
    player=r"[\w.+-]+",
    opponent=r"[\w.+-]+",
    shard=r"\d{3}",


def design_point(wildcards):
    """Return the design point of a shard."""
    return STUDIES[wildcards.study].point(wildcards.player, wildcards.opponent, int(wildcards.match_length))


def shard_matches(wildcards):
    """Return how many matches a shard holds."""
    return next(shard.matches for shard in design_point(wildcards).shards() if shard.number == int(wildcards.shard))


def shard_effort(wildcards):
    """Return what a shard costs beside others: its points, matches times match length (the progress display uses it)."""
    return shard_matches(wildcards) * int(wildcards.match_length)


def shard_priority(wildcards):
    """Return how urgent a shard is: in a tournament the cells with the fewest shards come first, elsewhere all alike."""
    if wildcards.study != TOURNAMENT.design.study:
        return 0
    most = max(NEED.values(), default=0)
    return most - NEED.get((wildcards.player, wildcards.opponent, int(wildcards.shard)), most)


def study_seed(wildcards):
    """Return the study's seed: its design's, or --config seed=."""
    return config.get("seed", STUDIES[wildcards.study].seed)


def shard_tables(study, match_length):
    """Return the tables of all shards of one match length of a study, in the order of the design."""
    return [
        designs.shard_table(Path(RESULTS), study, point, shard.number)
        for point in STUDIES[study].points_of(match_length)
        for shard in point.shards()
    ]


def length_tables(wildcards):
    """Return the tables of a study, one a match length: the frozen ones where the target is one of FROM_FROZEN.

    These take what the frozen tables hold and never play, whatever shards are at hand.
    """
    design = STUDIES[wildcards.study]
    if FROM_FROZEN.isdisjoint(workflow.dag_settings.targets):
        folder, lengths = "pooled", design.match_lengths()
    else:
        folder, lengths = "frozen", frozen_matches(Path(RESULTS), design)
    return [f"{RESULTS}/{wildcards.study}/{folder}/{length}.parquet" for length in lengths]


def planned_part(parts, part):
    """Return the frozen table of one part of the planned study in a list; empty where any part is missing."""
    tables = {name: frozen_part(Path(RESULTS), STUDIES[study]) for name, study in parts.items()}
    return [str(tables[part])] if all(table.is_file() for table in tables.values()) else []


def frozen_tournaments(names):
    """Return the frozen tables of tournaments, as far as they are there."""
    return [str(table) for name in names for table in sorted(Path(RESULTS, name, "frozen").glob("*.parquet"))]


def planning(wildcards):
    """Return the costs that a plan starts from. Raises WorkflowError where a plan is asked for nothing or too much."""
    try:
        one_wish(config.get("halfwidth"), config.get("hours"))
        asked_lengths(str(config.get("lengths", "")))
    except SettingsError as problem:
        raise WorkflowError(str(problem)) from None
    return "results/statistics/costs.csv"


def tournament_archives(wildcards):
    """Return the first archive of every cell; none where the target is `tournament_analysis`, which has no shards."""
    if "tournament_analysis" in workflow.dag_settings.targets:
        return []
    study, cells = TOURNAMENT.design.study, TOURNAMENT.design.points
    return [designs.shard_table(Path(RESULTS), study, cell, 0).with_suffix(".zip") for cell in cells]


def analysed(pattern):
    """Return a file of every part that an analysis can use. Raises WorkflowError where there is none."""
    if not HELD:
        raise WorkflowError(
            f"no frozen matches of {', '.join(PARTS)} in {RESULTS}: restore them from the repository, or play (./run study)"
        )
    return expand(pattern, part=HELD)
