# Analyse matches.
# Needs: archives of .mat files (rules/play.smk), gnubg_configs/analysis.
# Makes: beside each archive <shard>.csv, one row per match and player, and its provenance.


rule analyse:
    input:
        archive=f"{RESULTS}/{SHARD}.zip",
        level=lambda w: levels.files(STUDIES[w.study].analysis, "analysis"),
        filters="gnubg_configs/movefilters.yaml",
        code=[
            "scripts/bgrating/engine/inside.py",
            "scripts/bgrating/engine/commands.py",
            "scripts/bgrating/match_statistics.py",
            "scripts/bgrating/cube_decisions.py",
        ],
    output:
        table=f"{RESULTS}/{SHARD}.csv",
        provenance=f"{RESULTS}/{SHARD}.csv.provenance.json",
    log:
        f"logs/{SHARD}.analyse.log",
    priority: shard_priority
    conda:
        "../environment.yml"
    resources:
        matches=shard_matches,
        effort=shard_effort,
    params:
        engine_version=config["engine_version"],
    message:
        "analyse {wildcards.study}: {resources.matches} matches to {wildcards.match_length}, {wildcards.player} against {wildcards.opponent}, shard {wildcards.shard}"
    script:
        "../scripts/analyse.py"
