"""Notebook files, read with no more than json: a learner's may be of any size, age or state."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def built_digest(cells: Iterable[dict[str, Any]]) -> str:
    """A digest of what a reader wrote in a notebook's cells: not of outputs, numbers of runs, and empty cells."""
    digest = hashlib.sha256()
    for cell in cells:
        text = source_of(cell).strip()
        if text:
            digest.update(f"{cell.get('cell_type')} {len(text)}\n{text}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def source_of(cell: dict[str, Any]) -> str:
    """A cell's text, which may be kept as a list of lines."""
    source = cell.get("source", cell.get("input", ""))
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def edited(path: Path) -> bool:
    """Whether a notebook is a learner's work: it is there, and its cells are not those it was built with."""
    if not path.exists():
        return False
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return bool(built_digest(data["cells"]) != data["metadata"]["workbook"]["built"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return True  # nothing that we made
