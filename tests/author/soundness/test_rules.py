"""Each rule of `workbook check`, on a problem broken on purpose: it is caught, with the file and what to do."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from workbook.author.build import built_files
from workbook.author.new import new_problem
from workbook.author.soundness.rules import RULES, workbook_faults
from workbook.author.trial import Trial
from workbook.content import catalog
from workbook.grading.engine import Engine

STEM = "p07_total"
SOLUTION, PITFALLS = f"solutions/{STEM}.py", f"solutions/pitfalls/{STEM}.py"
GRADER, SETTINGS = f"graders/test_{STEM}.py", f"exercises/{STEM}.toml"
TEST_OF_NOTHING = '''

def test_nothing(same):
    """is what it is"""
    same(1, 1, "no")
'''
IN_THIS_ORDER = '''
SEEN = []


def test_one(same):
    """comes first"""
    SEEN.append(1)
    same(1, 1, "no")


def test_two(same):
    """comes second"""
    same(SEEN, [1], "no")
'''
FROM_THE_LEARNER = '''

def test_again(agree, learner, rng):
    """adds up twice"""
    agree("total", learner.total(rng.normal(size=(2, 5))))
'''


@pytest.fixture
def made(tmp_path: Path) -> catalog.Catalog:
    """A workbook with one new problem, sound as it is."""
    (tmp_path / "pyproject.toml").write_text('[tool.workbook]\ntitle = "Made for tests"\n', encoding="utf-8")
    empty = catalog.Catalog(tmp_path, "Made for tests", ())
    return dataclasses.replace(empty, problems=(new_problem(empty, 7, "total"),))


def edit(made: catalog.Catalog, path: str, old: str, new: str, *, build: bool = True) -> None:
    file = made.root / path
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    file.write_text(text.replace(old, new), encoding="utf-8")
    if build:
        for built in built_files.stubs(made.problems[0]):
            built_files.write(built)


def faults(made: catalog.Catalog, engine: Engine, rule: str) -> list[str]:
    """What one rule finds, with the zygote of the session."""
    loaded = catalog.load(made.root)
    own = Engine(loaded, _server=engine.start())
    (chosen,) = [each for each in RULES if rule in each.says]
    return list(chosen.faults(Trial(own, loaded.problems[0])))


def test_a_sound_problem_keeps_every_rule(made, engine):
    for rule in RULES:
        assert faults(made, engine, rule.says) == [], rule.says
    assert [found for _, found in workbook_faults(catalog.load(made.root))] == [[], [], []]


@pytest.mark.parametrize(
    ("rule", "path", "old", "new", "says"),
    [
        ("same signatures", PITFALLS, "def backwards(x):", "def backwards(x, y):", "backwards does not take the parameters of total"),
        ("same signatures", PITFALLS, 'backwards in time", replaces="total"', 'backwards in time", replaces="sum_up"', "replaces sum_up, which the solution does not define"),
        ("same signatures", PITFALLS, 'backwards in time", replaces="total"', 'backwards in time", replaces="total", check="test_x"', "names the check test_x, which the grader does not have"),
        ("same signatures", SETTINGS, 'entry_points = ["total"]', 'entry_points = ["total", "mean"]', "does not define mean"),
        ("stub not started", GRADER, '    agree.unchanged("total", rng.normal(size=(2, 5)))', '    agree.same_seed = 1', "test_leaves_x_alone is ungraded for the stub"),
        ("the solution passes", GRADER, "\n\n@pytest.mark.points(2)", IN_THIS_ORDER + "\n\n@pytest.mark.points(2)", "and in another order"),
        ("each pitfall fails", PITFALLS, "return x.flip(1).cumsum(dim=1).flip(1)", "return x.cumsum(dim=1)", "backwards is passed: add the check that it fails"),
        ("each pitfall fails", PITFALLS, "return x.cumsum(dim=0)", "return 1 / 0", "wrong_axis fails but is not named"),
        ("zeros, NaN", GRADER, 'agree("total"', 'agree.form("total"', "total may return zeros"),
        ("each check fails for something", GRADER, "\n\n@pytest.mark.points(2)", TEST_OF_NOTHING + "\n\n@pytest.mark.points(2)", "nothing fails test_nothing"),
        ("every number shown", SETTINGS, "returns = [[1.0, 3.0, 7.0]]", "returns = [[1.0, 3.0, 8.0]]", "the example powers is not what the reference gives"),
        ("every number shown", SETTINGS, "must give {powers}", "must give 1.0, 3.0 and 7.0", "hint 2 has a number written out"),
        ("every number shown", SOLUTION, "[[1.0, 3.0, 7.0]]\n", "[[1.0, 3.0, 8.0]]\n", "does not give what it shows: total (line"),
        ("hints exist", SETTINGS, '    "Make a new total at each step, keep them in a list, and stack the list on axis 1.",\n', "", "2 hints; give 3 or more"),
        ("hints exist", SETTINGS, "Make a new total at each step, keep them in a list, and stack the list on axis 1.", "total = torch.zeros_like(x[:, 0]); totals = []; for t in range(x.shape[1]): total = total + x[:, t]; totals.append(total)", "hint 3 gives most of a solution away"),
        ("hints exist", GRADER, "@pytest.mark.hint(3)\ndef test_gradients", "@pytest.mark.hint(9)\ndef test_gradients", "a check points to hint 9"),
        ("fifth of the limits", SOLUTION, "    total = torch.zeros_like(x[:, 0])\n", "    __import__('time').sleep(0.2)\n    total = torch.zeros_like(x[:, 0])\n", "of call_seconds = 0.5"),
        ("depends on a learner's value", GRADER, "\n\n@pytest.mark.points(2)", FROM_THE_LEARNER + "\n\n@pytest.mark.points(2)", "got an input that was made from a learner's value"),
    ],
)  # fmt: skip
def test_a_broken_problem_is_caught(made, engine, rule, path, old, new, says):
    if "limits" in rule:
        edit(made, SETTINGS, "call_seconds = 5", "call_seconds = 0.5")
    edit(made, path, old, new)
    found = faults(made, engine, rule)
    assert [line for line in found if says in line], found
    assert all(STEM in line for line in found)


def test_a_stale_or_edited_stub_is_caught(made, engine):
    edit(made, SOLUTION, "Problem 7:", "Problem seven:", build=False)
    assert "is stale: run `workbook build`" in faults(made, engine, "built files")[0]
    edit(made, f"exercises/{STEM}.py", "Problem 7:", "mine:", build=False)
    assert "it is not the released stub" in faults(made, engine, "built files")[0]


def test_a_lesson_that_is_not_whole_is_caught(made, engine):
    def found() -> str:
        (fault,) = faults(made, engine, "the lesson has its source")
        return fault

    edit(made, f"notebooks/{STEM}.md", "By hand:", "By head:", build=False)
    assert found() == f"notebooks/{STEM}.ipynb is stale: run `workbook build`."
    edit(made, PITFALLS, "runs backwards in time", "runs backward in time", build=False)
    assert found() == f"notebooks/recorded/{STEM}.safetensors is stale: run `workbook build`."
    edit(
        made,
        f"notebooks/{STEM}.ipynb",
        '"outputs": []',
        '"outputs": [{"output_type": "stream", "text": "x"}]',
        build=False,
    )
    assert "has an output" in "".join(faults(made, engine, "the lesson has its source"))
    edit(made, f"notebooks/{STEM}.ipynb", "By hand:", "By foot:", build=False)
    assert "it is edited: write in" in found()
    (made.root / "notebooks" / f"{STEM}.md").unlink()
    assert found() == f"notebooks/{STEM}.md is missing: write the lesson, then run `workbook build`."


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        (("    # END SOLUTION\n", ""), "is never closed"),
        (("    # BEGIN SOLUTION\n", ""), "ends that never began"),
        (("    totals = []\n", "    # BEGIN SOLUTION\n    totals = []\n"), "begins inside the one of line"),
        (("    # BEGIN SOLUTION\n", "    # BEGIN SOLUTION here\n"), "stands alone on its line"),
    ],
)
def test_a_region_that_is_not_well_formed_refuses_to_build(made, mark, says):
    from workbook.errors import BrokenWorkbook

    file = made.root / SOLUTION
    file.write_text(file.read_text(encoding="utf-8").replace(*mark), encoding="utf-8")
    with pytest.raises(BrokenWorkbook, match=says):
        list(built_files.stubs(made.problems[0]))


def test_what_is_left_of_the_template_is_named(made, engine):
    """Once the problem is another one; as it was made, it is a running total and says so."""
    edit(made, SOLUTION, "total = total + x[:, t]", "total = torch.maximum(total, x[:, t])")
    found = faults(made, engine, "template")
    for place, says in [
        (f"{SETTINGS}, line 1:", 'title = "Running total"'),
        (f"{SETTINGS}, line 10:", "Read x[:, t], which has one number for each row"),
        (f"{SOLUTION}, line 3:", "Every step adds its input to the total"),
        (f"{GRADER}, line ", "y + x = {before:.6g}"),
        (f"{PITFALLS}, line ", "Known-wrong running totals."),
    ]:
        assert [line for line in found if line.startswith(place) and says in line], (place, says, found)
    edit(made, SETTINGS, "Running total", "Running maximum")
    assert len(faults(made, engine, "template")) == len(found) - 1


def test_a_toml_file_that_gives_no_problem_is_named(made):
    (made.root / "exercises" / "p08_draft.toml").write_text("title =", encoding="utf-8")
    found = dict(workbook_faults(catalog.load(made.root)))
    assert [line for line in found["every TOML file gives a problem"] if "p08_draft.toml is not valid TOML" in line]
    assert found["no stray files"] == []


def test_prerequisites_and_stray_files(made):
    def found(rule: str) -> list[str]:
        return next(faults for says, faults in workbook_faults(catalog.load(made.root)) if rule in says)

    edit(made, SETTINGS, "prerequisites = []", "prerequisites = [9]", build=False)
    assert "prerequisite 9 is no problem of this workbook" in found("prerequisites")[0]
    new_problem(catalog.load(made.root), 9, "mean")
    edit(made, "exercises/p09_mean.toml", "prerequisites = []", "prerequisites = [7]", build=False)
    assert "its prerequisites lead back to it" in found("prerequisites")[0]
    for name in ("exercises/notes.txt", "graders/test_p08_old.py", "solutions/pitfalls/p07_totals.py"):
        (made.root / name).write_text("", encoding="utf-8")
    assert [line.partition(" ")[0] for line in found("stray")] == [
        "exercises/notes.txt", "solutions/pitfalls/p07_totals.py", "graders/test_p08_old.py",
    ]  # fmt: skip
