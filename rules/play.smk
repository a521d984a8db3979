# Play matches and analyse them.
# Needs: gnubg_configs/players and analysis, a study's design, an engine.
# Makes: <results>/<nets>/<study>/shards/<N>/<player>~<opponent>/<shard>.zip, an archive of .mat files, beside it
# <shard>.csv, one row per match and player, and their provenance; of studies that are only played the archive alone.
PLAY_CODE = [
    "scripts/bgrating/engine/inside.py",
    "scripts/bgrating/engine/commands.py",
    "scripts/bgrating/play/seeds.py",
]


# Both in one job: a start of a job costs as much as some matches.
rule shard:
    input:
        levels=lambda w: levels.files(w.player) + levels.files(w.opponent),
        analysis=lambda w: levels.files(STUDIES[w.study].analysis, "analysis"),
        filters=own("gnubg_configs/movefilters.yaml"),
        code=own(
            *PLAY_CODE,
            "scripts/bgrating/engine/sgf.py",
            "scripts/bgrating/engine/statistics.py",
            "scripts/bgrating/engine/cube_decisions.py",
        ),
    output:
        archive=f"{PLAYED}/{SHARD}.zip",
        archive_provenance=f"{PLAYED}/{SHARD}.zip.provenance.json",
        table=f"{PLAYED}/{SHARD}.csv",
        table_provenance=f"{PLAYED}/{SHARD}.csv.provenance.json",
    log:
        f"logs/{SHARD}.log",
    wildcard_constraints:
        study="|".join(re.escape(study) for study, design in STUDIES.items() if design.analysis != designs.NO_ANALYSIS),
    priority: shard_priority
    resources:
        matches=shard_matches,
    params:
        seed=study_seed,
    message:
        "play and analyse {wildcards.study}: {resources.matches} matches to {wildcards.match_length}, {wildcards.player} against {wildcards.opponent}, shard {wildcards.shard}"
    script:
        "../scripts/shard.py"


rule play:
    input:
        levels=rules.shard.input.levels,
        filters=rules.shard.input.filters,
        code=own(*PLAY_CODE),
    output:
        archive=f"{PLAYED}/{SHARD}.zip",
        provenance=f"{PLAYED}/{SHARD}.zip.provenance.json",
    log:
        f"logs/{SHARD}.play.log",
    wildcard_constraints:
        study="|".join(re.escape(study) for study, design in STUDIES.items() if design.analysis == designs.NO_ANALYSIS),
    resources:
        matches=shard_matches,
    params:
        seed=study_seed,
    message:
        "play {wildcards.study}: {resources.matches} matches to {wildcards.match_length}, {wildcards.player} against {wildcards.opponent}, shard {wildcards.shard}"
    script:
        "../scripts/shard.py"
