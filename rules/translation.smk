# Translation between nets: the same matches judged by the engines of both, and what follows for coefficients and people.
# Needs: the frozen pairs (results/translation/frozen), the formulas of both nets (`coefficients=fitted`) as far as
# they are fitted. On demand (target translation_pairs, with part=, collections= or both) both engines, and makes the pairs anew; what is
# not named is taken from the frozen ones.
# Makes: <results>/translation/<table>.csv with one provenance, figures, report.html, summary.txt; on demand
# pairs.parquet (of which the frozen one is a copy), below played/ simulated matches, below people/ what was read.
from study.translation import names as translation

TRANSLATION = f"{RESULTS}/translation"
# Design and collections of the pairs that are made anew.
PAIRS_STUDY = config.get("part", "")
COLLECTIONS = translation.collections(config)
TRANSLATION_SHARD = f"{TRANSLATION}/played/{{nets}}/{SHARD}"


# Played by the engine of these nets, analysed by both.
rule translation_shard:
    input:
        levels=lambda w: levels.files(w.player) + levels.files(w.opponent),
        analysis=lambda w: levels.files(STUDIES[w.study].analysis, "analysis"),
        filters=own("gnubg_configs/movefilters.yaml"),
        code=rules.shard.input.code,
    output:
        archive=f"{TRANSLATION_SHARD}.zip",
        archive_provenance=f"{TRANSLATION_SHARD}.zip.provenance.json",
        tables=[f"{TRANSLATION_SHARD}.{nets}.csv" for nets in translation.NETS],
        provenance=[f"{TRANSLATION_SHARD}.{nets}.csv.provenance.json" for nets in translation.NETS],
    log:
        f"logs/translation/{{nets}}/{SHARD}.log",
    wildcard_constraints:
        nets="|".join(map(re.escape, translation.NETS)),
    resources:
        matches=shard_matches,
    params:
        seed=study_seed,
    message:
        "play and analyse twice: {resources.matches} matches to {wildcards.match_length}, {wildcards.player} against {wildcards.opponent}"
    script:
        "../scripts/translation_shard.py"


rule translation_analyse:
    input:
        level=levels.files(translation.LEVEL, "analysis"),
        filters=own("gnubg_configs/movefilters.yaml"),
        code=lambda w: [*modules("translation_analyse"), *own("scripts/bgrating/collection/worker.py")],
    output:
        store=update(f"{TRANSLATION}/people/{{nets}}.sqlite"),
    log:
        "logs/translation/{nets}/people.log",
    wildcard_constraints:
        nets="|".join(map(re.escape, translation.NETS)),
    threads: workflow.cores
    params:
        collections=list(map(str, COLLECTIONS)),
        fingerprint=lambda w: translation.fingerprints(COLLECTIONS, RESULTS),
    message:
        "analyse the collections {params.collections} by gnubg {wildcards.nets}"
    script:
        "../scripts/translation_analyse.py"


rule translation_gather:
    input:
        played=[
            f"{designs.shard_table(Path(TRANSLATION, 'played', nets), PAIRS_STUDY, point, shard.number).with_suffix('')}.{seen}.csv"
            for nets in translation.NETS
            for point in (STUDIES[PAIRS_STUDY].points if PAIRS_STUDY else [])
            for shard in point.shards()
            for seen in translation.NETS
        ],
        analysed=[f"{TRANSLATION}/people/{nets}.sqlite" for nets in translation.NETS] if COLLECTIONS else [],
        code=lambda w: modules("translation_gather"),
    output:
        table=f"{TRANSLATION}/pairs.parquet",
        provenance=f"{TRANSLATION}/pairs.parquet.provenance.json",
    log:
        "logs/translation/gather.log",
    params:
        study=PAIRS_STUDY,
        collections=list(map(str, COLLECTIONS)),
    message:
        "pairs of matches that both nets judge"
    script:
        "../scripts/translation_gather.py"


rule translation_tables:
    input:
        pairs=lambda w: (
            f"{TRANSLATION}/pairs.parquet"
            if "translation_pairs" in workflow.dag_settings.targets
            else str(translation.FROZEN)
        ),
        formulas=[str(path) for path in translation.formula_files().values()],
        code=lambda w: modules("translation_tables"),
    output:
        tables=expand(f"{TRANSLATION}/{{table}}.csv", table=translation.TABLES),
        provenance=f"{TRANSLATION}/translation_tables.provenance.json",
    log:
        "logs/translation/tables.log",
    message:
        "translation: ratios, coefficients, prediction"
    script:
        "../scripts/translation_tables.py"


rule translation_page:
    input:
        tables=rules.translation_tables.output.tables,
        templates=own("report/translation.html.j2", *TEMPLATES),
        code=lambda w: modules("translation_page"),
    output:
        figures=directory(f"{TRANSLATION}/figures"),
        report=report(
            f"{TRANSLATION}/report.html",
            caption="../report/translation.rst",
            category="translation",
            subcategory="Report",
        ),
        summary=f"{TRANSLATION}/summary.txt",
    log:
        "logs/translation/page.log",
    message:
        "page of the translation"
    script:
        "../scripts/translation_page.py"


# From the frozen pairs, without an engine.
rule translation:
    input:
        rules.translation_tables.output,
        rules.translation_page.output.report,
        summary=rules.translation_page.output.summary,
    log:
        "logs/translation/target.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"


# The same from pairs made anew: part=translation plays the simulated ones, collections=DIR,DIR analyses people's.
rule translation_pairs:
    input:
        rules.translation_tables.output,
        rules.translation_page.output.report,
        rules.translation_gather.output.table,
        summary=rules.translation_page.output.summary,
    log:
        "logs/translation/pairs-target.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"
