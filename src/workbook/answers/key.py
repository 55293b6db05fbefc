"""The answer key of one problem: what the reference and the known mistakes answer, without their sources.

One safetensors file. Its tensors are pools, one for each dtype, in which equal arrays are kept once. Its metadata has one
entry (several would come in any order, and the same key not always have the same bytes): a line with the version and a
checksum over everything, then a JSON text that describes all values. There is no source in it and no pickle: reading it
runs nothing.

    {"stem": …, "seed": 0, "hidden": 0,
     "recorded_for": {"graders/test_p01_….py": sha256 or null, …},
     "pitfalls": [{"name": …, "replaces": …, "check": …}, …],
     "checks": {"test_…": {"draws": [value, …], "answers": {digest of the question: value or {"raised": true}, …}}}}

A value is null, true, false, a number or a text as itself, a list as a list, and else an object with one entry that
says what it is: {"tuple": […]}, {"dict": [[key, value], …]}, {"object": [number, type]} for what stays where it was
made, {"array": [start, count, head]} or {"tensor": …} for a stretch of a pool and, in hexadecimal, the head that the
wire gives it (dtype, shape, order of memory), {"number": …} and {"bytes": …} for what JSON cannot write exactly.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from workbook.content import layout
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, WireError
from workbook.pitfalls import Pitfall
from workbook.wire import arrays
from workbook.wire.codec import Handle

VERSION = "1"
ENTRY = "workbook_key"
FIELDS = ("stem", "seed", "hidden", "recorded_for", "pitfalls", "checks")
# What a pool can be read as by people; any other dtype is kept as bytes.
POOLED = frozenset({"bool", "uint8", "int32", "int64", "float32", "float64"})
MEND = "get it back with `workbook update`, or unpack the release again"

Description = Any


@dataclass
class Pools:
    """Arrays laid end to end, one pool for each dtype; what is there already is not added again."""

    parts: dict[str, list[bytes]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[str, bytes], int] = field(default_factory=dict)

    def place(self, dtype: str, elements: bytes) -> int:
        """The first byte of these elements in their pool."""
        name = dtype if dtype in POOLED else "uint8"
        digest = hashlib.sha256(elements).digest()
        if (name, digest) not in self.known:
            self.known[name, digest] = self.sizes.get(name, 0)
            self.sizes[name] = self.known[name, digest] + len(elements)
            self.parts.setdefault(name, []).append(elements)
        return self.known[name, digest]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        return {name: np.frombuffer(b"".join(self.parts[name]), dtype=name) for name in sorted(self.parts)}


def describe(value: Any, pools: Pools) -> Description:
    """The description of a value, its arrays put into the pools."""
    kind = type(value)
    if value is None or kind in (bool, str, int):
        return value
    if kind is float:
        return value if np.isfinite(value) else {"number": repr(value)}
    if kind is complex:
        return {"number": repr(value)}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is list:
        return [describe(item, pools) for item in value]
    if kind is tuple:
        return {"tuple": [describe(item, pools) for item in value]}
    if kind is dict:
        return {"dict": [[describe(key, pools), describe(item, pools)] for key, item in value.items()]}
    if kind is Handle:
        return {"object": [value.id, value.type_name]}
    tensor = kind.__module__.startswith("torch")
    pack = arrays.encode_tensor if tensor else arrays.encode_array
    head, elements = pack(value, lambda size: None)
    name = str(value.dtype).removeprefix("torch.")
    start = pools.place(name, bytes(elements)) if len(elements) else 0
    return {"tensor" if tensor else "array": [name, start, len(elements), head.hex()]}


def restore(description: Description, pools: Mapping[str, bytes]) -> Any:
    """The value of a description. Raises WireError where it is not one."""
    if type(description) is list:
        return [restore(item, pools) for item in description]
    if type(description) is not dict:
        return description
    try:
        ((kind, content),) = description.items()
        if kind == "tuple":
            return tuple(restore(item, pools) for item in content)
        if kind == "dict":
            return {restore(key, pools): restore(item, pools) for key, item in content}
        if kind == "object":
            return Handle(int(content[0]), str(content[1]))
        if kind == "number":
            return complex(content) if "j" in content else float(content)
        if kind == "bytes":
            return bytes.fromhex(content)
        dtype, start, count, head = content
        elements = pools.get(dtype if dtype in POOLED else "uint8", b"")[start : start + count]
        unpack = {"tensor": arrays.decode_tensor, "array": arrays.decode_array}[kind]
        return unpack(bytes.fromhex(head) + elements)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise WireError(f"a description that is not one ({type(error).__name__})") from None


@dataclass(frozen=True)
class Key:
    """A key as it was read, its fitness for the files beside it proven."""

    seed: int
    hidden: int
    pitfalls: tuple[Pitfall, ...]
    draws: Mapping[str, list[Description]]
    answers: Mapping[str, Description]
    pools: Mapping[str, bytes]


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


def write_key(path: Path, contents: Mapping[str, Any], pools: Pools) -> None:
    """Write a key: the same bytes for the same contents."""
    from safetensors.numpy import save

    tensors = pools.arrays()
    text = json.dumps({name: contents[name] for name in FIELDS}, ensure_ascii=True, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(save(tensors, {ENTRY: f"{VERSION} {_checksum(text, _bytes(tensors))}\n{text}"}))


def read_key(problem: Problem) -> Key:
    """The key of a problem. Every fault is one line: missing, damaged, of another version or for other files."""
    path = problem.key
    where = problem.relative(path)
    metadata, pools = _read(path, where)
    line, _, text = metadata.get(ENTRY, "").partition("\n")
    version, _, checksum = line.partition(" ")
    if version.isdigit() and version != VERSION:
        raise BrokenWorkbook(
            f"{where} is an answer key of version {version}, and this workbook reads version {VERSION}: "
            "run `workbook update` with a release that has both."
        )
    if checksum != _checksum(text, pools):
        raise BrokenWorkbook(f"{where} is damaged: {MEND}.")
    contents = json.loads(text)
    if contents["stem"] != problem.stem:
        raise BrokenWorkbook(f"{where} is the answer key of another problem ({contents['stem']}): {MEND}.")
    _check_fits(problem, contents["recorded_for"], where)
    draws, answers = {}, {}
    for name, check in contents["checks"].items():
        draws[name] = check["draws"]
        answers.update(check["answers"])
    pitfalls = tuple(
        Pitfall(item["name"], "", item["replaces"], item["check"], source="") for item in contents["pitfalls"]
    )
    return Key(contents["seed"], contents["hidden"], pitfalls, draws, answers, pools)


def _read(path: Path, where: str) -> tuple[dict[str, str], dict[str, bytes]]:
    from safetensors import safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return dict(file.metadata() or {}), _bytes({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except FileNotFoundError:
        raise BrokenWorkbook(f"{where} is missing: {MEND}.") from None
    except OSError as error:
        raise BrokenWorkbook(f"{where} cannot be read ({error.strerror or error}): {MEND}.") from None
    except Exception:  # whatever the library says of bytes that are not a safetensors file
        raise BrokenWorkbook(f"{where} is damaged: {MEND}.") from None


def _check_fits(problem: Problem, recorded_for: Mapping[str, str | None], where: str) -> None:
    for name, digest in files_of(problem).items():
        if recorded_for.get(name) != digest:
            state = "is not the file" if digest is not None else "is missing, a file"
            raise BrokenWorkbook(f"{name} {state} that the answer key {where} was recorded for: {MEND}.")


def _bytes(tensors: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in tensors.items()}


def _checksum(text: str, pools: Mapping[str, bytes]) -> str:
    return _digest(
        [
            text.encode("utf-8", "surrogatepass"),
            *(part for name in sorted(pools) for part in (name.encode(), pools[name])),
        ]
    )


def _digest(parts: Iterable[bytes]) -> str:
    """A digest in which each part counts with its length, so that none can pass into the next."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()
