# A collection of matches of people, read, analysed and rated in one job, as `./run rate` does it.
# Needs: --config collection=DIR (and name, offset, formula, level, aliases, player), the engine.
# Makes: <results>/human/<name>/files.csv, matches.csv, players.csv, alias_suggestions.csv,
# decisions.parquet with one provenance, report.html with a page for every player and match.
HUMAN_FOLDER = f"{RESULTS}/human/{SETTINGS.collection_name}"


# Snakemake deletes outputs before a job, except those marked `update`: the job itself replaces its
# own files and keeps files that somebody changed.
rule human:
    input:
        collection=lambda w: setting("collection_files"),
        settings=setting("collection_settings"),
        templates=templates(
            *(f"human{page}.html.j2" for page in ("", "_match", "_player", "_positions"))
        ),
    output:
        files=update(f"{HUMAN_FOLDER}/files.csv"),
        matches=update(f"{HUMAN_FOLDER}/matches.csv"),
        players=update(f"{HUMAN_FOLDER}/players.csv"),
        decisions=update(f"{HUMAN_FOLDER}/decisions.parquet"),
        page=update(f"{HUMAN_FOLDER}/report.html"),
        summary=update(f"{HUMAN_FOLDER}/summary.txt"),
    log:
        f"{LOGS}/human/{SETTINGS.collection_name}.log",
    conda:
        f"{ENVS}/collection.yml"
    threads: workflow.cores
    params:
        level=SETTINGS.config["level"],
        offset=SETTINGS.config["offset"],
        formula=SETTINGS.config["formula"],
        aliases=SETTINGS.config.get("aliases", ""),
        player=SETTINGS.config.get("player", ""),
        figures=ANALYSIS,
    shell:
        job("human", "{threads} {output.files:q}")
