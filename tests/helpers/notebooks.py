"""What the tests of notebooks share: a learner's copy with notebooks built afresh, and a run from a clean kernel."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

PICTURE = re.compile(r"<img [^>]*>")
CELL_SECONDS = 600


def run(path: Path, *, scratch: Path, **environment: str) -> Any:
    """Execute a notebook in a kernel of its own, every cell also after an error; the notebook with its outputs."""
    notebook = nbformat.read(path, 4)
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute(env={**os.environ, "IPYTHONDIR": str(scratch / "ipython"), **environment})
    return notebook


def plain(cell: Any) -> tuple[str, str]:
    """A cell without what a run leaves in it."""
    source = cell["source"]
    return cell["cell_type"], source if isinstance(source, str) else "".join(source)


def outputs(notebook: Any) -> Iterator[tuple[int, Any]]:
    """Every output with the number of its cell, from 1."""
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()):
            yield number, output


def errors(notebook: Any) -> list[str]:
    return [
        f"cell {number}: {output.ename}: {output.evalue}"
        for number, output in outputs(notebook)
        if output.output_type == "error"
    ]


def texts(notebook: Any) -> list[str]:
    """The text of every output: what was printed, and the plain form of what was displayed."""
    return [str(output.get("text") or output.get("data", {}).get("text/plain", "")) for _, output in outputs(notebook)]


def pictures(notebook: Any) -> list[str]:
    """Every <img> tag."""
    return [
        tag for _, output in outputs(notebook) for tag in PICTURE.findall(output.get("data", {}).get("text/html", ""))
    ]
