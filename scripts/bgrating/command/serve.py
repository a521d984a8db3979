"""`bgrating serve`: a page on this computer to drop files on."""

import secrets
import socket
import webbrowser
from pathlib import Path

import click

from bgrating.command import JSON, PATH, SETTINGS, tell
from bgrating.command.numbers import WholeNumber
from bgrating.places import results_folder
from bgrating.settings import SettingsError


@click.command(context_settings=SETTINGS)
@click.argument("folder", required=False, type=PATH, metavar="[DIR]")
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    default=0,
    help="port of the page (default: any that is free)",
)
@click.option("--results", type=PATH, help="folder for tables and pages")
@click.option("--open/--no-open", "is_shown", default=True, help="show the page in the browser")
@JSON
def command(
    folder: Path | None, port: int, results: Path | None, *, is_shown: bool, as_json: bool
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
    import uvicorn  # noqa: PLC0415

    from bgrating.index import write_index  # noqa: PLC0415
    from bgrating.serve.app import Door, PatientProtocol, application  # noqa: PLC0415
    from bgrating.serve.jobs import Queue  # noqa: PLC0415

    place = results_folder(results).resolve()
    place.mkdir(parents=True, exist_ok=True)
    write_index(place)
    with socket.socket() as listening:
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as problem:
            raise SettingsError(
                f"port {port} cannot be used ({problem.strerror}): choose another --port"
            ) from None
        listening.listen(100)  # the browser may ask before the server is ready
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        address = f"http://127.0.0.1:{port}/?token={token}"
        door = Door(place, port) if is_shown else None

        def show() -> None:
            tell(
                {"command": "serve", "page": address},
                f"Page: {address}\nCtrl-C ends it.",
                as_json=as_json,
            )
            if door:
                webbrowser.open(door.path.as_uri())

        app = application(Queue(place, folder), port, token, door, show)
        settings = uvicorn.Config(
            app,
            http=PatientProtocol,
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=2,
            server_header=False,
        )
        try:
            uvicorn.Server(settings).run([listening])
        finally:
            if door:
                door.close()
