# A study, one rule per step: play -> analyse -> matches -> fit -> coefficients -> report.
# Needs: a design, levels, an engine; or frozen tables in place of played matches. Makes:
# <results>/<nets>/<study>/: shards/<N>/<player>~<opponent>/<shard>.zip (the matches, .mat files),
# analyses/… (their errors, one row per match and player), matches.parquet (one row per match),
# points.csv, coefficients.csv, formula.json, report.html with figures and summary.txt. Each has its
# provenance beside it. And <results>/<nets>/coefficients.csv.
CELL = (
    "{wildcards.study:q} {wildcards.match_length} {wildcards.player} {wildcards.opponent}"
    " {wildcards.shard}"
)


# A study may have 10,000 shards: without names of files a plan takes 9 MB less.
rule play:
    output:
        f"{PLAYED}/{{study}}/shards/{SHARD}.zip",
    log:
        f"{LOGS}/play/{{study}}/{SHARD}.log",
    priority: priority
    conda:
        f"{ENVS}/engine.yml"
    params:
        lambda w: digest(setting("task", w.study, shard(w))),
    shell:
        job("play_shard", "{log:q} {output:q}", CELL)


rule analyse:
    input:
        rules.play.output,
    output:
        f"{PLAYED}/{{study}}/analyses/{SHARD}.csv",
    log:
        f"{LOGS}/analyse/{{study}}/{SHARD}.log",
    conda:
        f"{ENVS}/engine.yml"
    params:
        lambda w: digest(setting("analysis", w.study)),
    shell:
        job("analyse_shard", "{log:q} {input:q} {output:q}", CELL)


rule matches:
    input:
        lambda w: setting("match_tables", w.study),
    output:
        table=f"{PLAYED}/{{study}}/matches.parquet",
        record=f"{PLAYED}/{{study}}/matches.parquet.provenance.json",
    log:
        f"{LOGS}/matches/{{study}}.log",
    conda:
        f"{ENVS}/statistics.yml"
    params:
        cells=lambda w: setting("cells", w.study),
    shell:
        job("join_shards", "{wildcards.study:q} {output.table:q} {input:q}")


# With studies= the matches of other studies are fitted too.
rule fit:
    input:
        matches=lambda w: expand(rules.matches.output.table, study=setting("fitted", w.study)),
        record=rules.matches.output.record,
        published=project_files("results/published/coefficients.csv"),
    output:
        points=shown(f"{PLAYED}/{{study}}/points.csv", "points"),
        coefficients=shown(f"{PLAYED}/{{study}}/coefficients.csv", "coefficients"),
        formula=f"{PLAYED}/{{study}}/formula.json",
        record=f"{PLAYED}/{{study}}/fit.provenance.json",
        points_record=f"{PLAYED}/{{study}}/points.csv.provenance.json",
    log:
        f"{LOGS}/fit/{{study}}.log",
    conda:
        f"{ENVS}/statistics.yml"
    params:
        code=code("fit_study"),
    shell:
        job("fit_study", "{wildcards.study:q} {output.points:q} {input.matches:q}")


# All coefficients in one table: those of the study part=, or those that the repository ships.
rule coefficients:
    input:
        unpack(coefficients_of),
    output:
        table=f"{PLAYED}/coefficients.csv",
        record=f"{PLAYED}/coefficients.csv.provenance.json",
    log:
        f"{LOGS}/coefficients.log",
    conda:
        f"{ENVS}/statistics.yml"
    params:
        code=code("coefficients"),
    shell:
        job("coefficients", "{output.table:q} {input.fits:q} {input.formula:q}")


rule report:
    input:
        rules.fit.output,
        published=project_files("results/published/appendix2.csv"),
        templates=templates("study.html.j2", "study.txt.j2", "study_macros.j2", "pairs.html.j2"),
    output:
        figures=shown(
            directory(f"{PLAYED}/{{study}}/figures"), "figures", patterns=["{figure}.svg"]
        ),
        report=shown(f"{PLAYED}/{{study}}/report.html", "page"),
        summary=f"{PLAYED}/{{study}}/summary.txt",
    log:
        f"{LOGS}/report/{{study}}.log",
    wildcard_constraints:
        study="[^/]+",  # another rule makes the page of a tournament
    conda:
        f"{ENVS}/pages.yml"
    params:
        code=code("folder_page", "study.report.page"),
    shell:
        job("folder_page", "study {output.report:q}")
