"""Does a change of the code change a result? Makes tables from the same data before and after, and
compares them.

`PYTHONPATH=scripts python benchmarks/same.py DATA FOLDER` makes them of matches, top-players, xg
and ratings in DATA. The first call keeps them in FOLDER/before, later ones compare: texts and
integers equal, floats to 1e-9, no column gone. FOLDER keeps the analyses (without luck), so only
the first call waits for the engine. `--fits` also fits every frozen study of both nets.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.engine.known_engines import engine_versions
from bgrating.play.match_tables import read_checked
from bgrating.rating.result_files import results_of
from study.formula.catalogue import coefficients, fit_all
from study.formula.design_points import points

RELATIVE = 1e-9
RATED = ("players.csv", "matches.csv", "files.csv", "decisions.parquet")
GAMES = ("baseball/baseball1987.tsv", "connect4/games.log", "squava/matchups.tsv")


def make(data: Path, place: Path, store: Path, with_fits: bool) -> None:
    """Write all tables below a folder."""
    environment = os.environ | {"BGRATING_STORE": str(store)}
    run = [sys.executable, "-m", "bgrating"]
    end = ["--results", str(place)]
    for name in ("matches", "top-players", "xg"):
        words = [
            *run,
            "rate",
            str(data / name),
            *end,
            "--name",
            name,
            "--check",
            "none",
            "--no-luck",
        ]
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
    for games in GAMES:
        subprocess.run(
            [*run, "ratings", str(data / "ratings" / games), *end],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    for engine_version in engine_versions() if with_fits else ():
        for frozen in sorted(results_of(engine_version).glob("*/frozen")):
            lengths = [path for path in sorted(frozen.glob("*.parquet")) if path.stem.isdigit()]
            if lengths:
                own = points(pd.concat([read_checked(path) for path in lengths], ignore_index=True))
                folder = place / engine_version
                folder.mkdir(exist_ok=True)
                own.to_csv(folder / f"{frozen.parent.name}-points.csv", index=False)
                coefficients(list(fit_all(own))).to_csv(
                    folder / f"{frozen.parent.name}.csv", index=False
                )


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield a line for every table and column that differs."""
    for path in sorted(path for path in before.rglob("*") if path.suffix in {".csv", ".parquet"}):
        name = path.relative_to(before)
        if "ratings" not in name.parts and "human" in name.parts and name.name not in RATED:
            continue
        if not (after / name).is_file():
            yield f"{name} is not there any more"
            continue
        read = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
        old, new = read(path), read(after / name)
        if len(old) != len(new):
            yield f"{name}: {len(old)} rows, now {len(new)}"
            continue
        if gone := sorted(set(old) - set(new)):
            yield f"{name}: {', '.join(gone)} gone"
        for column in set(old) & set(new):
            if pd.api.types.is_float_dtype(old[column]):
                same = np.allclose(old[column], new[column], rtol=RELATIVE, atol=0, equal_nan=True)
            else:
                same = old[column].equals(new[column])
            if not same:
                yield f"{name}: {column}"


def main(data: Path, folder: Path, *words: str) -> int:
    before = folder / "before"
    after = folder / "after" if before.is_dir() else before
    make(data.resolve(), after.resolve(), folder.resolve() / "store.sqlite", "--fits" in words)
    found = list(differences(before, after))
    print("\n".join(found) or f"{'same' if after != before else 'kept'}: {folder}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))
