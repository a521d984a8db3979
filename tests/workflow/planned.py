"""What a dry run of Snakemake plans, and the names of rules."""

import re
import subprocess
from pathlib import Path


def jobs(planned: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return the number of jobs of each rule that a dry run plans."""
    lines = planned.stdout.splitlines()
    first = next(
        (number for number, line in enumerate(lines) if line.startswith("---")), len(lines)
    )
    counts = {}
    for line in lines[first + 1 :]:
        words = line.split()
        if len(words) != 2 or words[0] == "total":
            break
        counts[words[0]] = int(words[1])
    return counts


def rule_names(project: Path) -> list[str]:
    files = [project / "Snakefile", *sorted(project.glob("rules/*.smk"))]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return re.findall(r"^(?:use rule \w+ as|rule) (\w+)", texts, re.MULTILINE)
