"""Read settings files and check them against the schemas in config/schemas/."""

from collections.abc import Iterable, Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import yaml

from bgrating import BgratingError
from bgrating.places import DATA
from bgrating.suggestion import did_you_mean

# The loader in C where it exists: every start of the workflow reads dozens of files.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SCHEMAS = DATA / "config" / "schemas"
_LONGEST = 200
"""Characters of a message about a value that are shown; the value may be long."""


def shown_path(path: Path) -> str:
    """Return the path for a message.

    It is relative to the project for its own files, else as it was given.
    """
    return str(path.relative_to(DATA) if path.is_relative_to(DATA) else path)


class SettingsError(BgratingError):
    """A setting is wrong; the message names the key and what is allowed."""


def load_yaml(path: Path) -> Any:
    """Return the content of a YAML file. Raises SettingsError if it is missing or not YAML."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except FileNotFoundError as missing:
        raise SettingsError(f"{path}: no such file") from missing
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path} is not YAML: {problem}") from problem


def settings_files(folder: Path, user_files: Mapping[str, Path]) -> dict[str, Path]:
    """Return the YAML files of a folder of the project and the user's own, by their names.

    The reader of a file checks its name (`read_settings`), so a wrong name stops only commands that
    use the file.
    """
    return {**{path.stem: path for path in sorted(folder.glob("*.yaml"))}, **user_files}


def read_settings(folder: Path, path: Path, schema: str) -> Any:
    """Return the checked settings of a file of the project's `folder`, or of the user's own.

    Raises SettingsError for wrong settings, and for the name of a project's file.
    """
    taken = folder / f"{path.stem}.yaml"
    if taken.is_file() and path.resolve() != taken.resolve():
        raise SettingsError(
            f"{path}: {path.stem} is a name of the project's own ({folder.name}); choose another"
        )
    settings = load_yaml(path)
    check(settings, schema, shown_path(path))
    return settings


def check(settings: Any, schema: str, where: str) -> None:
    """Check settings against config/schemas/<schema>.schema.yaml.

    Raises SettingsError, which names each wrong key, `where` it stands and the allowed values.
    """
    problems = sorted(_validator(schema).iter_errors(settings), key=attrgetter("json_path"))
    if problems:
        raise SettingsError("; ".join(f"{where}: {_explain(problem)}" for problem in problems))


@cache
def _validator(schema: str) -> Any:
    """Return a jsonschema.Draft202012Validator."""
    # Slow to import, and many commands check no settings.
    import jsonschema  # noqa: PLC0415
    from referencing import Registry, Resource  # noqa: PLC0415

    documents = {
        path.name.removesuffix(".schema.yaml"): load_yaml(path)
        for path in SCHEMAS.glob("*.schema.yaml")
    }
    registry: Registry[Any] = Registry().with_resources(
        (document["$id"], Resource.from_contents(document))
        for document in documents.values()
        if "$id" in document
    )
    return jsonschema.Draft202012Validator(documents[schema], registry=registry)


def _explain(problem: Any) -> str:
    """Return what is wrong by a jsonschema.ValidationError."""
    schema = problem.schema
    message = problem.message[:_LONGEST]
    description = schema.get("description") or schema.get("title")
    if problem.validator == "additionalProperties":
        allowed = set(schema.get("properties", {}))
        unknown = set(problem.instance) - allowed
        message = (
            f"unknown {_listed(unknown)}{did_you_mean(min(unknown), allowed)};"
            f" allowed: {_listed(allowed)}"
        )
    elif description:
        message += f" ({description})"
    return ": ".join(filter(None, (".".join(map(str, problem.absolute_path)), message)))


def _listed(names: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, names)))
