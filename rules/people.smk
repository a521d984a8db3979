# Are people like noise? The check of the formula on a collection of human matches.
# Needs: the tables of a collection (rules/human.smk), analysed with luck; frozen matches of Part II; the sizes of
# noise's errors (results/people-noise/frozen). Makes: <results>/human/<name>/people/: tables with their provenance,
# figures, people.html, summary.txt. On demand (target people_noise) <results>/people-noise/pooled/error_sizes.csv, of
# which the frozen one is a copy.


rule people_noise:
    input:
        archives=[
            designs.shard_table(Path(RESULTS), "people-noise", point, shard.number).with_suffix(".zip")
            for point in STUDIES["people-noise"].points
            for shard in point.shards()
        ],
        code=["scripts/bgrating/error_sizes.py", "scripts/bgrating/people/noise.py"],
    output:
        table=f"{RESULTS}/people-noise/pooled/error_sizes.csv",
        provenance=f"{RESULTS}/people-noise/pooled/error_sizes.csv.provenance.json",
    log:
        "logs/people-noise/error_sizes.log",
    conda:
        "../environment.yml"
    params:
        study="people-noise",
        engine_version=config["engine_version"],
    message:
        "the sizes of noise's errors"
    script:
        "../scripts/people_noise.py"
