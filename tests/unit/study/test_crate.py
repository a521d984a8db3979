"""The archive of a study has what the Workflow Run Crate profile 0.5 and those that it extends ask for."""

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bgrating.play import designs
from bgrating.tables.provenance import ProvenanceError
from study.crate import write_crate

MADE = ("points.csv", "coefficients.csv", "formula.json", "report.html", "summary.txt")


@pytest.fixture(name="results")
def _results(project: Path, tmp_path: Path) -> Path:
    study = tmp_path / "results" / "1.07.001" / "check-zadeh"
    shutil.copytree(project / "results" / "1.07.001" / "check-zadeh", study)
    (study / "report.html").write_text("<!doctype html><title>The report, which a run makes</title>", encoding="utf-8")
    return tmp_path / "results"


def packed(results: Path) -> Path:
    study = results / "1.07.001" / "check-zadeh"
    tables = sorted((study / "frozen").glob("*.parquet"))
    write_crate(designs.design("check-zadeh"), tables, [study / name for name in MADE], results, study / "crate.zip")
    return study / "crate.zip"


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_the_archive_conforms_to_the_profile(results: Path) -> None:
    with zipfile.ZipFile(packed(results)) as archive:
        about = json.loads(archive.read("ro-crate-metadata.json"))
        names = archive.namelist()
        graph = {entity["@id"]: entity for entity in about["@graph"]}
        sums = {
            place: hashlib.sha256(archive.read(place)).hexdigest() for place, one in graph.items() if "sha256" in one
        }
    assert about["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    assert len(graph) == len(about["@graph"])
    # RO-Crate 1.1: the descriptor, and what the root must say.
    descriptor, root = graph["ro-crate-metadata.json"], graph["./"]
    assert descriptor["about"] == {"@id": "./"}
    assert {"@id": "https://w3id.org/ro/crate/1.1"} in descriptor["conformsTo"]
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    # Workflow Run Crate 0.5: the profile, the workflow as main entity, its run as an action.
    assert {"@id": "https://w3id.org/ro/wfrun/workflow/0.5"} in root["conformsTo"]
    workflow = graph[root["mainEntity"]["@id"]]
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow"} == set(workflow["@type"])
    assert graph[workflow["programmingLanguage"]["@id"]]["@type"] == "ComputerLanguage"
    (run,) = (graph[one["@id"]] for one in root["mentions"])
    assert run["@type"] == "CreateAction"
    assert run["instrument"] == root["mainEntity"]
    results_of_run = [one["@id"] for one in run["result"]]
    assert [Path(name).name for name in results_of_run] == list(MADE)
    assert "config/designs/check-zadeh.yaml" in [one["@id"] for one in run["object"]]
    # Every reference within the archive has its entity, every file and folder of the root is there.
    references = [
        one["@id"] for entity in graph.values() for value in entity.values() for one in as_list(value)
        if isinstance(one, dict)
    ]  # fmt: skip
    assert {name for name in references if name not in graph} == {"https://w3id.org/ro/crate/1.1"}
    for part in (one["@id"] for one in root["hasPart"]):
        assert part in names or (part.endswith("/") and any(name.startswith(part) for name in names)), part
    assert {place: graph[place]["sha256"] for place in sums} == sums
    assert {*results_of_run, *(one["@id"] for one in run["object"])} <= sums.keys()


def test_the_same_results_are_the_same_bytes(results: Path) -> None:
    first = packed(results).read_bytes()
    assert packed(results).read_bytes() == first


def test_a_table_that_was_changed_is_refused(results: Path) -> None:
    with (results / "1.07.001" / "check-zadeh" / "points.csv").open("a") as table:
        table.write("\n")
    with pytest.raises(ProvenanceError, match="its checksum is not the one in its provenance"):
        packed(results)
