
from snakemake.exceptions import WorkflowError

def wanted(wildcards):
    if config.get("wrong"):
        raise WorkflowError("no such thing")
    return "table"

rule all:
    input: wanted
    shell: "echo the formula"

rule gather:
    input: expand("{shard}.mat", shard=range(20))
    output: "table"
    shell: "touch {output}"

rule play:
    output: "{shard}.mat"
    log: "{shard}.log"
    resources: matches=50
    params: fails=config.get("fails"), says="error: no room" if config.get("says") else "The engine died"
    shell: "sleep 0.1; echo '{params.says}' > {log}; [ {wildcards.shard} != {params.fails} ]; touch {output}"
