"""Every setting of config/schemas/config.schema.yaml as an option of a command line."""

import click

from bgrating.command.numbers import Number, WholeNumber
from bgrating.settings import SCHEMAS, load_yaml

SHORT = {"analysis": "level", "coefficients": "formula"}
KINDS = {"integer": WholeNumber(), "number": Number()}


def target() -> click.Command:
    """Return the command line of a target; what is no setting of ours is Snakemake's."""
    return click.Command(
        "TARGET",
        params=options(),
        epilog="All options of Snakemake too: .venv/bin/snakemake --help",
        context_settings={
            "allow_extra_args": True,
            "ignore_unknown_options": True,
            "help_option_names": ["-h", "--help"],
        },
    )


def options() -> list[click.Parameter]:
    return [
        click.Option(_names(key), type=KINDS.get(str(about["type"])), metavar="VALUE", help=about["description"])
        for key, about in load_yaml(SCHEMAS / "config.schema.yaml")["properties"].items()
    ]


def _names(key: str) -> list[str]:
    """Return the names of an option, the last as errors have it."""
    names = [key, f"--{key}", f"--{key.replace('_', '-')}"]
    if key in SHORT:
        names.append(f"--{SHORT[key]}")
    return list(dict.fromkeys(names))
