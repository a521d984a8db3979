"""For mkdocs: what the site has beyond the files of this folder."""

import importlib
import os
import re
import sys
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PROJECT = Path(__file__).resolve().parent.parent
PACKAGES = ("bgrating", "bgmatch")
LINK = re.compile(r"(?<=\]\()(?:\.\./)+[^)#:]+")
"""The address of a link that leads upwards, and so perhaps out of the folder of documents."""
sys.path.append(str(PROJECT / "scripts"))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page of reference for each package, and the files outside that documents link to."""
    for name in PACKAGES:
        text = reference(name)
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    outside = {path for file in files.documentation_pages() for path in linked(file).values()}
    for path in sorted(outside):
        source = str(PROJECT / path)
        files.append(File.generated(config, f"project/{path}", abs_src_path=source))
    return files


def reference(package: str) -> str:
    """Return the page of a package: each public name with its docstring."""
    names = importlib.import_module(package).__all__
    return "\n\n".join([f"# {package}", *(f"::: {package}.{name}" for name in names), ""])


def linked(file: File) -> dict[str, str]:
    """Return the links of a document to files outside, with their paths from the project on."""
    place = PurePosixPath("docs", file.src_uri).parent
    links = LINK.findall(file.content_string)
    paths = {link: os.path.normpath(place / link) for link in links}
    return {link: path for link, path in paths.items() if not path.startswith("docs/")}


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead the links to files outside to their copies in the site."""
    up = "../" * page.file.src_uri.count("/")
    outside = {link: f"{up}project/{path}" for link, path in linked(page.file).items()}
    return LINK.sub(lambda found: outside.get(found[0], found[0]), markdown)
