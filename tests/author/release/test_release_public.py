"""Public checks: hidden ones are cut out of a release and said to be, and what the public ones cannot catch."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from helpers.grading import result_of
from helpers.workbooks import PROBLEMS, ROOT, check, make_release, only_problem, own_command, workbook

from workbook.author.release.hidden import cut_hidden
from workbook.content import catalog
from workbook.errors import BrokenWorkbook
from workbook.grading.engine import Engine

SCAN = PROBLEMS[0]
WRONG = (ROOT / "docs" / "examples" / SCAN.stem / "values.py").read_text(encoding="utf-8")
HIDDEN = '''

# Nobody must see this.
@pytest.mark.points(3)
@pytest.mark.hidden
def test_held_back(agree, rng):
    """counts for the instructor only"""
    a, b = rng.uniform(0.5, 0.7, size=(4, 5, 6)), rng.normal(size=(4, 5, 6))
    total = (a * b).sum().item() + 40
    agree("sequential_scan", a * total, b, axes=AXES)


@pytest.mark.hidden
def test_held_back_too(agree, rng):
    """counts for the instructor as well"""
    agree("sequential_scan", rng.normal(size=(1, 2, 3)), rng.normal(size=(1, 2, 3)), axes=AXES)
'''


@pytest.fixture
def with_hidden(copy: Path) -> Path:
    """A workbook of one problem with two hidden checks."""
    problem = only_problem(copy, SCAN.stem)
    problem.grader.write_text(problem.grader.read_text(encoding="utf-8") + HIDDEN, encoding="utf-8")
    return copy


def test_hidden_checks_are_cut_out_and_said_to_be(with_hidden, tmp_path):
    out = make_release(with_hidden, tmp_path / "out")
    grader = (out / "graders" / SCAN.grader.name).read_text(encoding="utf-8")
    assert grader == SCAN.grader.read_text(encoding="utf-8")
    everything = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    for trace in (b"held_back", b"Nobody must see", b"counts for the instructor"):
        assert trace not in everything
    assert json.loads((out / "release.json").read_text())["problems"] == {SCAN.stem: {"hidden": 2}}
    assert "Your instructor grades further checks that are not in this copy: 2 for problem 1." in (
        out / "README.md"
    ).read_text(encoding="utf-8")

    exercise = out / "exercises" / f"{SCAN.stem}.py"
    exercise.write_text(SCAN.solution.read_text(encoding="utf-8"), encoding="utf-8")
    passed = own_command(out, "grade", "1")
    assert passed.code == 0
    assert "All public checks passed: 21 of 21 points (2 hidden checks are graded by your instructor)." in passed.out
    (problem,) = json.loads(own_command(out, "grade", "1", "--json").out)["problems"]
    assert (problem["verdict"], problem["hidden"], problem["max_score"]) == ("passed", 2, 21)
    assert passed.out.strip().endswith("All public checks are passed; your instructor grades further ones.")
    overview = own_command(out).out
    assert "public checks passed" in overview
    assert "All problems are passed" not in overview
    exercise.write_text(WRONG, encoding="utf-8")
    failed = own_command(out, "grade", "1")
    assert "8 of 21 points of the public checks: not passed yet (2 hidden checks are graded" in failed.out

    # In the full workbook they run as others do.
    full = workbook("grade", "1", "--file", SCAN.solution, cwd=with_hidden, code=0)
    assert "Passed: 25 of 25 points." in full.out
    assert "public" not in full.out


def test_cutting_hidden_checks():
    source = "import pytest\n\n\ndef test_a():\n    pass\n\n\n# why\n@pytest.mark.hidden\n@pytest.mark.points(2)\ndef test_b():\n    pass\n\n\n@pytest.mark.hidden()\nclass TestC:\n    def test_d(self):\n        pass\n\n    def test_e(self):\n        pass\n\n\ndef test_f():\n    pass\n"  # fmt: skip
    cut, count = cut_hidden(source, "g.py")
    assert count == 3
    assert cut == "import pytest\n\n\ndef test_a():\n    pass\n\n\ndef test_f():\n    pass\n"
    assert cut_hidden(cut, "g.py") == (cut, 0)


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\npytestmark = pytest.mark.hidden\n",
        "import pytest\n@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.hidden)])\ndef test_a(n):\n    pass\n",
    ],
)
def test_what_cannot_be_cut_is_refused(source):
    with pytest.raises(BrokenWorkbook, match=r"g\.py: `mark\.hidden` marks a whole check only"):
        cut_hidden(source, "g.py")


def test_numpy_that_draws_other_numbers_changes_no_verdict(learners, monkeypatch):
    """The inputs come from the key: another generator is not asked."""
    import numpy as np

    engine = Engine(catalog.load(learners))
    other = np.random.Generator(np.random.MT19937(99))
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: other)
    try:
        for number in (1, 12):
            problem = engine.catalog.problem(number)
            assert (
                result_of(engine, problem, next(item.solution for item in PROBLEMS if item.number == number)).verdict
                == "passed"
            )
        result = result_of(engine, engine.catalog.problem(1), ROOT / "docs" / "examples" / SCAN.stem / "values.py")
        assert (result.verdict, result.score) == ("failed", 8)
        assert check(result, "test_starts_from_h0").pitfall == "ignores h0 and starts from zeros"
    finally:
        engine.close()


TABLE = """
import hashlib
import os

import numpy as np


def question(arrays):
    return hashlib.sha256(repr([(a.dtype.str, a.shape, a.tobytes()) for a in arrays]).encode()).hexdigest()


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    table = np.load(os.path.join(os.path.dirname(__file__), "table.npz"))
    name = question((X, h_0, W_xh, W_hh, b_h))
    return {"hidden_states": table[f"{name}/states"], "final_hidden_state": table[f"{name}/final"]}
"""


def test_a_table_of_answers_passes_a_released_copy_and_no_other_seed(learners, engine, tmp_path, monkeypatch):
    """What docs/security.md says of hard-coding, so that nobody trusts a released copy with more."""
    import numpy as np

    problem = next(item for item in PROBLEMS if item.stem == "p12_elman_rnn")
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / problem.exercise.name).write_text(TABLE, encoding="utf-8")
    asked: dict = {}
    monkeypatch.setattr(sys, "asked", asked, raising=False)
    spy = problem.solution.read_text(encoding="utf-8") + TABLE.partition("def rnn_forward")[0] + (
        "\nimport sys\nright = rnn_forward\n\n\ndef rnn_forward(X, h_0, W_xh, W_hh, b_h):\n"
        "    name = question((X, h_0, W_xh, W_hh, b_h))\n    found = right(X, h_0, W_xh, W_hh, b_h)\n"
        '    sys.asked[f"{name}/states"] = found["hidden_states"]\n'
        '    sys.asked[f"{name}/final"] = found["final_hidden_state"]\n    return found\n'
    )  # fmt: skip
    (learners / "spy.py").write_text(spy, encoding="utf-8")
    here = Engine(catalog.load(learners))
    assert result_of(here, here.catalog.problem(12), learners / "spy.py", debug=True).verdict == "passed"
    here.close()
    np.savez(folder / "table.npz", **asked)

    public = own_command(learners, "grade", "12", "--file", str(folder))
    assert public.code == 0, public.out
    assert result_of(engine, problem, folder, seed=7).verdict == "failed"
