"""Judge the errors of matches a second time, as level `checked` of a study does.

A fast level judges every decision. Those that it flags (decisions/flagged.py) are judged again, and
their losses change. Kinds of cube errors stay those of the fast level.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from bgmatch.records import Json
from bgrating.decisions.decision_rows import decisions
from bgrating.decisions.decision_table import SCHEMA
from bgrating.decisions.flagged import changes, decision_id_of, flagged
from bgrating.engine.session import Session
from bgrating.engine.statistics import match_rows


def checked(
    first: Iterable[tuple[Json, Any]], running: Session, texts: Iterable[str]
) -> Iterator[list[Json]]:
    """Yield the rows of matches.

    `first` are the matches and their match-equity tables by the fast level; `running` judges the
    flagged decisions.
    """
    for text, (match, table) in zip(texts, first, strict=True):
        batch = pa.RecordBatch.from_pylist(list(decisions(match, table)), SCHEMA)
        doubtful = flagged(batch)
        request = {
            "task": "judge",
            "text": text,
            "expected": {"game_numbers": list(range(1, len(match["games"]) + 1))},
            "check": [decision.id for decision in doubtful],
        }
        verdicts = {decision_id_of(row): row for row in running.result(request)["checked"]}
        rows = {row["side"]: row for row in match_rows(match, table)}
        for (side, name), change in changes(doubtful, verdicts).items():
            rows[side][name] += change
        yield list(rows.values())
