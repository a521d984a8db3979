module bgrating:
    snakefile: "{project}/Snakefile"
    config: config
    prefix: "bg"

use rule * from bgrating as bgrating_*
