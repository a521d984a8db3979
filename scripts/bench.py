"""Run the benchmarks and print each ratio beside its bound.

Settings: engine, engine_version. Params: the folder of the statistics, where to write the table: `measure, ratio,
bound, kept`, the bound as `<= x` or `>= x`.
"""

import csv
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.benchmark import run_measures
from bgrating.benchmark_human import human_measures
from bgrating.benchmark_ratings import ratings_measures
from bgrating.benchmark_statistics import statistics_measures
from bgrating.entry import engine_of, reporting

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]), tempfile.TemporaryDirectory(prefix="bgrating-bench-") as folder:
    engine = engine_of(snakemake.config)
    measures = [
        *statistics_measures(Path(snakemake.params.statistics)),
        *run_measures(engine, Path(folder)),
        *human_measures(engine, Path(folder)),
        *ratings_measures(),
    ]
    path = Path(snakemake.params.table)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["measure", "ratio", "bound", "kept"])
        for measure in measures:
            bound = f"{'<=' if measure.at_most else '>='} {measure.bound:g}"
            writer.writerow([measure.name, f"{measure.ratio:.3f}", bound, "yes" if measure.kept else "no"])
            print(f"{measure.name}: {measure.ratio:.2f} (wanted: {bound})")
