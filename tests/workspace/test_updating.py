"""`workbook update`: what the release has new comes in, what the learner wrote stays, and nothing happens by halves."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.interrupting import files, stopped_at
from helpers.workbooks import ROOT, workbook

from workbook import transaction
from workbook.author import new
from workbook.workspace import updating

STUB, NOTEBOOK, GRADER = "exercises/p07_total.py", "notebooks/p07_total.ipynb", "graders/test_p07_total.py"
MINE = "# mine\n"


def settings(number: int, slug: str) -> str:
    return new.template(number, slug)[f"exercises/p{number:02d}_{slug}.toml"]


def problem(stem: str, version: str) -> dict[str, str]:
    return {
        f"exercises/{stem}.py": f"stub {version}\n",
        f"exercises/.pristine/{stem}.py": f"stub {version}\n",
        f"exercises/{stem}.toml": settings(int(stem[1:3]), stem[4:]),
        f"graders/test_{stem}.py": f"checks {version}\n",
        f"keys/{stem}.key": f"key {version}\n",
        f"notebooks/{stem}.ipynb": f"notebook {version}\n",
    }


COMMON = {"pyproject.toml": '[tool.workbook]\ntitle = "Sums"\n', "README.md": "read me\n"}
FIRST = {**COMMON, "src/workbook/engine.py": "engine 1\n", **problem("p07_total", "1"), **problem("p08_mean", "1")}
SECOND = {**COMMON, "src/workbook/engine.py": "engine 2\n", **problem("p07_total", "2"), **problem("p09_norm", "2")}


def make_release(folder: Path, contents: Mapping[str, str], **changes: object) -> Path:
    """A release with these files; `changes` replace what its list says."""
    listed = {}
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        listed[name] = hashlib.sha256(text.encode()).hexdigest()
    stems = [name.removeprefix("keys/").removesuffix(".key") for name in contents if name.startswith("keys/")]
    data = {"version": 1, "workbook": "Sums", "files": listed, "problems": {stem: {"hidden": 0} for stem in stems}}
    (folder / "release.json").write_text(json.dumps({**data, **changes}), encoding="utf-8")
    return folder


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A learner's copy of the first release."""
    return make_release(tmp_path / "mine", FIRST)


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return make_release(tmp_path / "second", SECOND)


def write(root: Path, name: str, text: str = MINE) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


def test_an_untouched_copy_becomes_the_new_release(mine, second):
    done = workbook("update", second, cwd=mine, code=0)
    assert files(mine) == files(second)
    for line in (
        "new      problem 9 · Running total: exercises/p09_norm.py",
        "mended   the checks of problem 7 · Running total",
        "removed  problem 8 · Running total",
        "engine   1 file",
    ):
        assert line in done.out
    assert "kept" not in done.out
    again = workbook("update", second, cwd=mine, code=0)
    assert again.out == "Nothing to do: this copy of “Sums” is up to date.\n"
    assert files(mine) == files(second)


def test_a_release_of_another_workbook_with_the_same_problems(mine, tmp_path):
    other = make_release(tmp_path / "other", SECOND, workbook="Other sums")
    before = files(mine)
    done = workbook("update", other, cwd=mine, code=2)
    assert "it is a release of “Other sums”, and this copy is of “Sums”" in done.err
    assert files(mine) == before


def test_an_older_release_only_when_asked_for(tmp_path):
    copy = make_release(tmp_path / "copy", SECOND, made="2026-02-01 08:00:00")
    older = make_release(tmp_path / "older", FIRST, made="2026-01-31 08:00:00")
    before = files(copy)
    done = workbook("update", older, cwd=copy, code=2)
    assert "it was made 2026-01-31 08:00:00, before this copy's release (2026-02-01 08:00:00): use --older" in done.err
    assert files(copy) == before
    workbook("update", older, "--older", cwd=copy, code=0)
    assert files(copy) == files(older)


@pytest.mark.parametrize("wrapped", ["", "sums-2/"])
def test_from_a_zip(mine, second, tmp_path, wrapped):
    with zipfile.ZipFile(tmp_path / "second.zip", "w") as archive:
        for name, content in files(second).items():
            archive.writestr(wrapped + name, content)
    workbook("update", tmp_path / "second.zip", cwd=mine / "exercises", code=0)
    assert files(mine) == files(second)


def test_what_a_learner_wrote_stays(mine, second):
    for name in (STUB, NOTEBOOK, "exercises/p08_mean.py", ".workbook/progress.json", ".venv/lib", "notes.txt"):
        write(mine, name)
    done = workbook("update", second, cwd=mine, code=0)
    for name in (STUB, NOTEBOOK, "exercises/p08_mean.py", ".workbook/progress.json", ".venv/lib", "notes.txt"):
        assert (mine / name).read_text(encoding="utf-8") == MINE, name
    assert f"kept     {STUB}, which you edited; `workbook reset 7` brings the new stub" in done.out
    assert f"kept     {NOTEBOOK}, which you edited; the new one is notebooks/p07_total.new.ipynb" in done.out
    assert "removed  problem 8 · Running total; your exercises/p08_mean.py stays" in done.out
    assert (mine / "notebooks" / "p07_total.new.ipynb").read_text(encoding="utf-8") == "notebook 2\n"
    assert not (mine / "exercises" / "p08_mean.toml").exists()
    workbook("reset", "7", cwd=mine, code=0)
    assert (mine / STUB).read_text(encoding="utf-8") == "stub 2\n"
    assert MINE in [path.read_text(encoding="utf-8") for path in (mine / ".workbook" / "backups").iterdir()]


def test_an_edited_stub_that_did_not_change_is_not_mentioned(mine, tmp_path):
    write(mine, STUB)
    write(mine, NOTEBOOK)
    third = make_release(tmp_path / "third", {**FIRST, GRADER: "checks 3\n"})
    done = workbook("update", third, cwd=mine, code=0)
    assert "kept" not in done.out
    assert (mine / STUB).read_text(encoding="utf-8") == MINE
    assert (mine / GRADER).read_text(encoding="utf-8") == "checks 3\n"
    assert not list(mine.rglob("*.new.ipynb"))


@pytest.mark.parametrize("name", [GRADER, "keys/p07_total.key", "src/workbook/engine.py", "graders/test_p08_mean.py"])
def test_an_edited_part_of_the_workbook_is_backed_up_and_replaced(mine, second, name):
    write(mine, name)
    done = workbook("update", second, cwd=mine, code=0)
    found = files(mine)
    (kept,) = [path for path, content in found.items() if content == MINE.encode()]
    assert kept.startswith(".workbook/backups/")
    assert f"backup   {name} as it was: {kept}" in done.out
    del found[kept]
    assert found == files(second)


def test_a_deleted_file_comes_back(mine, second):
    (mine / STUB).unlink()
    (mine / GRADER).unlink()
    workbook("update", second, cwd=mine, code=0)
    assert files(mine) == files(second)


def test_a_beside_that_was_worked_in_is_backed_up(mine, second):
    write(mine, NOTEBOOK)
    write(mine, "notebooks/p07_total.new.ipynb", "work in the new one\n")
    workbook("update", second, cwd=mine, code=0)
    assert (mine / "notebooks" / "p07_total.new.ipynb").read_text(encoding="utf-8") == "notebook 2\n"
    kept = [path.read_text(encoding="utf-8") for path in (mine / ".workbook" / "backups").iterdir()]
    assert kept == ["work in the new one\n"]


def test_a_number_of_another_problem_now_starts_without_the_old_verdict(mine, tmp_path):
    entry = {"verdict": "passed", "score": 5, "max_score": 5, "sha256": "", "graded": "", "hints": 1}
    before = json.dumps({"version": 1, "problems": {"7": entry, "8": entry}})
    write(mine, ".workbook/progress.json", before)
    third = {name: text for name, text in FIRST.items() if "p08" not in name}
    done = workbook("update", make_release(tmp_path / "third", {**third, **problem("p08_norm", "3")}), cwd=mine, code=0)
    left = json.loads((mine / ".workbook" / "progress.json").read_text(encoding="utf-8"))
    assert set(left["problems"]) == {"7"}
    assert "backup   .workbook/progress.json as it was" in done.out
    (kept,) = (mine / ".workbook" / "backups").iterdir()
    assert kept.read_text(encoding="utf-8") == before


def test_new_libraries_are_announced(mine, tmp_path):
    changed = {**FIRST, "pyproject.toml": FIRST["pyproject.toml"] + "# needs more\n"}
    assert "Run `make grade` once" in workbook("update", make_release(tmp_path / "3", changed), cwd=mine, code=0).out


# --- what is refused ------------------------------------------------------------------------------------------------


def refused(root: Path, release: Path | str) -> str:
    """The one line with which an update is refused, the copy being as it was."""
    before = files(root)
    done = workbook("update", release, cwd=root, code=2)
    assert done.out == ""
    assert done.err.count("\n") == 1, done.err
    assert files(root) == before
    return done.err


def test_not_in_the_full_workbook(copy, second):
    assert "This is the full workbook" in refused(copy, second)


def test_not_from_itself(mine):
    assert "is this copy itself" in refused(mine, ".")


def test_not_from_what_is_no_release(mine, tmp_path):
    assert "does not exist" in refused(mine, "nowhere")
    (tmp_path / "empty").mkdir()
    assert "it is no release, which has a release.json" in refused(mine, tmp_path / "empty")
    write(tmp_path, "text.zip", "no zip\n")
    assert "neither a folder nor a zip" in refused(mine, tmp_path / "text.zip")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": 2}, "it is of version 2, and this copy knows 1: unpack it beside this copy"),
        (
            {"workbook": "Products", "problems": {"p99_other": {}}},
            "a release of “Products”, and this copy is of “Sums”",
        ),
        ({"files": []}, "it has no workbook, files and problems"),
        ({"files": {"README.md": "x"}}, "README.md has no digest"),
        ({"problems": {"../x": {}}}, "../x is no name for a problem"),
        ({"files": {"../outside": "0" * 64}}, "'../outside', which leads out"),
        ({"files": {"/etc/passwd": "0" * 64}}, "'/etc/passwd', which leads out"),
        ({"files": {".workbook/progress.json": "0" * 64}}, "no file of a release"),
        ({"files": {".venv/bin/python": "0" * 64}}, "no file of a release"),
        ({"files": {"release.json": "0" * 64}}, "no file of a release"),
        ({"files": {"missing.py": "0" * 64}}, "missing.py is missing"),
    ],
)
def test_not_by_a_list_that_cannot_be(mine, tmp_path, changes, says):
    assert says in refused(mine, make_release(tmp_path / "other", SECOND, **changes))


def test_not_from_a_damaged_release(mine, second):
    write(second, GRADER, "checks 2 \n")
    assert f"{GRADER} is not as it was released" in refused(mine, second)
    (second / "release.json").write_text("{", encoding="utf-8")
    assert "cannot be used" in refused(mine, second)


def test_not_by_links(mine, second):
    (second / GRADER).unlink()
    (second / GRADER).symlink_to(mine / GRADER)
    assert "is a link" in refused(mine, second)


def test_not_where_its_own_list_is_broken(mine, second):
    write(mine, "release.json", "{")
    assert "release.json of this copy cannot be read" in refused(mine, second)


def test_a_copy_that_cannot_be_written_is_as_it_was(mine, second):
    write(mine, ".workbook", "no folder\n")  # a read-only folder does not stop root
    assert "everything is as it was" in refused(mine, second)


# --- by halves ------------------------------------------------------------------------------------------------------


def test_killed_anywhere(tmp_path):
    small = (*COMMON, STUB, GRADER, "keys/p07_total.key", "exercises/p08_mean.py", "exercises/p09_norm.py")
    first, second = ({name: text for name, text in each.items() if name in small} for each in (FIRST, SECOND))
    release = make_release(tmp_path / "second", second)
    mine = tmp_path / "mine"
    edited = {STUB: MINE.encode(), GRADER: MINE.encode()}
    before = {**files(make_release(mine, first)), **edited}
    after = {**files(release), STUB: MINE.encode()}

    def act() -> None:
        updating.carry_out(mine, planned)

    seen, number, killed = set(), 0, True
    while killed:
        shutil.rmtree(mine)
        make_release(mine, first)
        for name in edited:
            write(mine, name)
        planned = updating.plan(mine, release)
        killed = stopped_at(number := number + 1, mine, act, None)
        transaction.recover(mine)
        found = {name: content for name, content in files(mine).items() if "backups" not in name}
        kept = [content for name, content in files(mine).items() if "backups" in name]
        updated = found["release.json"] != before["release.json"]
        assert found == (after if updated else before), number
        assert kept == ([MINE.encode()] if updated else []), number
        seen.add(updated)
    assert seen == {True, False}


def test_an_engine_that_is_half_replaced_finishes_its_own_update(tmp_path):
    """New `cli/app.py` needs a new module that is not there yet: what finishes the change must not need either."""
    engine = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / "src" / "workbook").rglob("*.py")
    }
    app = engine["src/workbook/cli/app.py"].replace("import contextlib\n", "import contextlib\nimport workbook.later\n")
    second = make_release(
        tmp_path / "second",
        {**SECOND, **engine, "src/workbook/cli/app.py": app, "src/workbook/later.py": "THERE = True\n"},
    )
    mine = make_release(tmp_path / "mine", {**FIRST, **engine})
    fresh = shutil.copytree(mine, tmp_path / "fresh")

    def act() -> None:
        updating.carry_out(mine, updating.plan(mine, second))

    def run() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(mine / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "workbook", "hint", "7"]
        return subprocess.run(command, cwd=mine, env=environment, capture_output=True, text=True, check=False)

    def stopped(number: int) -> bool:
        """Whether the new `cli/app.py` is there after the copy was updated as far as this operation."""
        shutil.rmtree(mine)
        shutil.copytree(fresh, mine)
        stopped_at(number, mine, act, None)
        return "workbook.later" in (mine / "src/workbook/cli/app.py").read_text(encoding="utf-8")

    without, with_it = 0, 5000
    while with_it - without > 1:
        middle = (without + with_it) // 2
        without, with_it = (without, middle) if stopped(middle) else (middle, with_it)
    assert stopped(with_it)
    assert not (mine / "src/workbook/later.py").exists()
    done = run()
    assert (done.returncode, done.stderr) == (0, "An interrupted `workbook update` is finished now.\n")
    assert (mine / "src/workbook/later.py").exists()
    assert run().stderr == ""
