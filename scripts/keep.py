"""Pack a study's results as a Workflow Run RO-Crate, or gather the formulas of the results for the calculator.

Settings: results. Inputs: the frozen tables of the study's matches and what was made of them, or the formula files.
Outputs: crate.zip, or formulas.json.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play import designs
from bgrating.tables.provenance import write_atomic
from study import formulas
from study.crate import write_crate

with reporting(snakemake.log[0]):
    given, path = snakemake.input, Path(snakemake.output[0])
    if path.suffix == ".zip":
        matches, made = ([Path(file) for file in files] for files in (given.matches, given.made))
        design = designs.design(snakemake.wildcards.study)
        write_crate(design, matches, made, Path(snakemake.config["results"]), path)
        print(path)
    else:
        write_atomic(path, formulas.text())
