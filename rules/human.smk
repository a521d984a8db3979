# Human collections: account for every file of a folder, analyse its matches, rate its players.
# Needs: --config collection=DIR (and name, offset, coefficients, analysis, aliases, player), the engine.
# Makes: <results>/human/<name>/files.csv, matches.csv, players.csv with their provenance, and report.html; below them
# readings.jsonl (one line a file) and <level>/batches, the contents given to the engine and what it said of them.
from bgrating.human import settings as human

HUMAN = human.settings(config)
HUMAN_FOLDER = f"{RESULTS}/human/{HUMAN.name}"
HUMAN_BATCH = f"{HUMAN.name}/{HUMAN.analysis}/batches/{{batch}}"


# The fingerprint is of names, sizes and times: when the collection changes it is read again, but only what is new.
checkpoint human_read:
    input:
        code=[
            *sorted(map(str, Path("scripts/bgrating/matchtext").glob("*.py"))),
            "scripts/bgrating/human/collection.py",
            "scripts/bgrating/human/foreign.py",
            "scripts/bgrating/human/import_check.py",
            "scripts/bgrating/human/listing.py",
            "scripts/bgrating/human/readings.py",
        ],
    output:
        readings=update(f"{HUMAN_FOLDER}/readings.jsonl"),
        plan=f"{HUMAN_FOLDER}/{HUMAN.analysis}/plan.json",
    log:
        f"logs/human/{HUMAN.name}/read.log",
    conda:
        "../environment.yml"
    params:
        collection=HUMAN.collection,
        leave_out=lambda w: RESULTS,
        level=HUMAN.analysis,
        fingerprint=lambda w: human.fingerprint(HUMAN, RESULTS),
    message:
        "read the collection {params.collection}"
    script:
        "../scripts/human_read.py"


rule human_analyse:
    input:
        batch=f"{RESULTS}/human/{HUMAN_BATCH}.zip",
        level=lambda w: levels.files(HUMAN.analysis, "analysis"),
        filters="gnubg_configs/movefilters.yaml",
        code=[
            "scripts/bgrating/engine/inside.py",
            "scripts/bgrating/engine/commands.py",
            "scripts/bgrating/match_statistics.py",
            "scripts/bgrating/cube_decisions.py",
            "scripts/bgrating/error_sizes.py",
            "scripts/bgrating/human/analysis.py",
            "scripts/bgrating/human/import_check.py",
        ],
    output:
        table=f"{RESULTS}/human/{HUMAN_BATCH}.csv",
        provenance=f"{RESULTS}/human/{HUMAN_BATCH}.csv.provenance.json",
    log:
        f"logs/human/{HUMAN_BATCH}.log",
    wildcard_constraints:
        batch=r"\d{5}",
    conda:
        "../environment.yml"
    resources:
        matches=lambda w, input: human.members(Path(input.batch)),
    params:
        level=HUMAN.analysis,
        engine_version=config["engine_version"],
    message:
        "analyse {resources.matches} matches of the collection, batch {wildcards.batch}"
    script:
        "../scripts/human_analyse.py"


rule human_tables:
    input:
        readings=rules.human_read.output.readings,
        plan=rules.human_read.output.plan,
        tables=lambda w: human.batch_tables(checkpoints.human_read.get().output.plan),
        settings=HUMAN.files(),
        code=lambda w: modules("human_tables", "human", "model"),
    output:
        files=f"{HUMAN_FOLDER}/files.csv",
        files_provenance=f"{HUMAN_FOLDER}/files.csv.provenance.json",
        matches=f"{HUMAN_FOLDER}/matches.csv",
        matches_provenance=f"{HUMAN_FOLDER}/matches.csv.provenance.json",
        players=f"{HUMAN_FOLDER}/players.csv",
        players_provenance=f"{HUMAN_FOLDER}/players.csv.provenance.json",
        summary=f"{HUMAN_FOLDER}/summary.txt",
    log:
        f"logs/human/{HUMAN.name}/tables.log",
    conda:
        "../environment.yml"
    params:
        collection=HUMAN.collection,
        level=HUMAN.analysis,
        offset=HUMAN.offset,
        coefficients=HUMAN.coefficients,
        aliases=HUMAN.aliases,
    message:
        "tables of the collection {params.collection}"
    script:
        "../scripts/human_tables.py"


# The page of the collection, or with player=NAME the page of that player.
rule human_report:
    input:
        files=rules.human_tables.output.files,
        matches=rules.human_tables.output.matches,
        players=rules.human_tables.output.players,
        settings=HUMAN.files(),
        templates=[
            "report/human.html.j2",
            "report/human.js",
            "report/human_base.html.j2",
            "report/human_player.html.j2",
            "report/human_tables.html.j2",
            "report/style.css",
        ],
        code=["scripts/bgrating/human/figures.py", "scripts/bgrating/human/page.py"],
    output:
        page=f"{HUMAN_FOLDER}/{{page}}.html",
    log:
        f"logs/human/{HUMAN.name}/{{page}}.log",
    wildcard_constraints:
        page=r"report|players/[\w-]+",
    conda:
        "../environment.yml"
    params:
        name=HUMAN.name,
        offset=HUMAN.offset,
        level=HUMAN.analysis,
        coefficients=HUMAN.coefficients,
        player=lambda w: "" if w.page == "report" else HUMAN.player,
    message:
        "page {wildcards.page} of the collection {params.name}"
    script:
        "../scripts/human_report.py"


rule human:
    input:
        files=rules.human_tables.output.files,
        matches=rules.human_tables.output.matches,
        players=rules.human_tables.output.players,
        pages=[f"{HUMAN_FOLDER}/{page}.html" for page in HUMAN.pages()],
        summary=rules.human_tables.output.summary,
    log:
        f"logs/human/{HUMAN.name}/human.log",
    localrule: True
    conda:
        "../environment.yml"
    message:
        "the collection {HUMAN.collection}"
    shell:
        "cat {input.summary:q} && printf 'Page: %s\\n' {input.pages:q} 2> {log:q}"
