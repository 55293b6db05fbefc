"""Files written whole or not at all, kept copies, and what tells two files apart."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from workbook import transaction
from workbook.errors import UsageError
from workbook.text import shown


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step, so that a crash leaves either the old one or the new. Raises OSError."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """`write_whole` for what is no text."""
    path = Path(os.path.realpath(path))  # a link stays one
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def backup(path: Path) -> Path:
    """Copy a file into .workbook/backups, under its name and the time. Raises OSError, or UsageError for that folder."""
    kept = path.parent.parent / transaction.backup_path(path.name)
    content = path.read_bytes()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with open(kept, "xb") as file:
            file.write(content)
    except OSError as error:
        raise UsageError(
            f"No backup of {path.name} can be made in {shown(kept.parent)} ({error.strerror}): nothing was changed."
        ) from None
    return kept
