# Play matches.
# Needs: gnubg_configs/players, a study's design.
# Makes: <results>/<study>/shards/<N>/<player>~<opponent>/<shard>.zip, an archive of .mat files, and its provenance.


rule play:
    input:
        levels=lambda w: levels.files(w.player) + levels.files(w.opponent),
        filters="gnubg_configs/movefilters.yaml",
        code=[
            "scripts/bgrating/engine/inside.py",
            "scripts/bgrating/engine/commands.py",
            "scripts/bgrating/seeds.py",
        ],
    output:
        archive=f"{RESULTS}/{SHARD}.zip",
        provenance=f"{RESULTS}/{SHARD}.zip.provenance.json",
    log:
        f"logs/{SHARD}.play.log",
    priority: shard_priority
    conda:
        "../environment.yml"
    resources:
        matches=shard_matches,
        effort=shard_effort,
    params:
        seed=study_seed,
        engine_version=config["engine_version"],
    message:
        "play {wildcards.study}: {resources.matches} matches to {wildcards.match_length}, {wildcards.player} against {wildcards.opponent}, shard {wildcards.shard}"
    script:
        "../scripts/play.py"
