"""Make the tables of the law, of the comparison with 2003, or of noise's errors.

Inputs: matches of the studies, as far as they have been played (or archives). The law: coefficients fixed
before tests, the table `lengths` of other nets. Outputs: the tables with one provenance, and of the law
formula.json.
"""

from pathlib import Path

from bgrating.engine.nets import one_nets
from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import read_table, write_all, write_table

PROVENANCE = Path(snakemake.output.provenance)


def law_tables(nets: str) -> None:
    """Judge the forms of the rating formula and fit the formula of an engine."""
    from study.law.tables import read_matches, tables  # noqa: PLC0415 - each rule names the modules of its own subject
    from study.law.tests import fixed_coefficients  # noqa: PLC0415

    matches, studies = read_matches(snakemake.input.matches, nets)
    fixed = {
        path.name.removesuffix("-fixed.json"): fixed_coefficients(path) for path in map(Path, snakemake.input.fixed)
    }
    others = {path.parents[1].name: read_table(path) for path in map(Path, snakemake.input.others)}
    made, formula = tables(matches, fixed, others, nets)
    with one_provenance(PROVENANCE):
        write_all(made, PROVENANCE.parent, "law", studies=studies, nets=nets)
    formula.write(Path(snakemake.output.formula), studies=studies, nets=nets)


def compare() -> None:
    """Compare published and regenerated."""
    from study.comparison.tables import read, tables  # noqa: PLC0415

    studies = {study.name: study for study in (read(Path(table).parent) for table in snakemake.input.matches)}
    one_nets({name: study.facts["engine"] for name, study in studies.items()})
    facts = {name: study.facts for name, study in studies.items()}
    with one_provenance(PROVENANCE):
        write_all(tables(studies), PROVENANCE.parent, "comparison", studies=facts)


def sizes_of_noise() -> None:
    """Analyse the matches of the design people-noise error by error."""
    from bgrating.engine.locate import engine_of  # noqa: PLC0415
    from bgrating.play.designs import design  # noqa: PLC0415
    from bgrating.play.shards import limits_of  # noqa: PLC0415
    from study.people.noise import noise_table  # noqa: PLC0415

    noise, limits = design("people-noise"), limits_of(snakemake.config, snakemake.log[0])
    table, facts = noise_table(engine_of(snakemake.config), noise, list(map(Path, snakemake.input.archives)), limits)
    facts |= {"study": noise.study, "analysis": noise.analysis}
    write_table(table, Path(snakemake.output.table), "people/error_sizes", **facts)


with reporting(snakemake.log[0]):
    match snakemake.params.about:
        case "law":
            law_tables(snakemake.config["nets"])
        case "comparison":
            compare()
        case "noise":
            sizes_of_noise()
