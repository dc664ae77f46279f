"""Notebooks as pages of the site: their text, code, what they print and their pictures, as they were stored.

docs/conf.py calls `page_of` while the site is built, so nothing is run then; tests/test_notebooks.py runs them.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PICTURES = ("image/svg+xml", "image/png")  # the first of these that an output has is shown


def page_of(notebook: Path) -> str:
    """The MyST page of a notebook that was stored with its outputs."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join(line for cell in cells for line in _cell(cell))


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield f"{source}\n"
    else:
        yield f"```python\n{source}\n```\n"
        yield from _printed(cell["outputs"])
        yield from (_picture(output["data"]) for output in cell["outputs"] if "data" in output)


def _printed(outputs: list[dict[str, Any]]) -> Iterator[str]:
    """What a cell prints, in one block: pieces of it are stored apart."""
    text = "".join("".join(each["text"]) for each in outputs if each.get("name") == "stdout")
    if text:
        yield f"```text\n{text.rstrip()}\n```\n"


def _picture(data: dict[str, Any]) -> str:
    """A picture inside the page; text for what shows itself in no other way."""
    text = "".join(data["text/plain"])
    for kind in PICTURES:
        if kind in data:
            stored = "".join(data[kind])
            coded = base64.b64encode(stored.encode()).decode() if "svg" in kind else stored.replace("\n", "")
            return f'<img class="notebook" alt="Picture drawn by the code above" src="data:{kind};base64,{coded}">\n'
    return f"```text\n{text}\n```\n"
