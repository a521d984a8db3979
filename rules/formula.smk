# Results from all studies: the formula that rates people with its tests, the comparison with 2003.
# Needs: frozen matches of the studies; the coefficients that were fixed before the sixth test, and the formula of the
# other nets.
# Makes: <results>/<nets>/formula.json; law/, people/, comparison/: tables.
from study.people import TABLES as PEOPLE
from study.law import BEFORE, DEPTH, STUDIES, TABLES

LAW = f"{PLAYED}/law"
COMPARED = (MAIN_STUDY, "check-zadeh")  # the second has the match-equity table of 2003


rule law_tables:
    input:
        matches=lambda w: setting("law_tables", [*STUDIES, *DEPTH]),
        before=[path for path in project_files(f"{KEPT}/law/{BEFORE}") if Path(path).is_file()],
        others=others_of("formula.json"),
    output:
        tables=expand(f"{LAW}/{{table}}.csv", table=TABLES),
        # The job replaces formula.json too. It is no output: Snakemake deletes outputs before a job, and ratings need it.
        provenance=f"{LAW}/law_tables.provenance.json",
    log:
        f"{LOGS}/law_tables.log",
    conda:
        packages("statistics")
    params:
        figures=ANALYSIS,
    message:
        "the law and its formula (some minutes)"
    shell:
        job("law", "{output.provenance:q} {input:q}")


rule people_tables:
    input:
        law=rules.law_tables.output.provenance,
        losses=project_files(*sorted(PROJECT.glob("results/*/people-*/frozen/*")), "results/1.08/field/matches.csv"),
    output:
        tables=[f"{PLAYED}/people/{table}.csv" for table in PEOPLE.get(NETS, ())],
        provenance=f"{PLAYED}/people/people_tables.provenance.json",
    log:
        f"{LOGS}/people_tables.log",
    conda:
        packages("statistics")
    params:
        figures=ANALYSIS,
    shell:
        job("people", "{output.provenance:q}")


rule compare:
    input:
        fits=lambda w: expand(
            rules.fit.output.coefficients, study=[s for s in setting("frozen_parts") if s in COMPARED]
        ),
        published=project_files("results/published/coefficients.csv"),
    output:
        table=f"{PLAYED}/comparison/causes.csv",
        record=f"{PLAYED}/comparison/causes.csv.provenance.json",
    log:
        f"{LOGS}/compare.log",
    conda:
        packages("statistics")
    params:
        figures=ANALYSIS,
    shell:
        job("compare", "{output.table:q} {input.fits:q}")
