"""Which files belong to a problem: the one list of them, by its stem."""

from __future__ import annotations

REQUIRED = (
    "exercises/{stem}.toml",
    "solutions/{stem}.py",
    "solutions/pitfalls/{stem}.py",
    "graders/test_{stem}.py",
)
OPTIONAL = (
    "solutions/{stem}.mutants.toml",
    "solutions/lessons/{stem}.py",
    "graders/support/{stem}.py",
    "notebooks/{stem}.md",
    "notebooks/recorded/{stem}.safetensors",
)
# Made from the others by `workbook build`; a learner may have written in the exercise and in the notebook.
BUILT = (
    "exercises/{stem}.py",
    "exercises/.pristine/{stem}.py",
    "notebooks/{stem}.ipynb",
)
# Folders in which every file belongs to a problem.
CONTENT = (
    "exercises",
    "exercises/.pristine",
    "solutions",
    "solutions/pitfalls",
    "solutions/lessons",
    "graders",
    "graders/support",
    "notebooks",
    "notebooks/recorded",
)
FOLDERS = ("tests/corpus/{stem}/", "docs/examples/{stem}/")


def sources(stem: str) -> tuple[str, ...]:
    """Relative paths of the files that a problem is made of, those that it may lack included."""
    return tuple(path.format(stem=stem) for path in (*REQUIRED, *OPTIONAL))


def built(stem: str) -> tuple[str, ...]:
    return tuple(path.format(stem=stem) for path in BUILT)


def folders(stem: str) -> tuple[str, ...]:
    """Folders whose every file belongs to the problem, with a slash at the end."""
    return tuple(path.format(stem=stem) for path in FOLDERS)


# A released copy has this file, which lists what was released, and answer keys in place of the solutions.
RELEASE_FILE = "release.json"
