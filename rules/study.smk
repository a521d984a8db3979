# A study: play matches, gather them, fit a formula, write the report; freeze, pack, plan.
# Needs: gnubg_configs/players and analysis, a study's design, an engine; or frozen tables.
# Makes: <results>/<nets>/<study>/: shards/<N>/<player>~<opponent>/<shard>.zip (an archive of .mat files) with <shard>.csv
# (one row per match and player) and their provenance; matches.parquet, one row a match; points.csv, coefficients.csv and
# formula.json with one provenance; figures, report.html, summary.txt. On demand frozen/<N>.parquet, one match length,
# which the repository keeps; <results>/<nets>/plan; statistics/costs.csv.

MAIN_STUDY = "part2"  # the study whose variances a plan starts from
PLAY_CODE = [
    f"scripts/bgrating/{name}.py" for name in ("engine/inside", "engine/reciprocal", "engine/commands", "play/seeds")
]
READ_CODE = [f"scripts/bgrating/engine/{name}.py" for name in ("sgf", "statistics", "cube_decisions")]


# Both in one job: a start of a job costs as much as some matches.
rule shard:
    input:
        levels=level_files,
        analysis=lambda w: levels.files(STUDIES[w.study].analysis, "analysis"),
        filters=project_files("gnubg_configs/movefilters.yaml"),
        code=project_files(*PLAY_CODE, *READ_CODE),
    output:
        archive=f"{PLAYED}/{SHARD}.zip",
        archive_provenance=f"{PLAYED}/{SHARD}.zip.provenance.json",
        table=f"{PLAYED}/{SHARD}.csv",
        table_provenance=f"{PLAYED}/{SHARD}.csv.provenance.json",
    priority: shard_priority
    resources:
        matches=shard_matches,
    params:
        seed=study_seed,
    message:
        "play and analyse {wildcards.study}: {resources.matches} matches to {wildcards.match_length}, {wildcards.player} against {wildcards.opponent}, shard {wildcards.shard}"
    script:
        "../scripts/shard.py"


rule matches:
    input:
        tables=match_tables,
        code=lambda w: modules("matches"),
    output:
        table=f"{PLAYED}/{{study}}/matches.parquet",
        provenance=f"{PLAYED}/{{study}}/matches.parquet.provenance.json",
    script:
        "../scripts/matches.py"


# `freeze` takes the shards that are there, whatever is still to be played; what the frozen tables hold of others stays.
rule freeze:
    localrule: True
    params:
        # The tournament of the settings too, if any of its shards has been played.
        studies=PARTS + ([TOURNAMENT.design.study] if any(cell.held for cell in TOURNAMENT.design.points) else []),
        results=PLAYED,
    script:
        "../scripts/matches.py"


# Plays what the frozen tables lack and freezes it: a long study goes on from the repository on any machine.
rule fill:
    input:
        lambda w: missing_tables(PARTS),
    localrule: True
    params:
        studies=PARTS,
        results=PLAYED,
    script:
        "../scripts/matches.py"


rule fit:
    input:
        matches=rules.matches.output.table,
        provenance=rules.matches.output.provenance,
        code=lambda w: modules("fit"),
    output:
        points=f"{PLAYED}/{{study}}/points.csv",
        coefficients=f"{PLAYED}/{{study}}/coefficients.csv",
        formula=f"{PLAYED}/{{study}}/formula.json",
        provenance=f"{PLAYED}/{{study}}/fit.provenance.json",
    script:
        "../scripts/fit.py"


rule report:
    input:
        tables=rules.fit.output,
        published=project_files("results/published/coefficients.csv", "results/published/appendix2.csv"),
        # What is kept: a study that is played is not to fit the law anew.
        law=[str(file) for file in [committed_results(NETS) / "formula.json"] if file.is_file()],
        templates=templates("study.html.j2", "pairs.html.j2"),
        code=lambda w: modules("study/report/page"),
    output:
        figures=directory(f"{PLAYED}/{{study}}/figures"),
        report=report(f"{PLAYED}/{{study}}/report.html", category="Studies"),
        summary=f"{PLAYED}/{{study}}/summary.txt",
    wildcard_constraints:
        study="[^/]+",  # a tournament's page has another content at the same place
    params:
        about="study",
    script:
        "../scripts/page.py"


rule plan:
    input:
        matches=f"{PLAYED}/{MAIN_STUDY}/matches.parquet",
        provenance=f"{PLAYED}/{MAIN_STUDY}/matches.parquet.provenance.json",
        costs=planning,
    localrule: True
    params:
        folder=f"{PLAYED}/plan",
        half_width=config.get("halfwidth"),
        hours=config.get("hours"),
        lengths=str(config.get("lengths", "")),
    script:
        "../scripts/plan.py"


# These take some minutes.
rule costs:
    localrule: True
    params:
        table=f"{PLAYED}/statistics/costs.csv",
        lengths=rules.plan.params.lengths,
    script:
        "../scripts/plan.py"
