
configfile: "{project}/config/config.yaml"
config["results"] = "mine"

module bgrating:
    snakefile: "{project}/Snakefile"
    config: config

use rule * from bgrating as bgrating_*

rule all:
    default_target: True
    input: rules.bgrating_smoke.input
