"""A copy of what a learner works with, as they get it."""

from __future__ import annotations

import shutil
from pathlib import Path

from workbook.content import layout
from workbook.content.catalog import Catalog


def learners_copy(catalog: Catalog, folder: Path) -> None:
    """Copy into an empty folder what a learner works with, as they get it: every exercise is its stub."""
    for part in ("pyproject.toml", *layout.TOP_FOLDERS):
        source = catalog.root / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
            shutil.copytree(source, folder / part, ignore=ignored)
        elif source.is_file():
            shutil.copy(source, folder / part)
    for problem in catalog.problems:
        shutil.copy(problem.pristine, folder / problem.relative(problem.exercise))
