"""Reads files of a workbook's content. One that cannot be read is the workbook's fault, told in a line that names it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook


def read(problem: Problem, path: Path, *, advice: str = "") -> str:
    """The text of one of a problem's files. Raises BrokenWorkbook; `advice` says what mends it."""
    return read_text(path, problem.relative(path), advice=advice)


def read_text(path: Path, name: str = "", *, advice: str = "") -> str:
    """The text of a file that messages call `name`, or by its path. Raises BrokenWorkbook."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    raise BrokenWorkbook(f"{name or path} cannot be read" + (f" ({reason}): {advice}." if advice else f": {reason}."))


def read_toml(path: Path, name: str = "") -> dict[str, Any]:
    """The tables of a TOML file that messages call `name`, or by its path. Raises BrokenWorkbook."""
    try:
        return parse_toml(path.read_bytes())
    except FileNotFoundError:
        raise BrokenWorkbook(f"{name or path} is missing.") from None
    except OSError as error:
        raise BrokenWorkbook(f"{name or path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BrokenWorkbook(f"{name or path} is not valid TOML: {error}.") from None


def parse_toml(content: bytes) -> dict[str, Any]:
    """The tables of a TOML text. Raises ValueError, also for bytes that are not UTF-8."""
    return tomllib.loads(content.decode("utf-8").replace("\r\n", "\n"))
