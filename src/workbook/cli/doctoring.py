"""`workbook doctor`: what this machine has and lacks for grading."""

from __future__ import annotations

import platform
from importlib import metadata

from workbook import sandbox
from workbook.cli import shared
from workbook.errors import WorkbookError

LIBRARIES = ("torch", "numpy", "pytest", "msgpack", "jaxtyping", "rich", "typer")
FOR_NOTEBOOKS = ("jupyterlab", "ipykernel", "matplotlib", "safetensors")


def doctor() -> int:
    """Check the content's files, the libraries and a real worker; exit 0 where grading works, 3 where it does not."""
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
        sound = _worker(console, catalog) and sound
    except WorkbookError as error:
        console.print(f"  broken   {error}")
        sound = False
    console.print("Grading works here." if sound else "Grading does not work here yet: see the lines above.")
    return 0 if sound else 3


def _worker(console: object, catalog: object) -> bool:
    from workbook.engine import Engine

    engine = Engine(catalog)  # type: ignore[arg-type]
    printed = console.print  # type: ignore[attr-defined]
    try:
        isolation = engine.probe_isolation()
        printed(
            f"  ok       a worker starts; this machine counts as {engine.start().slowness:.1f} x as slow as the reference"
        )
        printed("Isolation of a learner's code:")
        for layer, what in sandbox.LAYERS.items():
            reason = isolation.missing.get(layer)
            printed(f"  active   {layer}: {what}" if reason is None else f"  missing  {layer}: {reason}")
    finally:
        engine.close()
    return True
