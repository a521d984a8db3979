"""What a dry run of Snakemake plans, and the names of rules."""

import re
import subprocess
from pathlib import Path


def jobs(planned: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return the number of jobs of each rule that a dry run plans."""
    table = re.search(r"^---.*\n((?:\S+ +\d+ *\n)*)", planned.stdout, re.MULTILINE)
    rows = table[1].splitlines() if table else []
    counts = {name: int(count) for name, count in map(str.split, rows)}
    counts.pop("total", None)
    return counts


def rule_names(project: Path) -> list[str]:
    files = [project / "Snakefile", *sorted(project.glob("rules/*.smk"))]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return re.findall(r"^(?:use rule \w+ as|rule) (\w+)", texts, re.MULTILINE)
