"""Run the benchmarks, print each ratio beside its bound, and say which miss theirs.

Settings: engine. Params: where to write the table: `measure, ratio,
bound, kept`, the bound as `<= x` or `>= x`.
"""

import tempfile
from pathlib import Path

import pandas as pd

from bgrating.engine.choice import engine_of
from bgrating.entry import reporting
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import write_table
from study.bench import find_program, rate_measure, ratings_measures, run_measures

with reporting(snakemake.log[0]), tempfile.TemporaryDirectory(prefix="bgrating-bench-") as folder:
    engine, program = engine_of(snakemake.config), find_program()
    if program is None:
        print("There is no gnubg program here, so nothing is measured beside one.")
    measures = [
        *run_measures(engine, program, Path(folder)),
        rate_measure(engine, Path(folder)),
        *ratings_measures(),
    ]
    path = Path(snakemake.params.table)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for measure in measures:
        bound = f"{'<=' if measure.at_most else '>='} {measure.bound:g}"
        rows.append((measure.name, round(measure.ratio, 3), bound, measure.kept))
        print(f"{measure.name}: {measure.ratio:.3f} (wanted: {bound}{'' if measure.kept else '; MISSED'})")
    write_table(pd.DataFrame(rows, columns=columns("bench/bench")), path, "bench/bench")
    missed = sum(not measure.kept for measure in measures)
    print(f"{missed or 'None'} of {len(measures)} measures miss{'es' if missed == 1 else ''} the bound.")
