"""Random trees in the scratch folder of a real worker: nothing of them stays, and the next grading is not slowed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.grading import result_of

from workbook.content import catalog
from workbook.content.problem import Limits
from workbook.grading.engine import Engine
from workbook.sandbox.layers import SWITCH

if sys.platform != "linux":
    pytest.skip("the scratch folder is bounded on Linux", allow_module_level=True)

ROOT = Path(__file__).parents[2]
MAKER = """
import os, random
import torch

def act(rng, here):
    name = rng.choice(["x", "d" * 250, "\\udcff\\n", "-rf", "*"]) + str(rng.randrange(50))
    kind = rng.choice(KINDS)
    if kind == "folder":
        os.mkdir(name, rng.choice([0o777, 0o700, 0o300]), dir_fd=here)
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
    if kind == "link":
        os.symlink(rng.choice(["/", "..", name, "/etc/passwd"]), name, dir_fd=here)
    elif kind == "pipe":
        os.mkfifo(name, dir_fd=here)
    elif kind == "device":
        os.mknod(name, 0o020666, os.makedev(1, 3), dir_fd=here)
    elif kind == "hard":
        os.link("first", name, dst_dir_fd=here)
    else:
        file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o000 if kind == "closed" else 0o600, dir_fd=here)
        if kind == "hole":
            os.lseek(file, 1 << 24, 0)
        os.write(file, bytes(rng.randrange(1, 1 << 16)))
        if kind == "gone":
            os.unlink(name, dir_fd=here)
            OPEN.append(file)
        else:
            os.close(file)
    return here

OPEN = []
KINDS = ["folder", "link", "pipe", "device", "hard", "closed", "hole", "gone", "plain"]

def sequential_scan(a, b, h0=None):
    rng = random.Random(SEED)
    here = os.open(".", os.O_RDONLY)
    os.close(os.open("first", os.O_CREAT))
    for _ in range(ROUNDS):
        try:
            here = act(rng, here)
        except OSError:
            pass
    return torch.zeros_like(a)
"""


@pytest.fixture(scope="module", params=["nothing", "namespaces scratch view"], ids=["full", "no namespaces"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    book = catalog.load(ROOT)
    limits = Limits(call_seconds=2, total_seconds=4, memory_mb=300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, request.param)
        engine = Engine(replace(book, problems=(replace(book.problem(1), limits=limits),)))
        engine.start()
    yield engine
    engine.close()


def graded(engine: Engine, path: Path) -> tuple[str, float]:
    start = time.perf_counter()
    result = result_of(engine, engine.catalog.problem(1), path)
    return result.verdict, time.perf_counter() - start


@pytest.mark.parametrize(("seed", "rounds"), [(0, 200), (1, 2000), (2, 20_000), (3, 100_000)])
def test_no_tree_outlives_its_grading_or_slows_the_next(seed, rounds, engine, tmp_path):
    honest = engine.catalog.problem(1).solution
    graded(engine, honest)
    usual = min(graded(engine, honest)[1] for _ in range(3))
    file = tmp_path / "p01_sequential_scan.py"
    file.write_text(f"SEED, ROUNDS = {seed}, {rounds}\n{MAKER}")
    assert graded(engine, file)[0] == "failed"
    assert os.listdir(engine.start().scratch) == []
    verdict, taken = zip(*(graded(engine, honest) for _ in range(3)), strict=True)
    assert set(verdict) == {"passed"}
    assert min(taken) < 2 * usual
