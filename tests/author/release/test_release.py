"""`workbook release`: what is in a learner's copy, what is not, and how its commands answer."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest
from helpers.workbooks import PROBLEMS, ROOT, make_release, only_problem, own_command, workbook

from workbook.author.build import lessons
from workbook.author.release import keying
from workbook.author.release.readme_and_project import settings
from workbook.content import catalog
from workbook.errors import BrokenWorkbook, UsageError

SCAN = PROBLEMS[0]
WRONG = (ROOT / "docs" / "examples" / SCAN.stem / "values.py").read_text(encoding="utf-8")


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# What is in it


def test_a_release_lists_every_file_with_its_digest(released):
    data = json.loads((released / "release.json").read_text(encoding="utf-8"))
    assert data["version"] == 1
    assert data["workbook"] == catalog.load(ROOT).title
    assert data["problems"] == {problem.stem: {"hidden": 0} for problem in PROBLEMS}
    assert set(data["files"]) == names(released) - {"release.json"}
    for name, digest in data["files"].items():
        assert hashlib.sha256((released / name).read_bytes()).hexdigest() == digest, name


def test_a_release_has_what_a_learner_needs_and_nothing_of_the_authors(released):
    found = names(released)
    for problem in PROBLEMS:
        stem = problem.stem
        assert {
            f"exercises/{stem}.py",
            f"exercises/.pristine/{stem}.py",
            f"exercises/{stem}.toml",
            f"graders/test_{stem}.py",
            f"keys/{stem}.key",
        } <= found
        assert (released / "exercises" / f"{stem}.py").read_bytes() == problem.pristine.read_bytes()
    assert {"pyproject.toml", "constraints.txt", "Makefile", "README.md", ".gitignore"} <= found
    tops = {name.partition("/")[0] for name in found}
    assert not tops & {"solutions", "tests", "docs", "benchmarks", ".git", "CHANGELOG.md"}
    assert not [name for name in found if "author" in name or "pitfalls/" in name or name.endswith(".pyc")]


def test_a_notebook_is_released_as_its_source_makes_it(copy, tmp_path):
    problem = only_problem(copy, SCAN.stem)
    lessons.make(catalog.load(copy), problem)
    built = problem.notebook.read_text(encoding="utf-8")
    edited = json.loads(built)
    solve = next(cell for cell in edited["cells"] if "".join(cell["source"]).startswith("%%solve"))
    solve["source"] = ["%%solve 1\n", problem.solution.read_text(encoding="utf-8")]
    solve["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["the author's\n"]}]
    problem.notebook.write_text(json.dumps(edited), encoding="utf-8")
    out = make_release(copy, tmp_path / "out")
    assert (out / "notebooks" / problem.notebook.name).read_text(encoding="utf-8") == built
    assert (out / "notebooks" / "recorded" / problem.recorded.name).read_bytes() == problem.recorded.read_bytes()


def test_the_readme_lists_the_problems_that_are_there(copy, tmp_path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    only_problem(copy, SCAN.stem)
    (copy / "README.md").write_text(readme, encoding="utf-8")
    out = make_release(copy, tmp_path / "out")
    released = (out / "README.md").read_text(encoding="utf-8")
    assert f"| 1 | {SCAN.title} |" in released
    assert not [problem.title for problem in PROBLEMS[1:] if problem.title in released]


def test_the_keys_are_of_a_sensible_size(released):
    sizes = {path.name: path.stat().st_size for path in (released / "keys").iterdir()}
    assert max(sizes.values()) < 4_000_000, sizes


def test_every_module_of_the_released_engine_can_be_imported(released):
    modules = sorted(
        ".".join(path.relative_to(released / "src").with_suffix("").parts).removesuffix(".__init__")
        for path in (released / "src" / "workbook").rglob("*.py")
        if path.name != "__main__.py"
    )
    code = f"import importlib, workbook\nfor name in {modules!r}:\n    importlib.import_module(name)\nprint(workbook.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(released / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(released)


def test_lazy_imports_of_the_released_engine_are_there_or_behind_a_refusal(released):
    """Of every import inside a function, too: the module is there, or the function refuses a released copy first."""
    for path in sorted((released / "src" / "workbook").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workbook"):
                for alias in node.names:
                    parts = [*str(node.module).split("."), alias.name]
                    places = [released / "src" / Path(*parts[:count]) for count in (len(parts), len(parts) - 1)]
                    there = any(place.with_suffix(".py").is_file() for place in places)
                    there = there or (places[0] / "__init__.py").is_file() or _defines(places[1], alias.name)
                    above = "\n".join(text.splitlines()[: node.lineno])
                    assert there or above.rstrip().splitlines()[-2].strip().startswith(
                        "if importlib.util.find_spec("
                    ), (
                        path.name,
                        ast.unparse(node),
                    )


def _defines(package: Path, name: str) -> bool:
    init = package / "__init__.py"
    return init.is_file() and re.search(rf"\b{name}\b", init.read_text(encoding="utf-8")) is not None


def test_the_readme_leads_to_nothing_that_is_not_there(released):
    text = (released / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (released / link).exists(), link
    for path in re.findall(r"`((?:docs|tests|benchmarks|solutions|src)/[^`]*)`", text):
        assert (released / path).exists(), path
    assert "workbook solution" not in text
    assert "ends here" not in text
    assert "## This copy" in text


def test_makefile_and_settings_have_only_what_a_learner_uses(released):
    makefile = (released / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) == {"grade", "clean"}
    assert "DEVELOPER" not in makefile
    settings = (released / "pyproject.toml").read_text(encoding="utf-8")
    assert "[tool.workbook]" in settings
    assert "optional-dependencies" not in settings
    assert "[tool.pytest" not in settings


def test_the_zip_has_the_same_files(released):
    with zipfile.ZipFile(released.with_name("released.zip")) as archive:
        held = {name.removeprefix("released/"): archive.read(name) for name in archive.namelist()}
    assert set(held) == names(released)
    assert all((released / name).read_bytes() == content for name, content in held.items())


def test_the_same_workbook_gives_the_same_bytes(copy, tmp_path):
    only_problem(copy, SCAN.stem)
    one, two = make_release(copy, tmp_path / "out", zipped=True), tmp_path / "again"
    first = (tmp_path / "out.zip").read_bytes()
    shutil.move(one, two)
    make_release(copy, tmp_path / "out", zipped=True)  # a zip of the same bytes is no obstacle
    assert (tmp_path / "out.zip").read_bytes() == first


# Its commands, run with its own engine


def test_the_released_command_grades_as_the_full_one(learners, copy):
    for folder in (learners, copy):
        (folder / "exercises" / f"{SCAN.stem}.py").write_text(WRONG, encoding="utf-8")
    public, full = own_command(learners, "grade", "1"), workbook("grade", "1", cwd=copy)
    assert (public.code, public.err) == (1, "")
    assert public.out == full.out
    assert "This matches a known mistake: ignores h0 and starts from zeros." in public.out


def test_the_first_run_in_a_released_copy_leads_to_the_first_exercise(learners):
    done = own_command(learners, "grade", "--exit-zero")
    assert done.code == 0
    assert next(line for line in done.out.splitlines() if line.endswith(": not started")).startswith("Problem 1 ")
    assert "Start here: open exercises/p01_sequential_scan.py" in done.out
    assert own_command(learners).code == 0
    assert own_command(learners, "hint", "1").out.startswith("Hint 1 of")
    assert own_command(learners, "reset", "1").code == 0
    doctor = own_command(learners, "doctor")
    assert doctor.code == 0
    assert f"{len(PROBLEMS)} answer keys" in doctor.out


@pytest.mark.parametrize("command", [("check",), ("build",), ("new", "50", "x"), ("add", "x"), ("remove", "1"), ("release", "--out", "x")])  # fmt: skip
def test_an_authors_command_is_refused_in_one_line(command, learners):
    done = own_command(learners, *command)
    assert done.code == 2
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1
    assert f"workbook {command[0]}` is for authors, and this is a learner's copy" in done.err


def test_the_solution_is_not_there_to_be_shown(learners):
    for arguments in (("solution", "1"), ("solution", "1", "--force")):
        done = own_command(learners, *arguments)
        assert done.code == 2
        assert done.err == "Solutions are not in this copy of the workbook: ask your instructor for them.\n"


def test_plain_pytest_grades_a_released_copy(learners):
    (learners / "exercises" / f"{SCAN.stem}.py").write_text(SCAN.solution.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "workbook.plugin", f"graders/{SCAN.grader.name}"]
    environment = {**os.environ, "PYTHONPATH": str(learners / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=learners, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout
    seeded = subprocess.run(
        [*command, "--check-seed", "3"], cwd=learners, capture_output=True, text=True, env=environment, check=False
    )
    assert seeded.returncode == 1
    assert "leave --check-seed out" in seeded.stdout


# Refusals


def refused(copy: Path, out: Path, says: str, *, zipped: bool = False) -> None:
    before = sorted(out.parent.iterdir())
    with pytest.raises((UsageError, BrokenWorkbook), match=says):
        make_release(copy, out, zipped=zipped)
    assert sorted(out.parent.iterdir()) == before


def test_a_place_that_is_taken_is_refused(copy, tmp_path):
    only_problem(copy, SCAN.stem)
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "zipped.zip").write_text("another")
    refused(copy, full, "is there already: give --out a folder")
    refused(copy, tmp_path / "file", "is there already: give --out a folder")
    refused(copy, copy, "is there already")
    with pytest.raises(UsageError, match="does not exist: make it first"):
        make_release(copy, tmp_path / "no" / "where")
    refused(copy, tmp_path / "zipped", "is there already: move it away, or leave --zip out", zipped=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert (make_release(copy, empty) / "release.json").is_file()


def test_a_stale_stub_a_wrong_solution_and_a_broken_problem_are_refused(copy, tmp_path):
    problem = only_problem(copy, SCAN.stem)
    solution = problem.solution.read_text(encoding="utf-8")
    problem.solution.write_text(solution.replace("Run h_t", "Walk h_t"), encoding="utf-8")
    refused(copy, tmp_path / "out", "is stale: run `workbook build` first")
    problem.solution.write_text(solution.replace("h = a[:, t] * h", "h = a[:, t] * g"), encoding="utf-8")
    problem.lesson.unlink()  # its recipe would fail before
    refused(copy, tmp_path / "out", "The solution of problem 1 does not pass, so nothing was released")
    (copy / "exercises" / "p50_broken.toml").write_text("title = ")
    refused(copy, tmp_path / "out", r"p50_broken\.toml is not valid TOML")


def test_a_release_with_an_answer_in_it_is_refused(copy, tmp_path):
    problem = only_problem(copy, SCAN.stem)
    lines = problem.solution.read_text(encoding="utf-8").partition("# BEGIN SOLUTION\n")[2].partition("    # END")[0]
    leak = f"\n\ndef helper(a, b, h0):\n{lines}"
    problem.grader.write_text(problem.grader.read_text(encoding="utf-8") + leak, encoding="utf-8")
    with problem.lesson.open("a", encoding="utf-8") as lesson:
        lesson.write(f"\n```python\n{textwrap.dedent(lines)}```\n")
    refused(copy, tmp_path / "out", "Nothing was released, because it would give answers away:")
    with pytest.raises(UsageError) as error:
        make_release(copy, tmp_path / "out")
    told = str(error.value).splitlines()[1:]
    place = f"holds code of solutions/{problem.solution.name}: sequential_scan."
    assert f"graders/{problem.grader.name} {place}" in told
    assert f"notebooks/{problem.stem}.ipynb {place}" in told
    assert len(told) == 2


@pytest.mark.parametrize("gap", ["the ladder of smaller inputs", "the known mistakes"])
def test_a_key_with_a_gap_is_not_released(gap, copy, tmp_path, monkeypatch):
    only_problem(copy, SCAN.stem)
    if gap == "the known mistakes":
        monkeypatch.setattr(keying, "stretched", lambda case: None)
    else:
        monkeypatch.setattr(keying, "readable", lambda case: ())
    refused(
        copy, tmp_path / "out", "The answer key of problem 1 is not complete, it cannot tell the mistake ignores_h0"
    )


def test_the_command_says_what_it_made(copy, tmp_path):
    only_problem(copy, SCAN.stem)
    done = workbook("release", "--out", tmp_path / "out", "--zip", cwd=copy, code=0)
    assert "Released 1 problem in " in done.out
    assert (tmp_path / "out" / "keys" / f"{SCAN.stem}.key").is_file()
    assert (tmp_path / "out.zip").is_file()
    again = workbook("release", "--out", tmp_path / "out", cwd=copy, code=2)
    assert len(again.err.strip().splitlines()) == 1


def test_tables_for_authors_are_cut_with_those_below_them():
    text = '[project]\nname = "a"\n\n[tool.ruff]\nx = 1\n\n[[tool.mypy.overrides]]\ny = [1]\n\n[tool.ruffian]\nz = 1\n'
    assert settings(text) == '[project]\nname = "a"\n\n[tool.ruffian]\nz = 1\n'
