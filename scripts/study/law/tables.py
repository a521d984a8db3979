"""Every table of the law and the formula of an engine, from the frozen matches of its studies."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine import levels
from bgrating.engine.nets import one_nets
from bgrating.play import designs
from bgrating.play.matches import read_checked
from bgrating.rating.choose import by_level
from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import read_provenance
from study.formula.regressions import UndeterminedError
from study.law import COVERAGE_STUDIES, FITTED, LEAST_LENGTH, OTHERS, SEED, STUDIES, TESTS, THIRD_TEST, depth
from study.law.forms import FORMS, Points, fit, points_of
from study.law.formula import coefficients, coverage, engines, formula, lengths
from study.law.tests import base, by_cubes, cells, contest, halves, tests


def tables(
    matches: Mapping[str, pd.DataFrame],
    fixed: Mapping[str, tuple[Floats, Floats]],
    others: Mapping[str, pd.DataFrame],
    nets: str,
) -> tuple[dict[str, pd.DataFrame], RatingFormula]:
    """Return the tables of `study.law.TABLES` and the formula, from the matches of studies by name.

    `fixed` are the coefficients that were written down before the third test, `others` the tables `lengths` of other
    nets by nets. Raises UndeterminedError where the studies do not determine the law.
    """
    held = played_whole(matches)
    if not any(name in held for name in FITTED):
        raise UndeterminedError("no study of the law has been played")
    points: dict[str, Points] = {name: points_of({name: table}) for name, table in held.items()}
    law, tested = fit(base(points), FORMS["law"]), tests(points, fixed)
    engine_formula = formula(points, tested[tested["study"] == THIRD_TEST], nets)
    factors, at_lengths = depth.factors(matches), lengths(engine_formula)
    made = {
        "tests": tested,
        "split_halves": halves({name: held[name] for name in (*FITTED, *TESTS) if name in held}, points, law),
        "cubes": by_cubes(points, law),
        "points": cells(points, law),
        "contest": contest(points),
        "coefficients": coefficients(points),
        "lengths": at_lengths,
        "coverage": coverage(points, engine_formula.facts["allowed_slope"], COVERAGE_STUDIES, SEED),
        "engines": engines(at_lengths, others, nets, [n for n in engine_formula.match_lengths if n >= LEAST_LENGTH]),
        "depth": factors,
        "depth_checks": depth.checks(matches, engine_formula, by_level(factors)),
    }
    return {name: table if len(table.columns) else pd.DataFrame(columns=columns(f"law/{name}"))
            for name, table in made.items()}, engine_formula  # fmt: skip


def read_matches(paths: Iterable[str], nets: str) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """Return the matches of studies by name from their tables, and the provenance of each.

    Raises NetsError where they were not all judged by these nets.
    """
    tables, facts = {}, {}
    for path in map(Path, paths):
        fact = read_provenance(path)
        tables[fact["study"]], facts[fact["study"]] = path, fact
    one_nets({name: fact["engine"] for name, fact in facts.items()}, nets)
    return {name: read_checked(table) for name, table in tables.items()}, facts


def played_whole(matches: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return what of the studies of the law has been played whole: by match length, the third test only altogether.

    Of the tournament of levels the matches of players who search no deeper than the judge.
    """
    held = {}
    for name in dict.fromkeys([*STUDIES, *OTHERS]):
        if name not in matches:
            continue
        table = matches[name]
        if name in designs.studies():
            design, played = designs.design(name), table.groupby("match_length").size()
            planned = {n: sum(point.matches for point in design.points_of(n)) for n in design.match_lengths()}
            lengths_played = [n for n, count in planned.items() if played.get(n, 0) == count]
            if name == THIRD_TEST and len(lengths_played) < len(planned):
                continue
            table = table[table["match_length"].isin(lengths_played)]
        else:
            shallow = {player for player in {*table["player"], *table["opponent"]} if _plies(str(player)) == 0}
            table = table[table["player"].isin(shallow) & table["opponent"].isin(shallow)]
        if len(table):
            held[name] = table.reset_index(drop=True)
    return held


def _plies(name: str) -> int:
    player = levels.player(name)
    return max(player.chequerplay.plies, player.cubedecision.plies)
