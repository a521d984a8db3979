"""`./run freeze`: write the played matches of a study into one permanent table per match length."""

from collections.abc import Iterator

import click

from bgleague.tournament.design import STUDY
from bgrating.places import results_folder
from bgrating.play.designs import frozen_table
from bgrating.play.matches import SCHEMA
from bgrating.tables.table_files import write_rows
from study.flags import options
from study.pooling import pooled
from study.settings import Settings


def freeze(settings: Settings, study: str) -> Iterator[str]:
    """Write the frozen table of each match length that has none, if all its shards were played.

    Yield a line on each.

    A frozen table is never written again.
    """
    design = settings.design(study)
    frozen = settings.frozen(study)
    for length in design.match_lengths():
        table = frozen_table(settings.played, study, length)
        shards = list(settings.shards(study, length))
        missing = [str(part.table) for part in shards if not part.table.is_file()]
        if length in frozen:
            yield f"{table}: frozen already"
        elif missing:
            yield f"{table}: not frozen, since {missing[0]} has not been played"
        else:
            rows, metadata, _ = pooled(settings, design, length, shards)
            write_rows(
                rows,
                SCHEMA,
                table,
                **{key: metadata[key] for key in metadata if key not in ("rows", "sha256")},
            )
            yield f"{table}: {len(rows)} of {metadata['planned']} matches"


@click.command(params=options())
@click.argument("study")
def command(study: str, **settings: object) -> None:
    """Freeze what was played of STUDY: one Parquet table a match length, for the repository.

    A tournament is tournament/NAME. Settings are those that it was played with.
    """
    given = {
        "results": str(results_folder()),
        **{key: value for key, value in settings.items() if value is not None},
    }
    if study.startswith(STUDY):
        given["name"] = study.removeprefix(STUDY)
    for line in freeze(Settings(given), study):
        print(line)
