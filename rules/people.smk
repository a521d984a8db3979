# Are people like noise? The check of the formula on a collection of human matches.
# Needs: the tables of a collection (rules/collection.smk), analysed with luck; frozen matches of Part II; the sizes of
# noise's errors (results/people-noise/frozen). Makes: <results>/human/<name>/people/: tables with one provenance,
# figures, people.html, summary.txt. On demand (target people_noise) <results>/<nets>/people-noise/pooled/error_sizes.csv, of
# which the frozen one is a copy.
from study.people import sources as people

PEOPLE_FOLDER = f"{HUMAN_FOLDER}/people"


rule people_noise:
    input:
        archives=[
            designs.shard_table(Path(PLAYED), "people-noise", point, shard.number).with_suffix(".zip")
            for point in STUDIES["people-noise"].points
            for shard in point.shards()
        ],
        code=lambda w: modules("people_noise"),
    output:
        table=f"{PLAYED}/people-noise/pooled/error_sizes.csv",
        provenance=f"{PLAYED}/people-noise/pooled/error_sizes.csv.provenance.json",
    log:
        "logs/people-noise/error_sizes.log",
    params:
        study="people-noise",
        nets=NETS,
    message:
        "the sizes of noise's errors"
    script:
        "../scripts/people_noise.py"


rule people_tables:
    input:
        matches=rules.human_tables.output.matches,
        noise=str(people.noise_table(NETS)),
        simulated=people.frozen_tables(NETS),
        formulas=list(map(str, own_formula(NETS))),
        settings=HUMAN_FILES,
        code=lambda w: modules("people_tables"),
    output:
        tables=expand(f"{PEOPLE_FOLDER}/{{table}}.csv", table=people.NAMES),
        provenance=f"{PEOPLE_FOLDER}/people_tables.provenance.json",
    log:
        f"logs/human/{HUMAN_NAME}/people.log",
    params:
        offset=config["offset"],
        coefficients=config["coefficients"],
        nets=NETS,
    message:
        "are the people of {HUMAN_NAME} like noise?"
    script:
        "../scripts/people_tables.py"


rule people_page:
    input:
        tables=rules.people_tables.output.tables,
        templates=templates("people.html.j2"),
        code=lambda w: modules("people_page"),
    output:
        figures=directory(f"{PEOPLE_FOLDER}/figures"),
        page=f"{PEOPLE_FOLDER}/people.html",
        summary=f"{PEOPLE_FOLDER}/summary.txt",
    log:
        f"logs/human/{HUMAN_NAME}/people-page.log",
    params:
        name=HUMAN_NAME,
    message:
        "page of the check on people, {HUMAN_NAME}"
    script:
        "../scripts/people_page.py"


# Keep what a collection says in the repository, without the tables that name players. On demand.
rule people_keep:
    input:
        [f"{PEOPLE_FOLDER}/{table}.csv" for table in people.NAMES if table not in people.NAMING],
        rules.people_tables.output.provenance,
    output:
        [f"{PLAYED}/people/{table}.csv" for table in people.NAMES if table not in people.NAMING],
        f"{PLAYED}/people/people_tables.provenance.json",
    log:
        "logs/people-keep.log",
    localrule: True
    params:
        folder=lambda w, output: os.path.dirname(output[0]),
    message:
        "keep what the people of {HUMAN_NAME} say"
    shell:
        "cp {input:q} {params.folder:q} 2> {log:q}"
