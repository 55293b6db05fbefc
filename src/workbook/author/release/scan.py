"""Looks for secrets in everything that is to be released: sources, notebooks, settings, recorded arrays.

What cannot be read here (compiled code, archives, unknown binary files) is refused as well.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbook.answers.key import HEADER
from workbook.author.release.secrets import Secrets

FENCE = re.compile(r"^\s*(```+|~~~+)[^\n]*\n(.*?)^\s*\1", re.DOTALL | re.MULTILINE)
SESSION = re.compile(r"^\s*(?:>>>|\.\.\.) ?", re.MULTILINE)
MAGIC = re.compile(r"^\s*[%!].*$", re.MULTILINE)
UNREADABLE = frozenset({".pyc", ".pyo", ".pyd", ".so", ".dll", ".dylib", ".pkl", ".pickle", ".pt", ".pth"})
ARCHIVES = frozenset({".zip", ".whl", ".egg", ".jar", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".lzma", ".zst", ".7z"})
OURS = {".safetensors": re.compile(rb".{8}\{", re.DOTALL), ".key": HEADER}  # binary files that hold no code
LARGEST = 64 * 2**20


def leaks(folder: Path, secrets: Secrets) -> list[str]:
    """One line for each file of a folder that holds a secret or cannot be read; none where all is well."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.append(f"{name} is a link, which could lead to anything.")
        elif path.is_file():
            found += faults(name, path.read_bytes(), secrets)
    return found


def faults(name: str, data: bytes, secrets: Secrets) -> list[str]:
    """What is wrong with one file: at most one line."""
    suffix = Path(name).suffix.lower()
    if suffix in UNREADABLE:
        return [f"{name} cannot be read by the scan (compiled code or a pickle)."]
    if suffix in ARCHIVES:
        return [f"{name} cannot be read by the scan (an archive)."]
    if len(data) > LARGEST:
        return [f"{name} is too large to be looked into."]
    start = OURS.get(suffix)
    if not (_is_text(data) or (start and start.match(data))):
        return [f"{name} is a binary file that the scan cannot read."]
    for text in dict.fromkeys(_texts(name, data.decode("utf-8", "replace"))):
        place = secrets.in_text(text) or next(filter(None, map(secrets.in_code, _programs(text))), None)
        if place is not None:
            return [f"{name} holds code of {place}."]
    return []


def _is_text(data: bytes) -> bool:
    """Whether bytes are plain text, which no archive is, whatever its name."""
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _texts(name: str, text: str) -> Iterator[str]:
    """The text of a file, and the texts that are written as data in it."""
    yield text
    try:
        if name.endswith((".json", ".ipynb")):
            yield from _strings(json.loads(text))
        elif name.endswith(".toml"):
            yield from _strings(tomllib.loads(text))
        elif name.endswith(".py"):
            nodes = ast.walk(ast.parse(text))
            yield from (node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str)
    except (ValueError, SyntaxError, RecursionError):
        return


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for item in data.values():
            yield from _strings(item)
    elif isinstance(data, list):
        if data and all(isinstance(item, str) for item in data):
            yield "".join(data)
            yield "\n".join(data)
        for item in data:
            yield from _strings(item)


def _programs(text: str) -> Iterator[str]:
    """What in a text may be Python: all of it, without notebook magics, what is fenced, what is a session."""
    if "\n" not in text.strip() and len(text) < 2 * len("return x"):
        return
    yield MAGIC.sub("", text)
    for match in FENCE.finditer(text):
        yield MAGIC.sub("", match[2])
    session = [SESSION.sub("", line) for line in text.splitlines() if SESSION.match(line)]
    if session:
        yield "\n".join(session)
