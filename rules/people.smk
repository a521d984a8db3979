# The sizes of noise's errors, which people are compared with (./run people).
# Needs: the archives of the design people-noise. Makes, on demand: <results>/<nets>/people-noise/pooled/error_sizes.csv, of
# which results/<nets>/people-noise/frozen has a copy.
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
