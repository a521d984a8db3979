# What one can ask for by name, beside the quick study, which stands in the Snakefile. Each ends by printing what it
# found and where the report is. They ask for the tables too: Snakemake makes a table that went missing (of a fit that was
# killed or failed) again only where it is asked for, not where a report is there already.
# Needs: summaries and reports (rules/report.smk). Makes: nothing.


# The smallest study: everything once, in half a minute.
rule smoke:
    input:
        expand(rules.fit.output, study="smoke"),
        f"{PLAYED}/smoke/report.html",
        summaries=f"{PLAYED}/smoke/summary.txt",
    log:
        "logs/smoke.log",
    localrule: True
    shell:
        "cat {input.summaries:q} 2> {log:q}"


# Refit from the frozen tables, without playing; all parts together end with the comparison (rules/comparison.smk).
rule analysis:
    input:
        expand(rules.fit.output, study=HELD),
        lambda w: analysed(f"{PLAYED}/{{part}}/report.html"),
        [] if "part" in config else f"{PLAYED}/comparison/report.html",
        summaries=lambda w: analysed(f"{PLAYED}/{{part}}/summary.txt"),
        comparison=[] if "part" in config else f"{PLAYED}/comparison/summary.txt",
    log:
        "logs/analysis.log",
    localrule: True
    shell:
        "cat {input.summaries:q} {input.comparison:q} 2> {log:q}"


# The full published study, or one part of it: plays every shard that is not there yet.
rule study:
    input:
        [shard_tables(part, length) for part in PARTS for length in STUDIES[part].match_lengths()],
        expand(rules.fit.output, study=PARTS),
        expand(f"{PLAYED}/{{part}}/report.html", part=PARTS),
        summaries=expand(f"{PLAYED}/{{part}}/summary.txt", part=PARTS),
    log:
        "logs/study.log",
    localrule: True
    shell:
        "cat {input.summaries:q} 2> {log:q}"


# What is kept of the study, or of one part of it, as archives for a repository of data.
rule crate:
    input:
        lambda w: analysed(f"{PLAYED}/{{part}}/crate.zip"),
    log:
        "logs/crate.log",
    localrule: True
    shell:
        "echo {input:q} 2> {log:q}"


# The formulas of the kept results in one file, which the calculator and its page read and the package carries.
rule formulas:
    input:
        sources=[str(kept(nets) / name) for nets in known_nets() for name in SOURCES if (kept(nets) / name).is_file()],
        code=lambda w: modules("formulas"),
    output:
        "scripts/bgrating/rating/formulas.json",
    log:
        "logs/formulas.log",
    message:
        "formulas of the calculator"
    script:
        "../scripts/formulas.py"
