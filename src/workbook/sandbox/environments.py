"""Where submissions are graded, which layers each place has, and which promises hold there.

One set of data for `workbook doctor`, docs/security.md and the tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbook.sandbox.layers import LAYERS

_BY_NAMESPACES = ("scratch", "namespaces", "view")


@dataclass(frozen=True)
class Environment:
    """A kind of machine; `lacks` are the layers that it has not."""

    name: str
    lacks: tuple[str, ...] = ()

    @property
    def active(self) -> tuple[str, ...]:
        return tuple(layer for layer in LAYERS if layer not in self.lacks)


ENVIRONMENTS = (
    Environment("root"),
    Environment("an ordinary user"),
    Environment("no user namespaces", _BY_NAMESPACES),
    Environment("no Landlock", ("landlock",)),
    Environment("no seccomp", ("seccomp",)),
    Environment("none of the three", (*_BY_NAMESPACES, "landlock", "seccomp")),
)

# What a submission cannot do, with the layers of which any one forbids it.
PROMISES: dict[str, tuple[str, ...]] = {
    "touch a verdict, a reference or a result": ("process",),
    "read a file beside the libraries' and its own": ("landlock", "view"),
    "write a file outside its scratch folder": ("landlock", "view"),
    "change mode, owner, times or attributes of files of the user": ("view", "seccomp"),
    "see that a file or a process of others is there": ("view",),
    "watch what others do with files": ("seccomp",),
    "reach the network or a socket": ("seccomp", "namespaces"),
    "run a program": ("landlock", "seccomp"),
    "signal or trace a process of others": ("landlock", "namespaces"),
    "change limits or priority of a process of others": ("namespaces", "seccomp"),
    "leave memory behind that no process is charged for": ("namespaces", "seccomp"),
    "fill more of the disk than it may": ("scratch", "landlock"),
    "leave a process or a file behind": ("namespaces", "landlock"),
}


def holds(needed: Iterable[str], active: Iterable[str]) -> bool:
    """Whether a promise holds for which any one of these layers is needed."""
    return not set(needed).isdisjoint(active)


def broken(active: Iterable[str]) -> Iterator[str]:
    """A sentence for each promise that does not hold with these layers alone."""
    layers = set(active)
    for what, needed in PROMISES.items():
        if not holds(needed, layers):
            yield f"can {what}: {' or '.join(needed)} would forbid it"


def table(hostile: dict[str, tuple[str, ...]]) -> str:
    """Layers, promises and the outcome of each hostile submission, by environment, in Markdown.

    Args:
        hostile: for each submission the layers of which any one holds it.
    """
    names = [environment.name for environment in ENVIRONMENTS]
    rows = [_row("layer", names), _row("---", ["---"] * len(names))]
    for layer in LAYERS:
        rows.append(_row(layer, ["active" if layer in each.active else "missing" for each in ENVIRONMENTS]))
    for title, items in (("a submission cannot", PROMISES), ("hostile submission", hostile)):
        rows += ["", _row(title, names), _row("---", ["---"] * len(names))]
        for what, needed in items.items():
            rows.append(_row(what, ["holds" if holds(needed, each.active) else "**no**" for each in ENVIRONMENTS]))
    return "\n".join(rows)


def _row(first: str, others: Iterable[str]) -> str:
    return f"| {' | '.join([first, *others])} |"
