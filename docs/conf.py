"""The site of the docs: `make docs` builds it, strictly: a broken link or a name that is not there fails."""

import re
from pathlib import Path
from typing import Any

import gridlab

CONTRIBUTING = Path(__file__).parent.parent / "CONTRIBUTING.md"
project = "gridlab"
author = "the gridlab authors"
release = version = gridlab.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "gridlab"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def plain_docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Our docstrings are plain text: names in backticks are code, pictures stay as they are."""
    written: list[str] = []
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("    ") and not before.startswith("    "):
            written += ["", "::", ""]  # what follows is shown as it stands
        code = line.startswith("    ")
        written.append(line if code else re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line.replace("*", r"\*")))
        if before.startswith("    ") and not code and line:
            written.insert(-1, "")
    lines[:] = written


def links_of_the_site(app: Any, page: str, source: list[str]) -> None:
    """CONTRIBUTING.md lies beside the docs in the repository; here it is a page."""
    if page == "contributing":
        text = CONTRIBUTING.read_text(encoding="utf-8").replace("](docs/", "](")
        source[0] = re.sub(r"\]\((?=src/|examples/|tests/|tools/)", "](../", text)
    source[0] = source[0].replace("](../CONTRIBUTING.md", "](contributing.md")


def setup(app: Any) -> None:
    app.connect("source-read", links_of_the_site)
    app.connect("autodoc-process-docstring", plain_docstring)
