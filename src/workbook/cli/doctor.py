"""`workbook doctor`: what this machine has and lacks for grading."""

from __future__ import annotations

import platform
from importlib import metadata

from rich.console import Console

from workbook.cli import shared
from workbook.cli.command import command
from workbook.content.catalog import Catalog
from workbook.errors import WorkbookError
from workbook.sandbox import environments, layers

LIBRARIES = ("torch", "numpy", "pytest", "msgpack", "jaxtyping", "rich", "typer")
FOR_NOTEBOOKS = ("jupyterlab", "ipykernel", "matplotlib", "safetensors")


@command
def doctor() -> int:
    """Say what this machine has and lacks for grading."""
    console = shared.console()
    console.print(f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})")
    sound = True
    for name in LIBRARIES:
        try:
            console.print(f"  ok       {name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            console.print(f"  missing  {name}: run `make` again, or `pip install -e .`")
            sound = False
    for name in FOR_NOTEBOOKS:
        try:
            console.print(f"  ok       {name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            console.print(f"  missing  {name}, so that notebooks do not work: run `make` again, or `pip install -e .`")
    try:
        catalog = shared.open_catalog()
        console.print(f"  ok       {len(catalog.problems)} problems in {catalog.root}")
        for reason in catalog.broken.values():
            console.print(f"  broken   {reason}")
            sound = False
        sound = _keys(console, catalog) and _worker(console, catalog) and sound
    except WorkbookError as error:
        console.print(f"  broken   {error}")
        sound = False
    console.print("Grading works here." if sound else "Grading does not work here yet: see the lines above.")
    return 0 if sound else 3


def _keys(console: Console, catalog: Catalog) -> bool:
    """Whether every answer key of a released copy is whole and fits the checks; there are none in a full workbook."""
    released = [problem for problem in catalog.problems if problem.released and not problem.solution.is_file()]
    if not released:
        return True
    from workbook.answers.key import read_key

    sound = True
    for problem in released:
        try:
            read_key(problem)
        except WorkbookError as error:
            console.print(f"  broken   {error}")
            sound = False
    if sound:
        console.print(f"  ok       {len(released)} answer keys, each for the checks that are here")
    return sound


def _worker(console: Console, catalog: Catalog) -> bool:
    from workbook.grading.engine import Engine

    engine = Engine(catalog)
    printed = console.print
    try:
        isolation = engine.probe_isolation()
        printed(
            f"  ok       a worker starts; this machine counts as {engine.start().slowness:.1f} x as slow as the reference"
        )
        printed("Isolation of a learner's code:")
        for layer, what in layers.LAYERS.items():
            reason = isolation.missing.get(layer)
            printed(f"  active   {layer}: {what}" if reason is None else f"  missing  {layer}: {reason}")
        for sentence in environments.broken(isolation.active):
            printed(f"  exposed  a submission {sentence}")
    finally:
        engine.close()
    return True
