# Human collections: account for every file of a folder, analyse its matches, rate its players.
# Also `field`, what players of small collections are shrunk towards.
# Needs: --config collection=DIR (and name, offset, coefficients, analysis, aliases, player), the engine.
# Makes: <results>/human/<name>/files.csv, matches.csv, players.csv, alias_suggestions.csv with one provenance, and
# report.html; below them readings.jsonl (one line per file) and <level>/batches, the contents given to the engine and what it said of them.
from bgrating.collection import settings as human

try:
    HUMAN = human.settings(config)
except (SettingsError, EngineError) as problem:
    raise WorkflowError(str(problem)) from None
HUMAN_FOLDER = f"{RESULTS}/human/{HUMAN.name}"
HUMAN_BATCH = f"{HUMAN.name}/{HUMAN.analysis}/batches/{{batch}}"


# The fingerprint is of names, sizes and times: when the collection changes it is read again, but only what is new.
checkpoint human_read:
    input:
        code=lambda w: modules("human_read"),
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
        filters=own("gnubg_configs/movefilters.yaml"),
        code=own(
            "scripts/bgrating/engine/inside.py",
            "scripts/bgrating/engine/commands.py",
            "scripts/bgrating/engine/statistics.py",
            "scripts/bgrating/engine/cube_decisions.py",
            "scripts/bgrating/engine/error_sizes.py",
            "scripts/bgrating/engine/sgf.py",
            "scripts/bgrating/decisions/position.py",
            "scripts/bgrating/decisions/rows.py",
            "scripts/bgrating/matchtext/board.py",
            "scripts/bgrating/collection/analysis.py",
            "scripts/bgrating/collection/import_check.py",
        ),
    output:
        table=f"{RESULTS}/human/{HUMAN_BATCH}.csv",
        provenance=f"{RESULTS}/human/{HUMAN_BATCH}.csv.provenance.json",
        decisions=f"{RESULTS}/human/{HUMAN_BATCH}.decisions.parquet",
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
        nets=NETS,
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
        field=[str(table) for table in [field_table(NETS)] if table.is_file()],
        code=lambda w: modules("human_tables"),
    output:
        files=f"{HUMAN_FOLDER}/files.csv",
        matches=f"{HUMAN_FOLDER}/matches.csv",
        players=f"{HUMAN_FOLDER}/players.csv",
        suggestions=f"{HUMAN_FOLDER}/alias_suggestions.csv",
        decisions=f"{HUMAN_FOLDER}/decisions.parquet",
        provenance=f"{HUMAN_FOLDER}/human_tables.provenance.json",
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
        nets=NETS,
        aliases=HUMAN.aliases,
    message:
        "tables of the collection {params.collection}"
    script:
        "../scripts/human_tables.py"


# Pages of players and matches stand in folders that are emptied first: none of an old state stays.
rule human_report:
    input:
        files=rules.human_tables.output.files,
        matches=rules.human_tables.output.matches,
        players=rules.human_tables.output.players,
        decisions=rules.human_tables.output.decisions,
        settings=HUMAN.files(),
        templates=own(*(f"report/human{page}.html.j2" for page in ("", "_base", "_player", "_match")), *TEMPLATES),
        code=lambda w: modules("human_report"),
    output:
        page=f"{HUMAN_FOLDER}/report.html",
        players=directory(f"{HUMAN_FOLDER}/players"),
        matches=directory(f"{HUMAN_FOLDER}/matches"),
        downloads=directory(f"{HUMAN_FOLDER}/downloads"),
    log:
        f"logs/human/{HUMAN.name}/report.log",
    conda:
        "../environment.yml"
    params:
        name=HUMAN.name,
        offset=HUMAN.offset,
        level=HUMAN.analysis,
        coefficients=HUMAN.coefficients,
        nets=NETS,
        player=HUMAN.player,
    message:
        "pages of the collection {params.name}"
    script:
        "../scripts/human_report.py"


# Ends by printing what was found; where no match could be read it fails, with the reasons.
rule human:
    input:
        files=rules.human_tables.output.files,
        matches=rules.human_tables.output.matches,
        players=rules.human_tables.output.players,
        page=rules.human_report.output.page,
        summary=rules.human_tables.output.summary,
    log:
        f"logs/human/{HUMAN.name}/human.log",
    localrule: True
    conda:
        "../environment.yml"
    params:
        collection=HUMAN.collection,
        player=HUMAN.player,
    message:
        "the collection {HUMAN.collection}"
    script:
        "../scripts/human.py"


# The field that players of small collections are shrunk towards, from the matches of a large one, without names. (No
# output: the tables of a collection take the field that is kept.)
rule field:
    input:
        matches=rules.human_tables.output.matches,
        code=lambda w: modules("field"),
    log:
        f"logs/human/{HUMAN.name}/field.log",
    localrule: True
    conda:
        "../environment.yml"
    params:
        table=f"{PLAYED}/field/matches.csv",
    message:
        "the field, from {HUMAN.name}"
    script:
        "../scripts/field.py"
