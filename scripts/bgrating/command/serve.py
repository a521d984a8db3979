"""`bgrating serve`: a page on this computer to drop files on."""

from pathlib import Path

import click

from bgrating.command import JSON, PATH, RESULTS, SETTINGS, tell
from bgrating.command.numbers import WholeNumber
from bgrating.settings_files import SettingsError


@click.command(context_settings=SETTINGS)
@click.argument("folder", required=False, type=PATH, metavar="[DIR]")
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    default=0,
    help="port of the page (default: any that is free)",
)
@RESULTS
@click.option("--open/--no-open", "is_shown", default=True, help="show the page in the browser")
@JSON
def command(
    folder: Path | None, port: int, results: Path, *, is_shown: bool, as_json: bool
) -> None:
    """Show a page on which you drop match files or a club's list.

    Rate DIR too, whenever files in it change.

    Only this computer reaches the page, by the address with its token. Ctrl-C ends it; nothing
    finished is lost.

    \b
    Examples:
      bgrating serve
      bgrating serve "Documents/eXtreme Gammon"
    """
    if folder and not folder.is_dir():
        raise SettingsError(f"there is no folder {folder}")
    from bgrating.serve.app import serve  # noqa: PLC0415

    def announce(address: str) -> None:
        answer = {"command": "serve", "page": address}
        tell(answer, f"Page: {address}\nCtrl-C ends it.", as_json=as_json)

    serve(results.resolve(), folder, port, announce, is_shown=is_shown)
