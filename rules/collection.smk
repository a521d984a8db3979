# Human collections too large for one machine: read and analyse in parts, rate. On one machine `./run rate` does the same.
# Also `field`, what players of small collections are shrunk towards.
# Needs: --config collection=DIR (and name, offset, coefficients, analysis, aliases, player), the engine.
# Makes: <results>/human/<name>/files.csv, matches.csv, players.csv, alias_suggestions.csv, decisions.parquet with one
# provenance, report.html with a page for every player and match; below store/ what was read and analysed.
from bgrating import BgratingError
from bgrating.collection import shards as collection_shards
from bgrating.files import listing

try:
    HUMAN = collection_shards.asked_of(config) if config.get("collection") else None
except BgratingError as problem:
    raise WorkflowError(str(problem)) from None
HUMAN_NAME = HUMAN.name if HUMAN else "none"
HUMAN_FOLDER = f"{RESULTS}/human/{HUMAN_NAME}"
HUMAN_PARTS = collection_shards.number_of_parts(HUMAN.paths, Path(RESULTS)) if HUMAN else 1
# Files that the settings name and the tables depend on.
HUMAN_FILES = [str(path) for path in collection_shards.files_of(HUMAN)] if HUMAN else []


# The fingerprint is of names, sizes and times: when the collection changes it is read again.
rule human_shard:
    input:
        level=lambda w: levels.files(config["analysis"], "analysis"),
        filters=project_files("gnubg_configs/movefilters.yaml"),
        code=lambda w: [*modules("collection"), *project_files("scripts/bgrating/analysis/worker.py")],
    output:
        store=f"{HUMAN_FOLDER}/store/{{part}}.sqlite",
    wildcard_constraints:
        part=r"\d+",
    params:
        step="analyse",
        collection=config.get("collection", ""),
        fingerprint=lambda w: listing.fingerprint(HUMAN.paths[0], Path(RESULTS)) if HUMAN else "",
        parts=HUMAN_PARTS,
        before=f"{HUMAN_FOLDER}/store/analyses.sqlite",
        level=config["analysis"],
        engine=config["engine"],
        nets=NETS,
    message:
        "analyse part {wildcards.part} of {params.parts} of the collection"
    script:
        "../scripts/collection.py"


# Snakemake removes outputs before they are made anew, but those that are updated: the command itself replaces what it
# made and keeps what somebody changed.
rule human_tables:
    input:
        parts=expand(rules.human_shard.output.store, part=range(HUMAN_PARTS)),
        settings=HUMAN_FILES,
        field=[str(table) for table in [field_table(NETS)] if table.is_file()],
        templates=templates(*(f"human{page}.html.j2" for page in ("", "_base", "_player", "_match"))),
        code=lambda w: modules("collection"),
    output:
        files=update(f"{HUMAN_FOLDER}/files.csv"),
        matches=update(f"{HUMAN_FOLDER}/matches.csv"),
        players=update(f"{HUMAN_FOLDER}/players.csv"),
        decisions=update(f"{HUMAN_FOLDER}/decisions.parquet"),
        page=update(f"{HUMAN_FOLDER}/report.html"),
        summary=update(f"{HUMAN_FOLDER}/summary.txt"),
    params:
        step="rate",
        collection=config.get("collection", ""),
        store=f"{HUMAN_FOLDER}/store/analyses.sqlite",
        level=config["analysis"],
        offset=config["offset"],
        coefficients=config["coefficients"],
        nets=NETS,
        aliases=config.get("aliases", ""),
        player=config.get("player", ""),
    script:
        "../scripts/collection.py"


# The field that players of small collections are shrunk towards, from the matches of a large one, without names. (No
# output: the tables of a collection take the field that is kept.)
rule field:
    input:
        matches=rules.human_tables.output.matches,
        code=lambda w: modules("bgrating/people/players"),
    localrule: True
    params:
        step="field",
        table=f"{PLAYED}/field/matches.csv",
    script:
        "../scripts/collection.py"
