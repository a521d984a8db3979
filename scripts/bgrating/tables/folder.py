"""Put files into a folder of results, and leave every file there that is not ours.

Never overwrite a file that another program or the user wrote. The first line of a page or a picture
has the file's name and a digest. They prove that this program wrote it. The checksum in the
folder's provenance proves any other file; the provenance holds a digest of itself. A name is never
read from a file.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bgmatch.records import Json
from bgrating.settings_files import SettingsError
from bgrating.tables.provenance import digest_of, sha256, text_of
from bgrating.tables.regular import regular

_BEGIN = b"<!-- bgrating "
_MARK = re.compile(_BEGIN + rb"([0-9a-f]{64}) ([\w./-]{1,200}(?: [0-9a-f]{64})?) -->\n")
_PATIENCE = 600.0  # seconds to wait for another command that writes the same tables
_STAGE = ".new-"
"""Prefix of the folder in which a run makes its files; a killed run leaves it behind."""

_OURS = "ours"
_CHANGED = "changed"
_FOREIGN = "foreign"


def name_of(path: Path, default: str) -> str:
    """Return a name for results from the name of a path: letters, digits, dash and underscore."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-") or default


def check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise SettingsError(
            f"name {name!r}: a name of results has letters, digits, dot, dash and underscore only"
        )


def marked(text: str, name: str, source_digest: str = "") -> bytes:
    """Return a page with its mark, the line that proves who made it.

    The mark has its name and the digest of its source, `source_digest` (a sha256).
    """
    mark = f"{name} {source_digest}".rstrip()
    return _BEGIN + f"{_digest(mark, text.encode())} {mark} -->\n{text}".encode()


def page_name(path: Path) -> str:
    """Return the name under which this program made a page.

    The name is empty for a changed page and for any other file.
    """
    return mark_of(path).partition(" ")[0]


def mark_of(path: Path) -> str:
    """Return the name of a page and the sha256 of its source, if the mark has one.

    The text is empty for a changed page and for any other file.
    """
    with suppress(OSError), regular(path) as file:
        mark = _MARK.fullmatch(file.readline(400))
        if mark and _digest(mark[2].decode(), file.read()) == mark[1].decode():
            return mark[2].decode()
    return ""


def _digest(name: str, data: bytes) -> str:
    return hashlib.sha256(name.encode() + b"\n" + data).hexdigest()


def recorded(provenance: Path) -> Json:
    """Return a provenance of several tables; empty if it is absent or changed."""
    try:
        with regular(provenance) as file:
            text = file.read().decode()
        metadata: Json = json.loads(text)
        is_unchanged = text == text_of(metadata)
        is_whole = metadata.pop("sha256") == digest_of(metadata) and all(
            one["sha256"] for one in metadata["written"].values()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return metadata if is_unchanged and is_whole else {}


def check_folder(folder: Path, provenance: str) -> None:
    """Check before a run that a folder is writable and that this program made its content.

    The file `provenance` marks a folder of this program. A folder without it must be empty. Raises
    SettingsError.
    """
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as problem:
        raise SettingsError(
            f"results cannot be written to {nearest} ({problem.strerror}): choose another folder,"
            " --results DIR"
        ) from None
    if recorded(folder / provenance):
        return
    remedy = "it is left as it is: choose another --name, or move the folder"
    if os.path.lexists(folder / provenance):
        raise SettingsError(
            f"{folder} holds a {provenance} of an older version, or one that was changed since;"
            f" {remedy}"
        )
    foreign = sorted(path.name for path in folder.glob("[!.]*"))
    if foreign:
        raise SettingsError(
            f"{folder} holds a {foreign[0]} that this program did not make; {remedy}"
        )


@contextmanager
def writing(
    folder: Path,
    say: Callable[[str], None],
    provenance: str = "",
    suggestions: tuple[str, Path | None] = ("", None),
    former: Iterable[str] = (),
) -> Iterator[Path]:
    """Yield a new folder; afterwards move its files into `folder`, at the same relative paths.

    Other commands wait meanwhile. A file that was changed since this program wrote it gets another
    name; `say` reports that. `suggestions` names a table and the file that the user passed as
    --aliases. The table stays if it was edited or is that file. Files named in `former` are removed
    if this program made them and not again. Raises SettingsError if a file of somebody else is in
    the way; then nothing changes.
    """
    with locked(folder):
        for killed in folder.glob(f"{_STAGE}*"):
            if _stage_mark(killed).is_file():
                shutil.rmtree(killed)
        with tempfile.TemporaryDirectory(prefix=_STAGE, dir=folder) as temporary:
            stage = Path(temporary, "files")
            stage.mkdir()
            _stage_mark(Path(temporary)).touch()
            yield stage
            _put(stage, folder, say, provenance, suggestions, former)


def _stage_mark(temporary: Path) -> Path:
    """Return the file that proves a stage: links to the folder, and copies, have other numbers."""
    return temporary / f"inode-{temporary.lstat().st_ino}"


def _put(
    stage: Path,
    folder: Path,
    say: Callable[[str], None],
    provenance: str,
    suggestions: tuple[str, Path | None],
    former: Iterable[str],
) -> None:
    metadata = recorded(folder / provenance)
    before = metadata.get("written", {})
    new = {
        path.relative_to(stage).as_posix(): path
        for path in sorted(stage.rglob("*"))
        if path.is_file()
    }
    owners = {name: _state(folder, name, before, path) for name, path in new.items()}
    if metadata:
        owners[provenance] = _OURS
    edited, aliases = suggestions
    is_passed = aliases and owners.get(edited) == _OURS and aliases.samefile(folder / edited)
    if is_passed or owners.get(edited) in {_CHANGED, _FOREIGN}:
        say(f"{folder / edited} stays as it is: it was edited or given as --aliases")
        del new[edited]
    foreign = [name for name in new if owners[name] == _FOREIGN]
    if foreign:
        raise SettingsError(
            f"{folder / foreign[0]} is not as this program made it, so nothing is written"
            f" ({len(foreign)} such in all): move it, or choose another --name"
        )
    for name in new:
        if owners[name] == _CHANGED:
            renamed = set_aside(folder / name, "changed")
            say(f"{folder / name} was changed since it was written: it is {renamed.name} now")
    # The provenance first: if this run is killed here, the next one recognises the other files by
    # it.
    for name, path in sorted(new.items(), key=lambda item: item[0] != provenance):
        (folder / name).parent.mkdir(exist_ok=True)
        path.replace(folder / name)
    for name in former:
        if name not in owners and _state(folder, name, before) == _OURS:
            (folder / name).unlink()


def _state(folder: Path, name: str, recorded: Json, new: Path | None = None) -> str:
    """Return whose file stands at a path; empty for none.

    It is ours (or the same as `new`), ours but changed, or foreign.
    """
    path = folder / name
    within = path.parent
    is_there = os.path.lexists(within)
    if is_there and within != folder and not stat.S_ISDIR(within.lstat().st_mode):
        return _FOREIGN  # a link to a folder elsewhere
    if not os.path.lexists(path):
        return ""
    try:
        with regular(path) as file:
            begin = file.read(len(_BEGIN))
        if page_name(path) == name:
            return _OURS
        known = {recorded.get(name, {}).get("sha256"), new and sha256(new)}
        if sha256(path) in known:
            return _OURS
    except OSError:
        return _FOREIGN
    return _CHANGED if name in recorded or begin in {b"", _BEGIN} else _FOREIGN


def set_aside(path: Path, why: str) -> Path:
    """Rename a file to the first free name `NAME.why-N`; return the new path."""
    aside = (path.with_name(f"{path.name}.{why}-{number}") for number in range(1, 10_000))
    return path.rename(next(free for free in aside if not os.path.lexists(free)))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder of results while its tables or pages are written; other commands wait.

    The lock ends with this process. On a file system without locks no command waits. Raises
    SettingsError if the other command does not end.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ".lock"
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise SettingsError(
            f"{path} is not a file that this program made: move it, or choose another --name"
        )
    lock = FileLock(path, timeout=_PATIENCE, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        raise SettingsError(
            f"another command has been writing to {folder} for {_PATIENCE:.0f} s: end it, or choose"
            " another --name"
        ) from None
    except OSError as problem:
        if (
            problem.filename
        ):  # the lock's file cannot be opened, while a lock that is refused names none
            raise
    try:
        yield
    finally:
        lock.release()
