# The tournament: a round robin of gnubg levels, rated by every system side by side.
# Needs: config/tournament.yaml, or --config match_length= levels= games_per_cell=; shards are played by rules/play.smk.
# Makes: <results>/tournament/<name>/ ...
TOURNAMENT_FOLDER = f"{RESULTS}/{TOURNAMENT.design.study}"


# Only plays and analyses what is missing.
rule tournament_shards:
    input:
        lambda w: shard_tables(TOURNAMENT.design.study, TOURNAMENT.match_length),
    log:
        f"logs/{TOURNAMENT.design.study}/shards.log",
    localrule: True
    conda:
        "../environment.yml"
    message:
        "the matches of the tournament {TOURNAMENT.name}"
    shell:
        "true 2> {log:q}"
