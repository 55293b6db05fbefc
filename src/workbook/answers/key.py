"""The answer key of one problem: what the reference and the known mistakes answer, without their sources.

One file: a line with the version and a checksum over what follows, then one message of the wire. There is no source in
it and no pickle: reading it runs nothing.

    {"stem": …, "seed": 0, "hidden": 0,
     "recorded_for": {"graders/test_p01_….py": sha256 or None, …},
     "pitfalls": [{"name": …, "replaces": …, "check": …}, …],
     "checks": {"test_…": {"draws": [place, …], "answers": {digest of the question: place, …}}},
     "values": [value as a message of its own, …]}

A place is that of a value in the list, in which equal ones stand once: a reply, None where the call raised an exception,
or random data. Each is a message of its own so that only what is asked for is made, and made anew each time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook.content import layout
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, WireError
from workbook.pitfalls import Pitfall
from workbook.wire.codec import decode, encode

VERSION = "2"
# How a key begins; one of version 1, which was a safetensors file, has this within its first bytes.
HEADER = re.compile(rb'workbook_key[" :]+(\d{1,9}) ([0-9a-f]{64})')
WITHIN = 200
MEND = "get it back with `workbook update`, or unpack the release again"


@dataclass
class Values:
    """Values as they are written down: each a message, and equal ones once."""

    places: dict[bytes, int] = field(default_factory=dict)

    def place(self, value: Any) -> int:
        """Where a value stands, from now on or already."""
        return self.places.setdefault(encode(value), len(self.places))


@dataclass(frozen=True)
class Key:
    """A key as it was read, its fitness for the files beside it proven."""

    seed: int
    hidden: int
    pitfalls: tuple[Pitfall, ...]
    draws: Mapping[str, list[bytes]]  # of each check, in order
    answers: Mapping[bytes, bytes]  # by the digest of the question


def files_of(problem: Problem) -> dict[str, str | None]:
    """The digests of the files whose checks and questions a key was recorded for; None for one that is not there."""
    found: dict[str, str | None] = {}
    for name in layout.keyed(problem.stem):
        path = problem.root / name
        try:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        except OSError as error:
            raise BrokenWorkbook(f"{name} cannot be read: {error.strerror}.") from None
    return found


def write_key(path: Path, contents: Mapping[str, Any], values: Values) -> None:
    """Write a key: the same bytes for the same contents. Raises CannotTravel where it is too large."""
    message = encode({**contents, "values": list(values.places)})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"workbook_key {VERSION} {hashlib.sha256(message).hexdigest()}\n".encode() + message)


def read_key(problem: Problem) -> Key:
    """The key of a problem. Every fault is one line: missing, damaged, of another version or for other files."""
    where = problem.relative(problem.key)
    try:
        data = problem.key.read_bytes()
    except FileNotFoundError:
        raise BrokenWorkbook(f"{where} is missing: {MEND}.") from None
    except OSError as error:
        raise BrokenWorkbook(f"{where} cannot be read ({error.strerror}): {MEND}.") from None
    header = HEADER.search(data, 0, WITHIN)
    if header and header[1].decode() != VERSION:
        raise BrokenWorkbook(
            f"{where} is an answer key of version {header[1].decode()}, and this workbook reads version {VERSION}: "
            "run `workbook update` with a release that has both."
        )
    line, _, message = data.partition(b"\n")
    if line != f"workbook_key {VERSION} {hashlib.sha256(message).hexdigest()}".encode():
        raise BrokenWorkbook(f"{where} is damaged: {MEND}.")
    try:
        contents = decode(message)
    except WireError:
        raise BrokenWorkbook(f"{where} is damaged: {MEND}.") from None
    if contents["stem"] != problem.stem:
        raise BrokenWorkbook(f"{where} is the answer key of another problem ({contents['stem']}): {MEND}.")
    _check_fits(problem, contents["recorded_for"], where)
    values, draws, answers = contents["values"], {}, {}
    for name, check in contents["checks"].items():
        draws[name] = [values[place] for place in check["draws"]]
        answers.update({question: values[place] for question, place in check["answers"].items()})
    pitfalls = tuple(
        Pitfall(item["name"], "", item["replaces"], item["check"], source="") for item in contents["pitfalls"]
    )
    return Key(contents["seed"], contents["hidden"], pitfalls, draws, answers)


def _check_fits(problem: Problem, recorded_for: Mapping[str, str | None], where: str) -> None:
    for name, digest in files_of(problem).items():
        if recorded_for.get(name) != digest:
            state = "is not the file" if digest is not None else "is missing, a file"
            raise BrokenWorkbook(f"{name} {state} that the answer key {where} was recorded for: {MEND}.")
