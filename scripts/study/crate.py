"""A study's results as a Workflow Run RO-Crate: one archive that says what was run, with what, and what came out.

Sources: RO-Crate 1.1 (https://w3id.org/ro/crate/1.1), Workflow RO-Crate 1.0, Workflow Run Crate 0.5
(https://w3id.org/ro/wfrun/workflow/0.5), which extends Process Run Crate 0.5. The files keep their places in the
project. The run has no `endTime`: tables hold no time, so that they are the same bytes whenever they are made.
"""

import json
import mimetypes
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bgrating.places import DATA as PROJECT
from bgrating.play.designs import DESIGNS, Design
from bgrating.settings import load_yaml
from bgrating.tables.provenance import atomic_path, has_provenance, sha256, verified

Json = dict[str, Any]

WORKFLOW = "Snakefile"
BESIDE = ("rules", "scripts", "config", "gnubg_configs", "profiles", "report", "results/published")
"""Folders that the workflow is made of."""
SINGLE = ("run", "requirements.lock", "environment.yml", "README.md", "LICENSE", "CITATION.cff")
METADATA = "ro-crate-metadata.json"
RO_CRATE, WORKFLOW_CRATE = "https://w3id.org/ro/crate/1.1", "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
CONTEXT = [f"{RO_CRATE}/context", "https://w3id.org/ro/terms/workflow-run/context"]
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
AUTHORS, ENGINE, RUN = "#authors", "#engine", "#run"
_TYPES = {".parquet": "application/vnd.apache.parquet", ".yaml": "application/yaml", ".cff": "application/yaml"}


def write_crate(design: Design, tables: Sequence[Path], made: Sequence[Path], results: Path, archive: Path) -> None:
    """Write the archive: metadata, workflow, and what a study was made from (design, `tables` of matches) and `made`.

    Where a file has provenance, its checksum is compared and the provenance goes into the archive too; that of the
    first table names the engine. All these files are in the folder `results`. Raises ProvenanceError.
    """
    places = {path: f"results/{path.relative_to(results).as_posix()}" for path in [*tables, *made]}
    plan = DESIGNS / f"{design.study}.yaml"
    places[plan] = plan.relative_to(PROJECT).as_posix()
    used, files = [plan, *tables], [_file(place, path) for path, place in places.items()]
    about = _metadata(
        design, verified(tables[0]), [places[path] for path in used], [places[path] for path in made], files
    )
    provenance = {file for path in [*tables, *made] for file in path.parent.glob("*.provenance.json")}
    content = {path: path.relative_to(PROJECT).as_posix() for path in _workflow()} | places
    content |= {file: f"results/{file.relative_to(results).as_posix()}" for file in provenance}
    with atomic_path(archive) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(_entry(METADATA), json.dumps(about, indent=1) + "\n")
        for path, place in sorted(content.items(), key=lambda item: item[1]):
            packed.writestr(_entry(place), path.read_bytes())


def _metadata(
    design: Design, facts: Mapping[str, Any], used: list[str], made: list[str], files: Sequence[Mapping[str, Any]]
) -> Json:
    """Return the JSON-LD of a study's run: `facts` of the provenance of its matches, `files` that it used and made."""
    citation = load_yaml(PROJECT / "CITATION.cff")
    license_ = f"https://spdx.org/licenses/{citation['license']}"
    parts = [WORKFLOW, *(f"{folder}/" for folder in BESIDE), *SINGLE, *(file["@id"] for file in files)]
    graph: list[Mapping[str, Any]] = [
        {
            "@id": METADATA, "@type": "CreativeWork", "about": _to("./"),
            "conformsTo": [_to(RO_CRATE), _to(WORKFLOW_CRATE)],
        },
        {
            "@id": "./", "@type": "Dataset", "name": f"bgrating: {design.title}", "description": citation["abstract"],
            "datePublished": datetime.now(UTC).date().isoformat(), "license": _to(license_), "author": _to(AUTHORS),
            "conformsTo": [_to(profile) for profile in PROFILES], "mainEntity": _to(WORKFLOW),
            "mentions": [_to(RUN)], "hasPart": [_to(name) for name in parts],
        },
        {
            "@id": WORKFLOW, "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
            "name": citation["title"], "version": facts["code_version"], "programmingLanguage": _to(SNAKEMAKE),
            "softwareRequirements": [_to(ENGINE)], "license": _to(license_), "author": _to(AUTHORS),
        },
        {
            "@id": RUN, "@type": "CreateAction", "name": f"Run of the study {design.study}",
            "description": f"seed {facts['study_seed']}; analysis {facts['analysis']['name']}",
            "instrument": _to(WORKFLOW), "agent": _to(AUTHORS), "object": [_to(name) for name in used],
            "result": [_to(name) for name in made],
        },
        {
            "@id": SNAKEMAKE, "@type": "ComputerLanguage", "name": "Snakemake", "url": "https://snakemake.github.io",
            "identifier": "https://doi.org/10.12688/f1000research.29032.1",
        },
        {
            "@id": ENGINE, "@type": "SoftwareApplication", "name": "GNU Backgammon",
            "url": "https://www.gnu.org/software/gnubg/", "softwareVersion": facts["engine"]["version"],
            "description": "; ".join(f"{name} {value}" for name, value in facts["engine"]["checksums"].items()),
        },
        {"@id": AUTHORS, "@type": "Organization", "name": citation["authors"][0]["name"]},
        {"@id": license_, "@type": "CreativeWork", "name": citation["license"]},
        *({"@id": at, "@type": "CreativeWork", "name": name, "version": no} for at, (name, no) in PROFILES.items()),
        *({"@id": f"{folder}/", "@type": "Dataset", "name": folder} for folder in BESIDE),
        *(_file(name, PROJECT / name) for name in SINGLE),
        *files,
    ]  # fmt: skip
    return {"@context": CONTEXT, "@graph": graph}


def _workflow() -> Iterator[Path]:
    yield from (PROJECT / name for name in (WORKFLOW, *SINGLE))
    for folder in BESIDE:
        found = (PROJECT / folder).rglob("*")
        yield from (path for path in found if path.is_file() and "__pycache__" not in path.parts)


def _entry(place: str) -> zipfile.ZipInfo:
    """Return a place in the archive without a time: the same content is the same bytes."""
    entry = zipfile.ZipInfo(place)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _file(place: str, path: Path) -> Json:
    checked = verified(path)["sha256"] if has_provenance(path) else sha256(path)
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    return {
        "@id": place, "@type": "File", "name": path.name, "encodingFormat": kind,
        "contentSize": str(path.stat().st_size), "sha256": checked,
    }  # fmt: skip


def _to(name: str) -> Json:
    return {"@id": name}
