"""Is it the judge? Losses by several depths on the same matches, and what they are worth (`./run judges`)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pyarrow as pa

from bgrating import BgratingError
from bgrating.command import PATH
from bgrating.engine.nets import committed_results, known_nets
from bgrating.people.players import stored_field
from bgrating.play.matches import read_checked
from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.tables import read_rows, read_table, write_all, write_rows, write_table
from study.people import scale
from study.people.few import by_strength, few_matches
from study.people.luck import luck
from study.people.pairs import rates_elsewhere
from study.published import appendix1

SUMS = ("chequer_error_emg", "cube_error_emg", "loss_mwc")
SCHEMA = pa.schema(
    [
        ("level", pa.string()), ("match", pa.int32()), ("side", pa.string()), ("player", pa.string()),
        ("match_length", pa.int16()), ("luck_adjusted_result", pa.float32()), ("unforced_moves", pa.int32()),
        ("close_cube_decisions", pa.int32()), *((name, pa.float32()) for name in SUMS),
    ]
)  # fmt: skip
SIDES = ("left", "right")
MIN_MATCHES = 15
FLOATS = dict.fromkeys(["match_length", "unforced_moves", "close_cube_decisions", *SUMS], float)
OTHERS = "other matches"


def losses(judged: Mapping[str, pd.DataFrame], results: pd.DataFrame) -> pd.DataFrame:
    """Return what both players lose in matches by every level (SCHEMA), numbers in place of names.

    `judged`: by level ("1.08 2-ply") tables as matches.csv has them (`file, match, player, unforced_moves, …`);
    `results`: the matches.csv whose luck-adjusted results count, of matches with an end.
    """
    key = ["file", "match", "player"]
    usable = results["luck_adjusted_result"].notna() & (results["match_length"] > 0) & (results["player"] != "")
    about = results.loc[usable, [*key, "side", "match_length", "luck_adjusted_result"]]
    about = about[about.groupby(key[:2])["side"].transform("size") == 2]
    numbers = {name: f"p{number:04d}" for number, name in enumerate(dict.fromkeys(about["player"]))}
    matches = about[key[:2]].drop_duplicates().reset_index(drop=True).rename_axis("number").reset_index()
    parts = []
    for level, table in judged.items():
        lost = table["chequer_error_mwc"] + table["cube_error_mwc"]
        sides = about.merge(table.assign(loss_mwc=lost)[[*key, *SCHEMA.names[6:]]], on=key).merge(matches, on=key[:2])
        complete = sides.groupby("number")["side"].transform("size") == 2
        sides = sides.assign(level=level, match=sides["number"], player=sides["player"].map(numbers))
        parts.append(sides[complete])
    return pd.concat(parts, ignore_index=True).reindex(columns=SCHEMA.names)


def judges(table: pd.DataFrame) -> pd.DataFrame:
    """Return by level how results follow the losses of the same match (people/judges).

    `matches` names the sets of matches: those that all levels named there have judged. `instrument` is empty for least
    squares, else the losses of both players' other matches, by the level that judged most. Errors: clusters are the
    opponents of the player who is in most matches.
    """
    wide = table.pivot(index="match", columns=["level", "side"], values="loss_mwc")
    about = table.drop_duplicates(["match", "side"]).set_index("match")
    left, right = (about[about["side"] == side] for side in SIDES)
    busiest = table["player"].value_counts().index[0]
    cluster = left["player"].where(left["player"] != busiest, right["player"])
    elsewhere = _elsewhere(wide, left["player"], right["player"])
    rows: list[dict[str, Any]] = []
    for levels in _sets(wide):
        here = _judged_by(wide, levels)
        if len(here) < MIN_MATCHES:
            continue
        result = np.asarray(left.loc[here, "luck_adjusted_result"], np.float64)
        groups = _numbers(cluster.loc[here])
        lost = {level: _difference(wide, level, here) for level in levels}
        for level in levels:
            instruments = {"": lost[level], OTHERS: np.asarray(elsewhere.loc[here], np.float64)}
            slopes = {name: _slope(result, lost[level], values, groups) for name, values in instruments.items()}
            row = {
                "matches": ", ".join(levels), "level": level,
                "loss": float(wide.loc[here, [(level, side) for side in SIDES]].sum(axis=1).mean()),
                "correlation": float(np.asarray(np.corrcoef(result, lost[level]))[0, 1]), "confidence": CONFIDENCE,
                "n_matches": len(here),
            }  # fmt: skip
            rows.extend(row | {"instrument": name} | slope for name, slope in slopes.items())
    return pd.DataFrame(rows, columns=columns("people/judges"))


def _difference(wide: pd.DataFrame, level: str, matches: pd.Index) -> Floats:
    left, right = (np.asarray(wide.loc[matches, (level, side)], np.float64) for side in SIDES)
    return right - left


def _elsewhere(wide: pd.DataFrame, left: "pd.Series[str]", right: "pd.Series[str]") -> "pd.Series[float]":
    level = max(_sets(wide), key=lambda levels: len(_judged_by(wide, levels)))[0]
    here = _judged_by(wide, [level])
    names = np.column_stack([players.loc[here].to_numpy(str) for players in (left, right)])
    players = np.unique(names, return_inverse=True)[1].reshape(names.shape)
    lost = wide.loc[here, [(level, side) for side in SIDES]].to_numpy(np.float64)
    rates = rates_elsewhere(players, lost, np.ones_like(lost))
    return pd.Series(rates[:, 1] - rates[:, 0], index=here)


def _sets(wide: pd.DataFrame) -> Iterator[Sequence[str]]:
    """Yield sets of levels, deepest last: those with many matches (each at least 3/4 of the most), and all."""
    counts = wide.notna().T.groupby(level=0).all().sum(axis=1)
    every = sorted(map(str, counts.index), key=_plies)
    many = [level for level in every if counts[level] >= 0.75 * counts.max()]
    yield many
    if many != every:
        yield every


def _plies(level: str) -> tuple[str, str]:
    nets, depth = level.split()
    return depth, nets


def _judged_by(wide: pd.DataFrame, levels: Sequence[str]) -> pd.Index:
    return wide.dropna(subset=[(level, side) for level in levels for side in SIDES]).index


def _numbers(names: "pd.Series[str]") -> Any:
    return np.unique(names.to_numpy(str), return_inverse=True)[1]


def _ratio(instrument: Floats, y: Floats, x: Floats) -> float:
    return float(instrument @ y / (instrument @ x))


def _slope(result: Floats, loss: Floats, instrument: Floats, groups: Any) -> dict[str, float]:
    value = _ratio(instrument, result, loss)
    return _around(value, np.bincount(groups, instrument * (result - value * loss)) / float(instrument @ loss))


def _around(value: float, influence: Floats) -> dict[str, float]:
    error = math.sqrt(float(influence @ influence) * len(influence) / (len(influence) - 1))
    half = quantile(CONFIDENCE, len(influence) - 1) * error
    return {"slope": value, "std_error": error, "ci_low": value - half, "ci_high": value + half}


def by_few(table: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Return how wide ratings from few matches are by each level, and how often they hold (people/judges_few).

    The levels are those of the deepest level's engine, and the matches those that all of them have judged.
    """
    nets = max(table["level"], key=_plies).split()[0]
    rows = table[table["level"].str.startswith(f"{nets} ")]
    wide = rows.pivot(index="match", columns=["level", "side"], values="loss_mwc")
    levels = next(levels for levels in _sets(wide) if len(levels) > 1)
    rows = rows[rows["match"].isin(_judged_by(wide, levels))].sort_values(["match", "side"])
    judged = {level: (rows[rows["level"] == level].astype(FLOATS), _formula(level)) for level in levels}
    return few_matches(judged, offset, rest=1).reindex(columns=columns("people/judges_few"))


def _formula(level: str) -> RatingModel:
    """Return the formula for errors judged at a level; one deeper than those measured takes the deepest that was."""
    nets, depth = level.split()
    return replace(choose("fitted", nets, min(depth, "2-ply")), words=level)


OFFSET = 2050.0
SCALE_NETS, SHALLOW, DEEPER = "1.08", "1.08 0-ply", "1.07.001 2-ply"
SIMULATED = ("people-range", "inside")
COLLECTIONS = {
    "one man and his opponents": ("1.07.001", "people-depth"), "strong players": ("1.08", "people-depth"),
    "players of one server": ("1.08", "people-gridgammon"), "title matches": ("1.08", "people-title"),
}  # fmt: skip
"""The collections that F comes from, by the folder of their frozen losses."""


class JudgesError(BgratingError):
    """The tables to compare do not fit together."""


@click.command()
@click.option("--nets", type=click.Choice(known_nets()), default="1.08", help="whose folder takes the losses")
@click.option("--matches", type=PATH, help="the matches.csv with the luck-adjusted results")
@click.option("--below", default="", help="only files of --matches whose path starts so")
@click.option("--coverage", "sets", type=click.IntRange(2), help="count the coverage of F in so many simulated sets")
@click.argument("levels", nargs=-1, metavar="LEVEL=PATH...")
def command(nets: str, matches: Path | None, below: str, sets: int | None, levels: tuple[str, ...]) -> None:
    """Is it the judge? Losses by several depths on the same matches, and what they are worth for a rating.

    Without arguments the tables are computed anew from the frozen losses of both collections: 1.07.001 holds the
    matches of one man, judged by its levels, and 1.08 those of strong players. --matches and LEVEL=PATH, as in
    "1.07.001 2-ply=FOLDER", freeze the losses first. A PATH is a matches.csv, or a folder with several of them below.
    """
    if bool(matches) != bool(levels):
        raise JudgesError("judges: --matches and at least one LEVEL=PATH go together")
    if matches:
        paths = dict(level.partition("=")[::2] for level in levels)
        freeze(matches, below, {level: Path(path) for level, path in paths.items()}, _folder(nets))
    for version in known_nets():
        if (_folder(version) / "frozen" / "losses.parquet").is_file():
            write_tables(_folder(version))
    write_scale(committed_results(SCALE_NETS) / "people")
    write_others(committed_results(SCALE_NETS) / "people")
    if sets:
        write_coverage(committed_results(SCALE_NETS) / "people", sets)


def freeze(results: Path, below: str, levels: Mapping[str, Path], folder: Path) -> None:
    """Write the losses of both players of the same matches by every level into the folder's frozen table.

    Matches are the same if their file names and numbers are. Raises JudgesError naming the table that does not fit.
    """
    about = read_table(results)
    about = _named(about[about["file"].str.startswith(below)], results)
    judged, sources = {}, {}
    for level, path in levels.items():
        tables = sorted(path.rglob("matches.csv")) if path.is_dir() else [path]
        if not all(table.is_file() for table in tables) or not tables:
            raise JudgesError(f"judges: {path} is no matches.csv, and there is none below it")
        judged[level] = _named(pd.concat([read_table(table) for table in tables], ignore_index=True), path)
        facts = read_provenance(tables[0])
        sources[level] = {"engine": facts["engine"], "analysis": facts["analysis"]}
    table = losses(judged, about)
    write_rows(
        table, SCHEMA, folder / "frozen" / "losses.parquet", matches=int(table["match"].nunique()), levels=sources
    )


def write_tables(folder: Path) -> None:
    """Write judges.csv and judges_few.csv from the folder's frozen losses."""
    path = folder / "frozen" / "losses.parquet"
    table = read_rows(path, SCHEMA)
    with one_provenance(folder / "people_judge.provenance.json"):
        tables = {"judges_few": by_few(table, OFFSET), "judges": judges(table)}
        write_all(tables, folder, "people", losses_sha256=read_provenance(path)["sha256"])


def frozen_pairs() -> pd.DataFrame:
    """Return the matches of all frozen collections with the losses by SHALLOW, and by DEEPER where it saw them."""
    paths = {
        name: committed_results(nets) / folder / "frozen" / "losses.parquet"
        for name, (nets, folder) in COLLECTIONS.items()
    }
    tables = [scale.pairs_of(read_rows(path, SCHEMA), SHALLOW, DEEPER, name) for name, path in paths.items()]
    return pd.concat(tables, ignore_index=True)


def write_scale(folder: Path) -> None:
    """Write scale.csv, F by collection and strength, from all frozen losses; rounded, as a minimum is searched for."""
    table = scale.scale(frozen_pairs(), _formula(SHALLOW).formula)
    figures = table.select_dtypes("number").columns
    write_table(table.assign(**table[figures].round(3)), folder / "scale.csv", "people/scale")


def write_coverage(folder: Path, sets: int) -> None:
    """Write coverage.csv from simulated data sets, anew after each of them: what is stopped has counted some."""
    fitted = scale.Likelihood(scale.Meetings.of(frozen_pairs(), _formula(SHALLOW).formula))
    fitted.fit()
    found: dict[int, float] = {}
    with ProcessPoolExecutor() as pool:
        fits = {pool.submit(scale.drawn, fitted, number): number for number in range(sets)}
        for fit in as_completed(fits):
            found[fits[fit]] = fit.result()
            if len(found) > 1:
                table = scale.coverage(fitted, [found[number] for number in sorted(found)])
                write_table(table, folder / "coverage.csv", "people/coverage", simulated=sorted(found))


def write_others(folder: Path) -> None:
    """Write few_strength.csv, ratings from few matches of strong players by strength, luck.csv and appendix1.csv."""
    results, model = committed_results(SCALE_NETS), _formula(SHALLOW)
    table = read_rows(results / "people-depth" / "frozen" / "losses.parquet", SCHEMA).astype(FLOATS)
    of_field = read_table(results / "field" / "matches.csv")
    write_table(appendix1(of_field, model.formula), folder / "appendix1.csv", "people/appendix1")
    stored = stored_field(of_field, model)
    if stored:
        strengths = by_strength(table[table["level"] == SHALLOW], model, stored, OFFSET)
        write_table(strengths, folder / "few_strength.csv", "people/few_strength")
    played = {study: sorted((results / study / "frozen").glob("*.parquet")) for study in SIMULATED}
    matches = {study: pd.concat([read_checked(path) for path in paths]) for study, paths in played.items()}
    write_table(luck(matches), folder / "luck.csv", "people/luck")


def _folder(nets: str) -> Path:
    return committed_results(nets) / "people-depth"


def _named(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a table of matches with file names in place of their paths. Raises JudgesError where two are alike."""
    table = table.assign(file=table["file"].str.rsplit("/", n=1).str[-1])
    if table.duplicated(["file", "match", "side"]).any():
        raise JudgesError(f"judges: {path} has two matches of the same file name and number")
    return table
