"""Which files belong to a problem: the one table of them. A problem's stem names it in every path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

Kind = Literal[
    "settings", "exercise", "pristine", "solution", "excuses", "pitfalls", "recipe",
    "grader", "support", "lesson", "notebook", "recorded", "key",
]  # fmt: skip


@dataclass(frozen=True)
class File:
    """One kind of file: where it lies, and who makes it."""

    path: str
    made_by: Literal["author", "author, maybe", "build", "release"]  # "maybe": a problem may do without it
    released: bool = False  # whether a learner's copy has it
    learners: bool = False  # whether the learner writes in it
    keyed: bool = False  # whether an answer key is recorded for just this file


FILES: Mapping[Kind, File] = {
    "settings": File("exercises/{stem}.toml", "author", released=True, keyed=True),
    "exercise": File("exercises/{stem}.py", "build", released=True, learners=True),
    "pristine": File("exercises/.pristine/{stem}.py", "build", released=True, keyed=True),
    "solution": File("solutions/{stem}.py", "author"),
    "excuses": File("solutions/{stem}.mutants.toml", "author, maybe"),
    "pitfalls": File("solutions/pitfalls/{stem}.py", "author"),
    "recipe": File("solutions/lessons/{stem}.py", "author, maybe"),
    "grader": File("graders/test_{stem}.py", "author", released=True, keyed=True),
    "support": File("graders/support/{stem}.py", "author, maybe", released=True, keyed=True),
    "lesson": File("notebooks/{stem}.md", "author, maybe"),
    "notebook": File("notebooks/{stem}.ipynb", "build", released=True, learners=True),
    "recorded": File("notebooks/recorded/{stem}.safetensors", "author, maybe", released=True),
    "key": File("keys/{stem}.key", "release", released=True),
}

# A released copy has this file, which lists what was released, and answer keys in place of the solutions.
RELEASE_FILE = "release.json"
RELEASE_VERSION = 1  # of its format
# Further folders of one problem, each with its slash.
CORPUS = "tests/corpus/{stem}/"  # submissions with their golden results
SHOWN = "docs/examples/{stem}/"  # submissions whose reports the README shows


def path_of(kind: Kind, stem: str) -> str:
    """The relative path of one file of a problem, whether it is there or not."""
    return FILES[kind].path.format(stem=stem)


def folder_of(kind: Kind) -> str:
    """The folder in which all problems have this file."""
    return FILES[kind].path.rpartition("/")[0]


def stem_in(kind: Kind, path: str) -> str | None:
    """What stands in the place of the stem in a relative path of this kind; None where it is none."""
    start, _, end = FILES[kind].path.partition("{stem}")
    stem = path[len(start) : len(path) - len(end)]
    return stem if stem and "/" not in stem and path == f"{start}{stem}{end}" else None


def needed(stem: str) -> tuple[str, ...]:
    """Relative paths of the files that an author writes for every problem."""
    return _paths(stem, (kind for kind, file in FILES.items() if file.made_by == "author"))


def sources(stem: str) -> tuple[str, ...]:
    """Relative paths of the files that a problem is made of, those that it may lack included."""
    return _paths(stem, (kind for kind, file in FILES.items() if file.made_by.startswith("author")))


def built(stem: str) -> tuple[str, ...]:
    """Relative paths of what `workbook build` makes; a learner may have written in the exercise and in the notebook."""
    return _paths(stem, (kind for kind, file in FILES.items() if file.made_by == "build"))


def released(stem: str) -> tuple[str, ...]:
    """Relative paths of the files that a learner's copy has of a problem."""
    return _paths(stem, (kind for kind, file in FILES.items() if file.released))


def keyed(stem: str) -> tuple[str, ...]:
    """Relative paths of the files on which it depends what is asked of a solution: a key is recorded for just these."""
    return _paths(stem, (kind for kind, file in FILES.items() if file.keyed))


def folders(stem: str) -> tuple[str, ...]:
    """Folders whose every file belongs to the problem, with a slash at the end."""
    return CORPUS.format(stem=stem), SHOWN.format(stem=stem)


def is_learners(path: str) -> bool:
    """Whether a relative path is one that a learner writes in: an exercise or a notebook."""
    return any(file.learners and stem_in(kind, path) for kind, file in FILES.items())


def _paths(stem: str, kinds: Iterable[Kind]) -> tuple[str, ...]:
    return tuple(path_of(kind, stem) for kind in kinds)


# Folders in which every file belongs to a problem, and the first folders of their paths.
FOLDERS = tuple(dict.fromkeys(folder_of(kind) for kind, file in FILES.items() if file.made_by != "release"))
TOP_FOLDERS = tuple(dict.fromkeys(PurePosixPath(folder).parts[0] for folder in FOLDERS))
# Folders in which a learner has nothing of their own.
HIDDEN_FOLDERS = frozenset(map(folder_of, FILES)) - {folder_of(kind) for kind, file in FILES.items() if file.learners}
