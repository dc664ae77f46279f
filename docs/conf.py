"""The site of the docs: `make docs` builds it, strictly: a broken link or a name that is not there fails."""

import re
import sys
from pathlib import Path
from typing import Any

import gridlab

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from glossary import linked  # noqa: E402  these lie beside the docs
from notebooks import page_of  # noqa: E402

NOTEBOOKS = ROOT / "examples" / "notebooks"
BESIDE = {"contributing": ROOT / "CONTRIBUTING.md", "bots": ROOT / "examples" / "bots" / "README.md"}
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
python_maximum_signature_line_length = 100  # a longer one has a line for each parameter
html_static_path = ["_static"]
html_css_files = ["site.css"]
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


def short_types(
    app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """What NumPy takes as an array is spelt out by its own type in five lines; it has a name."""
    spelt = r"\S*_Buffer \| .*?_NestedSequence\[complex \| bytes \| str\]"
    return re.sub(spelt, "ArrayLike", signature) if signature else signature, returned


def notebook_page(notebook: Path) -> str:
    """A notebook with its outputs; below its title, where to get it."""
    title, _, rest = page_of(notebook).partition("\n")
    there = f"../../examples/notebooks/{notebook.name}"
    return f"{title}\n\n*This page is a notebook: {{download}}`{notebook.name} <{there}>`.*\n{rest}"


def links_of_the_site(app: Any, page: str, source: list[str]) -> None:
    """What lies beside the docs in the repository is a page here, and its links lead on from there."""
    if page in BESIDE:
        folder = BESIDE[page].parent
        up = "" if folder == ROOT else f"{folder.relative_to(ROOT).as_posix()}/"
        text = re.sub(r"\]\((?!http|#|\.\./)", f"](../{up}", BESIDE[page].read_text(encoding="utf-8"))
        source[0] = text.replace("](../docs/", "](").replace("](../../docs/", "](")
    if page.startswith("notebooks/"):
        source[0] = linked(notebook_page(NOTEBOOKS / f"{Path(page).name}.ipynb"), "../glossary.md")
    up = "../" * page.count("/")  # from a page in a folder to the docs
    source[0] = re.sub(r"\]\((?:\.\./)*examples/notebooks/([\w-]+)\.ipynb\)", rf"]({up}notebooks/\1.md)", source[0])
    for name, path in BESIDE.items():
        source[0] = source[0].replace(f"]({up}../{path.relative_to(ROOT).as_posix()}", f"]({up}{name}.md")


def setup(app: Any) -> None:
    app.connect("source-read", links_of_the_site)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("autodoc-process-signature", short_types)
