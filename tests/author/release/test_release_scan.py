"""The scan of a release: code of hidden sources is found wherever and however it is written, and nothing else is."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import py_compile
import tarfile
import zipfile
from pathlib import Path

import pytest
from helpers.workbooks import PROBLEMS, ROOT

from workbook.author.release.scan import faults, leaks
from workbook.author.release.secrets import Secrets

SOLUTION = '''"""A sum."""

import torch


def running_sum(values, start=None):
    """Add up."""
    # BEGIN SOLUTION
    total = torch.zeros_like(values[0]) if start is None else start
    sums = []
    for value in values:
        total = total + value  # carry on
        sums.append(total)
    return torch.stack(sums, dim=1)
    # END SOLUTION


def mean_of(values):
    # BEGIN SOLUTION
    return values.double().sum(dim=0) / max(1, len(values) - 1)
    # END SOLUTION


def same(x):
    # BEGIN SOLUTION
    return x
    # END SOLUTION


def report(values):
    lines = [f"{value:.3f}" for value in values]
    width = max(len(line) for line in lines)
    return "\\n".join(line.rjust(width) for line in lines)
'''
STUB = '''import torch


def running_sum(values, start=None):
    """Add up."""
    raise NotImplementedError("write running_sum here")


def mean_of(values):
    raise NotImplementedError("write mean_of here")


def same(x):
    raise NotImplementedError("write same here")


def report(values):
    lines = [f"{value:.3f}" for value in values]
    width = max(len(line) for line in lines)
    return "\\n".join(line.rjust(width) for line in lines)
'''
SUM, MEAN = "solutions/s.py: running_sum", "solutions/s.py: mean_of"
BODY = """    total = torch.zeros_like(values[0]) if start is None else start
    sums = []
    for value in values:
        total = total + value
        sums.append(total)
    return torch.stack(sums, dim=1)
"""
LINES = BODY.replace("\n    ", "\n").strip() + "\n"


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    made = Secrets()
    made.add(SOLUTION, STUB, "solutions/s.py")
    return made


def found(secrets: Secrets, name: str, text: str | bytes) -> list[str]:
    return faults(name, text if isinstance(text, bytes) else text.encode(), secrets)


def notebook(source: str | list[str], kind: str = "code") -> str:
    return json.dumps({"cells": [{"cell_type": kind, "metadata": {}, "source": source}], "nbformat": 4})


def zipped(name: str, text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return buffer.getvalue()


def tarred(name: str, text: str, mode: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        info = tarfile.TarInfo(name)
        info.size = len(text.encode())
        archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


WAYS = {
    "whole.py": f"def f(values, start=None):\n{BODY}",
    "three.py": "def g(sums, total, value):\n    for value in values:\n        total = total + value\n        sums.append(total)\n",
    "module_level.py": LINES,
    "annotated.py": "def g(values: Tensor):\n    total: Tensor = torch.zeros_like(values[0]) if start is None else start\n    sums: list = []\n    for value in values:\n        pass\n",
    "laid_out.py": "def g(values, start):\n    total = (\n        torch.zeros_like(  values[0])\n        if start is None\n        else start)  # why\n\n    sums = [\n    ]\n    'a text'\n    for value in values: total = total+value\n",
    "renamed.py": "def h(rows, first=None):\n    acc = torch.zeros_like(rows[0]) if first is None else first\n    out = []\n    for row in rows:\n        acc = acc + row\n        out.append(acc)\n    return torch.stack(out, dim=1)\n",
    "nested.py": f"class A:\n    def f(self):\n        if self:\n            while True:\n{BODY.replace('    ', '            ', 1).replace(chr(10) + '    ', chr(10) + '                ').replace('            total', '                total', 1)}",
    "commented.py": "x = 1\n" + "".join(f"# {line}\n" for line in LINES.splitlines()),
    "quoted.py": f"TEXT = '''\n{LINES}'''\n",
    "escaped.py": f"TEXT = {LINES!r}\n",
    "cell.ipynb": notebook(LINES.splitlines(keepends=True)),
    "joined_cell.ipynb": notebook(LINES),
    "magic_cell.ipynb": notebook(f"%%solve 1\n{LINES}"),
    "prose_cell.ipynb": notebook(f"So:\n\n```python\n{LINES}```\n", "markdown"),
    "renamed_cell.ipynb": notebook(f"%matplotlib inline\ndef f(rows, first):\n{BODY.replace('values', 'rows').replace('start', 'first').replace('total', 'acc')}"),
    "page.md": f"# Title\n\n> ```\n> {LINES.replace(chr(10), chr(10) + '> ')}```\n",
    "session.md": "".join(f">>> {line}\n" for line in LINES.splitlines()),
    "settings.toml": f"hints = [{json.dumps(LINES)}]\n",
    "data.json": json.dumps({"deep": [{"text": LINES}]}),
    "broken.json": "{" + json.dumps(LINES).replace("\\n", "\n"),
    "no_suffix": LINES,
    "array.safetensors": b"\x02\0\0\0\0\0\0\0{}" + LINES.encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_code_of_a_solution_is_found_in_every_guise(name, secrets):
    told = found(secrets, name, WAYS[name])
    assert len(told) == 1, told
    assert told[0].startswith(name)
    assert told[0].endswith(f"holds code of {SUM}.")


ARCHIVES = {
    "zip": zipped("a/b.py", LINES),
    "whl": zipped("b.py", LINES),
    "tar": tarred("b.py", LINES, "w"),
    "tar.gz": tarred("b.py", LINES, "w:gz"),
    "gz": gzip.compress(LINES.encode()),
    "bz2": bz2.compress(LINES.encode()),
    "xz": lzma.compress(LINES.encode()),
}


@pytest.mark.parametrize("suffix", ARCHIVES)
def test_an_archive_is_refused_whatever_its_name(suffix, secrets):
    assert found(secrets, f"a.{suffix}", ARCHIVES[suffix]) == [f"a.{suffix} cannot be read by the scan (an archive)."]
    for name in ("a.py", "a.md", "a", "a.safetensors"):
        assert found(secrets, name, ARCHIVES[suffix]) == [f"{name} is a binary file that the scan cannot read."]


def test_a_short_body_that_says_something_is_a_secret(secrets):
    line = "values.double().sum(dim=0) / max(1, len(values) - 1)"
    assert found(secrets, "a.py", f"def f(values):\n    return {line}\n") == [f"a.py holds code of {MEAN}."]
    assert found(secrets, "a.md", f"The answer is `return {line}`.") == [f"a.md holds code of {MEAN}."]


@pytest.mark.parametrize(
    "text",
    [
        STUB,
        "def f(x):\n    return x\n",
        "def f(values):\n    sums = []\n    for value in values:\n        sums.append(value)\n    return sums\n",
        "def f(values, start):\n    total = 0\n    sums = []\n    for value in values:\n        total += value\n    return total\n",
        "import torch\nimport math\nfrom pathlib import Path\n",
        "Add each value to the total, keep every sum in a list, then stack them with torch.stack on dim 1.",
        SOLUTION[SOLUTION.index("def report") :],
    ],
)
def test_what_is_public_or_common_is_no_secret(text, secrets):
    assert found(secrets, "a.py", text) == []
    assert found(secrets, "a.ipynb", notebook(text)) == []
    assert found(secrets, "a.md", f"```python\n{text}\n```\n") == []


def test_compiled_code_and_unknown_binary_files_are_refused(secrets, tmp_path):
    source = tmp_path / "a.py"
    source.write_text("x = 1\n")
    py_compile.compile(str(source), cfile=str(tmp_path / "a.pyc"), doraise=True)
    assert "compiled code" in found(secrets, "a.pyc", (tmp_path / "a.pyc").read_bytes())[0]
    assert "binary file" in found(secrets, "a.bin", b"\0\1\2")[0]
    (tmp_path / "a.pyc").unlink()
    (tmp_path / "link").symlink_to(source)
    assert leaks(tmp_path, secrets) == ["link is a link, which could lead to anything."]


def test_every_solution_and_pitfall_gives_itself_away():
    for problem in PROBLEMS:
        secrets, stub = Secrets(), problem.pristine.read_text(encoding="utf-8")
        sources = [problem.solution.read_text(encoding="utf-8"), problem.pitfalls.read_text(encoding="utf-8")]
        for source in sources:
            secrets.add(source, stub, "hidden.py")
        assert all(secrets.in_code(source) and secrets.in_text(source) for source in sources)
        for released in (problem.pristine, problem.grader, problem.settings, problem.support):
            if released.is_file():
                assert faults(released.name, released.read_bytes(), secrets) == [], released


def test_a_saved_right_answer_that_is_written_differently_is_not_taken_for_the_solution():
    """The scan looks for the hidden text, not for any right answer."""
    problem, secrets = PROBLEMS[0], Secrets()
    secrets.add(problem.solution.read_text(encoding="utf-8"), problem.pristine.read_text(encoding="utf-8"), "hidden.py")
    corpus = ROOT / "tests" / "corpus" / problem.stem / "right"
    for name in ("quadratic_matrix", "parallel_scan", "vmap", "recursion"):
        assert faults(name, Path(corpus, f"{name}.py").read_bytes(), secrets) == []
