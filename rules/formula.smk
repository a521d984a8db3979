# Results from all studies: the formula that rates people. Needs: frozen matches of the studies, and
# the formula of the other nets. Makes: <results>/<nets>/formula.json; law/, people/: tables.
from study.people import TABLES as PEOPLE
from study.law import STUDIES

LAW = f"{PLAYED}/law"


rule law_tables:
    input:
        matches=lambda w: [
            f"{PLAYED}/{name}/matches.parquet" for name in STUDIES if setting("frozen", name)
        ],
        others=project_files(*(f"results/{one}/formula.json" for one in OTHER_VERSIONS)),
    output:
        table=f"{LAW}/coefficients.csv",
        # The job replaces formula.json too. It is no output: Snakemake deletes outputs before a
        # job, and ratings need it.
        provenance=f"{LAW}/law_tables.provenance.json",
    log:
        f"{LOGS}/law_tables.log",
    conda:
        f"{ENVS}/statistics.yml"
    params:
        code=code("law"),
    shell:
        job("law", "{output.provenance:q} {input:q}")


rule people_tables:
    input:
        law=rules.law_tables.output.provenance,
        losses=project_files(
            *sorted(PROJECT.glob("results/*/people-*/frozen/*")), "results/1.08/field/matches.csv"
        ),
    output:
        tables=[f"{PLAYED}/people/{name}.csv" for name in PEOPLE.get(SETTINGS.engine_version, ())],
        provenance=f"{PLAYED}/people/people_tables.provenance.json",
    log:
        f"{LOGS}/people_tables.log",
    conda:
        f"{ENVS}/statistics.yml"
    params:
        code=code("people"),
    shell:
        job("people", "{output.provenance:q}")
