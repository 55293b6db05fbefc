"""The sandbox from inside: what a worker cannot do, which layer alone forbids it, and that without it all of it works."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from helpers.grading import result_of
from helpers.workbooks import ROOT, workbook

from workbook.boundary import client as client_module
from workbook.boundary.client import Client
from workbook.boundary.outcomes import LearnerFault
from workbook.boundary.submission import Submission
from workbook.content import catalog
from workbook.errors import EngineFault
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.sandbox import landlock, layers, scratch, seccomp, syscalls
from workbook.sandbox.layers import FULL, LAYERS, SWITCH
from workbook.sandbox.limits import Allowance
from workbook.sandbox.scratch import PREFIX

if sys.platform != "linux":
    pytest.skip("the layers of the sandbox are Linux's", allow_module_level=True)

OPTIONAL = [layer for layer in LAYERS if layer != "process"]
PROBE = """
import ctypes, os, socket, subprocess, sys, tempfile, time

def reads(paths):
    for path in paths:
        open(path, "rb").close()

def traces(pid):
    if ctypes.CDLL(None, use_errno=True).ptrace(0x4206, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")

def signals(pid):
    os.kill(pid, 0)

def connects(family, address):
    with socket.socket(getattr(socket, family)) as sock:
        sock.settimeout(5)
        sock.connect(tuple(address) if isinstance(address, list) else address)

def sends(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"hello", tuple(address))

def writes(path):
    with open(path, "w") as file:
        file.write("x")

def runs(program):
    subprocess.run([program, "-c", "pass"], check=True)

def makes_a_namespace():
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")

def changes(call, path, value):
    getattr(os, call)(path, tuple(value) if isinstance(value, list) else value)

def watches(path):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.inotify_add_watch(libc.inotify_init1(0), path.encode(), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "inotify")

def attempt(act, *arguments):
    try:
        globals()[act](*arguments)
    except OSError as error:
        return os.strerror(error.errno)
    return "done"

def readable(paths):
    return [path for path in paths if attempt("reads", [path]) == "done"]

def value(text):
    return eval(text, globals())

def leaves_a_daemon(token):
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(15, token.encode(), 0, 0, 0)
            time.sleep(3600)
        os._exit(0)
    os.waitpid(child, 0)
"""


def only(*layers: str) -> str:
    """The value of the switch that leaves these layers alone on."""
    return ",".join(layer for layer in OPTIONAL if layer not in layers) or "none"


class Machine:
    """Engines with some of the layers, started at need; and something to reach for."""

    def __init__(self, folder: Path) -> None:
        self.engines: dict[str, Engine] = {}
        self.folder = folder
        self.victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix, self.abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        self.unix.bind(str(folder / "socket"))
        self.abstract.bind(f"\0workbook-{uuid.uuid4().hex}")
        for listener in (self.unix, self.abstract):
            listener.listen()

    def engine(self, switch: str) -> Engine:
        if switch not in self.engines:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv(SWITCH, switch)
                engine = Engine(catalog.load(ROOT))
                engine.start()
            self.engines[switch] = engine
        return self.engines[switch]

    def client(self, switch: str = "none", folder: Path | None = None) -> Client:
        engine = self.engine(switch)
        problem = engine.catalog.problem(1)
        return Client(engine.start(), problem, Submission(problem.exercise, PROBE.encode(), folder))

    def close(self) -> None:
        for engine in self.engines.values():
            engine.close()
        for sock in (self.tcp, self.udp, self.unix, self.abstract):
            sock.close()
        self.victim.kill()
        self.victim.wait()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machine = Machine(tmp_path_factory.mktemp("machine"))
    yield machine
    machine.close()


@pytest.fixture
def inside(machine: Machine) -> Iterator[Callable[..., object]]:
    """Call a function of the probe in a worker: `inside("reads", [path])`, with the layers that `switch` leaves on."""
    clients: dict[tuple[str, Path | None], Client] = {}

    def call(function: str, *arguments: object, switch: str = "none", folder: Path | None = None) -> object:
        if (switch, folder) not in clients:
            clients[switch, folder] = machine.client(switch, folder)
        fields = {"target": ["name", function], "args": list(arguments), "kwargs": {}, "seed": 0, "keep": False}
        return clients[switch, folder].request("call", **fields)["value"]

    yield call
    for client in clients.values():
        client.close()


def require(machine: Machine, *layers: str) -> None:
    missing = machine.engine("none").probe_isolation().missing
    for layer in layers:
        if layer in missing:
            pytest.skip(f"this machine has not the layer {layer}: {missing[layer]}")


# --- what a worker cannot do ----------------------------------------------------------------------------------------

# What it tries, with the layers of which each alone forbids it.
ACTS: dict[str, tuple[Callable[[Machine], tuple[object, ...]], tuple[str, ...]]] = {
    "read the memory of the grader": (
        lambda machine: ("reads", [f"/proc/{os.getpid()}/mem"]),
        ("landlock", "namespaces"),
    ),
    "read the environment of the zygote": (
        lambda machine: ("reads", [f"/proc/{machine.engine('all').start().pid}/environ"]),
        ("landlock", "namespaces"),
    ),
    "trace another process": (
        lambda machine: ("traces", machine.victim.pid),
        ("landlock", "namespaces", "seccomp"),
    ),
    "signal the grader": (lambda machine: ("signals", os.getpid()), ("landlock", "namespaces")),
    "signal a zygote": (lambda machine: ("signals", machine.engine("all").start().pid), ("landlock", "namespaces")),
    "connect by TCP": (
        lambda machine: ("connects", "AF_INET", list(machine.tcp.getsockname())),
        ("landlock", "namespaces", "seccomp"),
    ),
    "send by UDP": (lambda machine: ("sends", list(machine.udp.getsockname())), ("namespaces", "seccomp")),
    "connect to a Unix socket": (
        lambda machine: ("connects", "AF_UNIX", machine.unix.getsockname()),
        ("seccomp",),
    ),
    "connect to an abstract socket": (
        lambda machine: ("connects", "AF_UNIX", machine.abstract.getsockname()),
        ("landlock", "namespaces", "seccomp"),
    ),
    "write outside the scratch folder": (lambda machine: ("writes", str(machine.folder / "mark")), ("landlock",)),
    "run a program": (lambda machine: ("runs", sys.executable), ("landlock", "seccomp")),
    "change the mode of a file": (
        lambda machine: ("changes", "chmod", str(machine.folder / "socket"), 0o700),
        ("seccomp",),
    ),
    "change the times of a file": (
        lambda machine: ("changes", "utime", str(machine.folder / "socket"), [1, 1]),
        ("seccomp",),
    ),
    "watch what others do in a folder": (lambda machine: ("watches", str(machine.folder)), ("seccomp",)),
    "make a namespace": (lambda machine: ("makes_a_namespace",), ("seccomp",)),
}
ALONE = [(act, layer) for act, (_, layers) in ACTS.items() for layer in layers]
# The version of Landlock that knows of it.
LANDLOCK_SINCE = {"connect by TCP": 4, "connect to an abstract socket": 6, "signal the grader": 6, "signal a zygote": 6}
REFUSALS = {"Permission denied", "Operation not permitted", "No such process", "Network is unreachable"}
REFUSALS |= {"Connection refused", "No such file or directory", "Read-only file system"}  # in namespaces of its own


@pytest.mark.parametrize("act", ACTS)
def test_a_worker_cannot(act, machine, inside):
    make, layers = ACTS[act]
    require(machine, layers[0])
    assert inside("attempt", *make(machine)) in REFUSALS


@pytest.mark.parametrize(("act", "layer"), ALONE, ids=[f"{act}, {layer}" for act, layer in ALONE])
def test_each_layer_forbids_it_alone(act, layer, machine, inside):
    require(machine, layer)
    if layer == "landlock" and landlock.version() < LANDLOCK_SINCE.get(act, 1):
        pytest.skip(f"Landlock knows of this from version {LANDLOCK_SINCE[act]}, here is {landlock.version()}")
    make, _ = ACTS[act]
    assert inside("attempt", *make(machine), switch=only(layer)) in REFUSALS


@pytest.mark.parametrize("act", ACTS)
def test_without_the_sandbox_it_works(act, machine, inside):
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    if os.geteuid() != 0 and scope.exists() and scope.read_text().strip() != "0" and act.startswith(("read", "trace")):
        pytest.skip("this machine (yama.ptrace_scope) forbids that to every process of an ordinary user")
    make, _ = ACTS[act]
    assert inside("attempt", *make(machine), switch="all") == "done"


def hidden_files() -> list[str]:
    folders = [ROOT / name for name in ("solutions", "graders", "tests")]
    return [str(path) for folder in folders for path in folder.rglob("*.py")]


def test_a_worker_reads_no_hidden_file(machine, inside, tmp_path):
    require(machine, "landlock")
    other = tmp_path / "of_another.py"
    other.write_text("x = 1\n")
    paths = [*hidden_files(), str(other), "/etc/passwd", str(ROOT / "pyproject.toml")]
    assert len(paths) > 100
    assert inside("readable", paths) == []
    assert inside("readable", paths, switch=only("landlock")) == []
    assert inside("readable", paths, switch="all") == paths


def test_a_worker_sees_no_path_but_its_own(machine, inside, tmp_path):
    require(machine, "view")
    paths = [
        "/etc/passwd",
        "/proc/self",
        "/proc/meminfo",
        str(ROOT / "solutions"),
        str(tmp_path),
        os.path.expanduser("~/.ssh"),
    ]
    assert inside("value", f"[path for path in {paths!r} if os.path.lexists(path)]") == []


def test_files_of_its_own_can_be_changed_and_copied(machine, inside):
    require(machine, "view")
    acts = "open('x', 'w').close(), os.chmod('x', 0o600), os.utime('x', (1, 1))"
    assert inside("value", f"[{acts}] and __import__('shutil').copy2('x', 'y')") == "y"
    assert inside("value", "os.stat('y').st_mtime") == 1.0


def test_siblings_do_not_reach_each_other(machine, inside):
    require(machine, "namespaces")
    with contextlib.closing(machine.client()) as sibling:
        sibling.request("call", target=["name", "value"], args=["1"], kwargs={}, seed=0, keep=False)
        (pid,) = [worker.pid for worker in machine.engine("none").start().workers.values()]
        for act in ("signals", "traces"):
            assert inside("attempt", act, pid) in REFUSALS
        assert inside("attempt", "reads", [f"/proc/{pid}/mem"]) in REFUSALS


def running(token: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name() == token:
                found.append(process.pid)
    return found


@pytest.mark.parametrize("switch", ["none", "namespaces", "all"])
def test_a_daemon_ends_with_its_worker(machine, switch):
    token = f"wb{uuid.uuid4().hex[:10]}"
    client = machine.client(switch)
    client.request("call", target=["name", "leaves_a_daemon"], args=[token], kwargs={}, seed=0, keep=False)
    deadline = time.monotonic() + 20
    while not running(token) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(running(token)) == 1
    client.close()
    assert running(token) == []


# --- what a worker has ----------------------------------------------------------------------------------------------


def test_a_worker_holds_no_descriptor_but_its_own(inside):
    source = "[fd for fd in range(4096) if attempt('fstat', fd) == 'done']"
    inside("value", "globals().__setitem__('fstat', os.fstat)")
    assert inside("value", source) == [0, 1, 2, 200]


def test_the_environment_holds_no_secrets(machine, inside, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    kept = inside("value", "dict(os.environ)")
    assert set(kept) <= {*layers.KEPT_ENVIRONMENT, "HOME", "TMPDIR"}
    folder = inside("value", "os.getcwd()")
    assert kept["HOME"] == kept["TMPDIR"] == folder
    with contextlib.closing(Engine(machine.engine("none").catalog)) as engine:
        environment = Path(f"/proc/{engine.start().pid}/environ")
        if os.access(environment, os.R_OK):  # root can look into an undumpable process
            assert b"secret" not in environment.read_bytes()


def test_the_scratch_folder_is_a_place_to_work_in(inside):
    assert inside("attempt", "writes", "notes.txt") == "done"
    assert inside("value", "os.listdir('.')") == ["notes.txt"]
    assert inside("value", "tempfile.TemporaryFile().write(b'x')") == 1
    assert inside("value", "os.remove('notes.txt')") is None


def test_a_folder_that_was_given_can_be_read_and_no_other(machine, inside, tmp_path):
    require(machine, "landlock")
    given, other = tmp_path / "given", tmp_path / "other"
    for folder in (given, other):
        folder.mkdir()
        (folder / "helper_of_mine.py").write_text("ANSWER = 42\n")
    assert inside("value", "__import__('helper_of_mine').ANSWER", folder=given) == 42
    assert inside("attempt", "reads", [str(given / "helper_of_mine.py")], folder=given) == "done"
    assert inside("attempt", "reads", [str(other / "helper_of_mine.py")], folder=given) in REFUSALS
    assert inside("attempt", "writes", str(given / "new.py"), folder=given) in REFUSALS
    assert inside("attempt", "reads", [str(given / "helper_of_mine.py")]) in REFUSALS


def test_libraries_can_be_imported_late(inside):
    assert inside("value", "__import__('sqlite3').sqlite_version").count(".") == 2
    assert inside("value", "__import__('torch.utils.data').__name__") == "torch"
    assert inside("value", "__import__('threading').Thread(target=print).start()") is None


def test_root_works_as_ordinary(machine, inside):
    require(machine, "privileges")
    expected = os.geteuid() or 65534
    assert inside("value", "[os.getuid(), os.geteuid()]") == [expected, expected]
    assert inside("value", "[os.getuid(), os.geteuid()]", switch="namespaces") == [expected, expected]


def test_one_problem_runs_at_a_time(machine):
    engine = machine.engine("none")
    grading = Grading(engine, [Task.at(engine.catalog.problem(number)) for number in (1, 12)])
    for number in (1, 12, 1):
        with contextlib.suppress(LearnerFault):  # the stub is not written, which is no matter
            grading.client(engine.catalog.problem(number)).request(
                "call", target=["name", "nothing"], args=[], kwargs={}, seed=0, keep=False
            )
        assert len(engine.start().workers) == 1
    grading.close()


@pytest.mark.parametrize("as_folder", [True, False])
def test_a_link_to_the_solution_is_no_submission(as_folder, machine, tmp_path):
    engine = machine.engine("none")
    problem = engine.catalog.problem(1)
    link = tmp_path / problem.exercise.name
    link.symlink_to(problem.solution)
    result = result_of(engine, problem, tmp_path if as_folder else link)
    assert (result.verdict, result.score) == ("failed", 0)
    assert result.checks[0].message == f"{link.name} is a link to another file: hand in the file itself."


# --- what is left behind --------------------------------------------------------------------------------------------


def scratch_folders(engine: Engine) -> list[str]:
    return os.listdir(engine.start().scratch)


@pytest.mark.parametrize("switch", ["none", "namespaces"])
@pytest.mark.parametrize("end", ["None", "os._exit(1)", "ctypes.string_at(0)"])
def test_no_scratch_folder_stays(machine, switch, end):
    client = machine.client(switch)
    fields = {"target": ["name", "value"], "kwargs": {}, "seed": 0, "keep": False}
    client.request("call", args=["os.makedirs('a/b'), writes('a/b/c')"], **fields)
    assert len(scratch_folders(machine.engine(switch))) == 1
    with contextlib.suppress(LearnerFault):
        client.request("call", args=[end], **fields)
    client.close()
    assert scratch_folders(machine.engine(switch)) == []


GRADER = """
import sys, time
from pathlib import Path
from workbook.content import catalog
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.sandbox.limits import Allowance
engine = Engine(catalog.load(Path(sys.argv[1])))
server = engine.start(fork=sys.argv[2] == "fork")
worker = server.fork(Allowance())
worker.line.setblocking(True)
worker.line.recv(1)
print(server.scratch, server.pid, worker.pid, flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_nothing_stays_of_a_grader_that_is_killed(start):
    grader = subprocess.Popen(
        [sys.executable, "-c", GRADER, str(ROOT), start], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert grader.stdout is not None
    scratch, *pids = grader.stdout.readline().split()
    assert os.path.isdir(scratch)
    os.killpg(grader.pid, signal.SIGKILL)
    grader.communicate()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (os.path.exists(scratch) or any(map(alive, pids))):
        time.sleep(0.02)
    assert not os.path.exists(scratch)
    assert not any(map(alive, pids))


def alive(pid: str) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
    return False


def test_nothing_stays_of_a_zygote_that_is_killed():
    engine = Engine(catalog.load(ROOT))
    server = engine.start()
    worker = server.fork(Allowance())
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(EngineFault, match="died"):
        server.fork(Allowance())
    engine.close()
    deadline = time.monotonic() + 20
    while alive(str(worker.pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(str(worker.pid))
    assert not os.path.exists(server.scratch)


def test_the_next_start_removes_what_a_crash_of_the_machine_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stale, fresh, held = (tmp_path / f"{PREFIX}{name}" for name in ("stale", "fresh", "held"))
    for folder in (stale, fresh, held):
        (folder / "1").mkdir(parents=True)
        if folder != fresh:
            os.utime(folder, (0, 0))
    lock = scratch._lock(str(held))
    assert lock is not None
    root, own = scratch.make_root()
    assert {path.name for path in tmp_path.iterdir()} == {fresh.name, held.name, Path(root).name}
    for descriptor in (lock, own):
        os.close(descriptor)


# --- detection ------------------------------------------------------------------------------------------------------


def test_doctor_finds_every_layer_for_whoever_asks():
    shown = workbook("doctor", cwd=ROOT, code=0).out
    if "missing  " in shown:
        pytest.skip("this machine lacks layers")
    assert shown.count("  active   ") == len(LAYERS)
    assert "exposed" not in shown


def test_every_layer_is_active_or_has_a_reason(machine):
    for switch in ("none", "namespaces,landlock", "all"):
        isolation = machine.engine(switch).probe_isolation()
        assert set(isolation.active) | set(isolation.missing) == set(LAYERS)
        assert not set(isolation.active) & set(isolation.missing)
        assert all(isolation.missing.values())
        assert isolation.active[0] == "process"


def test_doctor_and_require_sandbox_name_what_is_missing(monkeypatch):
    monkeypatch.setenv(SWITCH, "namespaces landlock")
    shown = workbook("doctor", cwd=ROOT, code=0).out
    assert f"missing  namespaces: switched off by {SWITCH}" in shown
    assert f"missing  landlock: switched off by {SWITCH}" in shown
    assert "missing  scratch: it needs namespaces" in shown
    assert "active   seccomp" in shown
    done = workbook("grade", "1", "--require-sandbox", cwd=ROOT, code=3)
    assert "missing: " in done.err
    assert "landlock" in done.err
    assert "nothing was graded" in done.err


def test_with_the_full_sandbox_required_grading_works(machine):
    require(machine, *FULL)
    solution = ROOT / "solutions" / "p01_sequential_scan.py"
    assert "Passed" in workbook("grade", "1", "--require-sandbox", "--file", solution, cwd=ROOT, code=0).out


def test_a_worker_that_lacks_what_is_required_grades_nothing(machine):
    engine = machine.engine("landlock")
    problem = engine.catalog.problem(1)
    client = Client(engine.start(), problem, Submission(problem.exercise, PROBE.encode()), required=FULL)
    with pytest.raises(EngineFault, match=r"The sandbox is not complete .*landlock"):
        client.request("call", target=["name", "value"], args=["1"], kwargs={}, seed=0, keep=False)


def test_a_worker_that_does_not_start_is_no_fault_of_the_learner(machine, monkeypatch):
    monkeypatch.setattr(client_module, "START_SECONDS", 0.0)
    with pytest.raises(EngineFault, match="did not start"):
        machine.client().request("call", target=["name", "value"], args=["1"], kwargs={}, seed=0, keep=False)


def test_debug_is_no_way_around_the_sandbox():
    done = workbook("grade", "1", "--debug", "--require-sandbox", cwd=ROOT, code=2)
    assert "no sandbox holds" in done.err


def test_where_the_system_forbids_namespaces_the_rest_holds(machine):
    require(machine, "namespaces")
    forbidden = ["unshare", "--user", "--map-current-user", "sh", "-c"]
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    if shutil.which("unshare") is None or subprocess.run([*forbidden, forbid, "sh", "true"], check=False).returncode:
        pytest.skip("no way to forbid namespaces here")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*forbidden, forbid, "sh", sys.executable, "-m", "workbook", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)

    doctor = run("doctor")
    assert "missing  namespaces: the system's limit on user namespaces" in doctor.stdout
    for layer in ("rlimits", "privileges", "landlock", "seccomp"):
        if layer not in machine.engine("none").probe_isolation().missing:
            assert f"active   {layer}" in doctor.stdout
    graded = run("grade", "1", "--file", "solutions/p01_sequential_scan.py")
    assert graded.returncode == 0, graded.stdout + graded.stderr
    assert run("grade", "1", "--require-sandbox").returncode == 3


def test_other_systems_and_processors_are_told_apart(monkeypatch):
    assert syscalls.unavailable() == ""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert "riscv64" in syscalls.unavailable()
    monkeypatch.setattr("sys.platform", "darwin")
    assert "only Linux" in syscalls.unavailable()
    assert landlock.version() == 0


def decision(program: bytes, machine: int, number: int, arguments: tuple[int, ...]) -> int:
    """What a filter says to a system call: a small interpreter of the instructions that it uses."""
    data = struct.pack("<IIQ6Q", number, machine, 0, *arguments, *[0] * (6 - len(arguments)))
    place, word = 0, 0
    while True:
        code, yes, no, k = struct.unpack_from("<HBBI", program, place * 8)
        place += 1
        if code == 0x06:
            return k
        if code == 0x20:
            (word,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            word &= k
        else:
            place += yes if (word == k if code == 0x15 else word >= k) else no


ALLOWED, EPERM, ENOSYS, KILLED = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


@pytest.mark.parametrize(
    ("name", "audit", "clone", "mmap", "openat", "read", "socketpair"),
    [("x86_64", 0xC000003E, 56, 9, 257, 0, 53), ("aarch64", 0xC00000B7, 220, 222, 56, 63, 199)],
)
def test_the_filter_decides_alike_on_both_processors(name, audit, clone, mmap, openat, read, socketpair, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: name)
    programs = {own: seccomp.program(own_files_only=own) for own in (False, True)}
    program = programs[True]

    def says(number: int, *arguments: int) -> int:
        return decision(program, audit, number, arguments)

    for call in (*seccomp._REFUSED, *seccomp._OF_FILES):
        number = syscalls.number(call)
        if number is not None:
            assert decision(programs[False], audit, number, ()) == EPERM, call
            assert says(number) == (EPERM if call in seccomp._REFUSED else ALLOWED), call
    assert says(read) == says(socketpair) == ALLOWED
    assert says(435) == says(437) == ENOSYS  # clone3, openat2
    assert says(clone, 0x003D0F00) == ALLOWED  # a thread
    assert says(clone, 17) == ALLOWED  # a fork
    assert says(clone, 0x10000000 | 17) == EPERM  # in a user namespace
    assert says(mmap, 0, 4096, 3, 0x22) == ALLOWED  # private and anonymous
    assert says(mmap, 0, 4096, 3, 0x01) == ALLOWED  # shared, of a file
    assert says(mmap, 0, 4096, 3, 0x21) == EPERM
    assert says(openat, 0, 0, 0o102) == ALLOWED
    assert says(openat, 0, 0, 0x410002) == EPERM  # O_TMPFILE
    fcntl, ioctl, prlimit = (syscalls.number(call) for call in ("fcntl", "ioctl", "prlimit64"))
    assert [says(fcntl, 0, command) for command in (3, 1024, 1026, 1031)] == [ALLOWED, EPERM, EPERM, ALLOWED]
    assert [says(ioctl, 0, request) for request in (0x5401, 0x40086602, 0x40806685)] == [ALLOWED, EPERM, EPERM]
    assert [says(prlimit, pid) for pid in (0, 1)] == [ALLOWED, EPERM]
    assert decision(program, 0x40000003, read, ()) == KILLED  # the calls of 32-bit x86
    if name == "x86_64":
        assert says(0x40000000 + 41) == EPERM  # the x32 numbers


# --- as an ordinary user --------------------------------------------------------------------------------------------

# Root's folders are closed to others; where Python is below one, it is shown again at its place, in a mount
# namespace of the test's own.
AS_ORDINARY = """
set -e
if [ -n "$1" ]; then
    mount --bind "$2" "$3"
    mount -t tmpfs -o mode=755 tmpfs "$1"
    mkdir -p "$2"
    mount --bind "$3" "$2"
    umount "$3"
fi
number=$4
shift 4
exec setpriv --reuid "$number" --regid "$number" --clear-groups "$@"
"""


ORDINARY = 48_211  # a number that no user of any system has; 65534 is what everyone unmapped is


def as_ordinary(command: list[str], spare: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as an ordinary user, who can read this Python and the workbook."""
    base = Path(sys.base_prefix)
    closed = next((str(path) for path in reversed(base.parents) if not path.stat().st_mode & 0o001), "")
    wrapped = ["unshare", "--mount", "--propagation", "private", "sh", "-c", AS_ORDINARY, "sh", closed, str(base)]
    with tempfile.TemporaryDirectory(prefix="ordinary-") as temporary:  # pytest's own folders are another user's
        os.chown(temporary, ORDINARY, ORDINARY)
        environment = {**os.environ, "HOME": "/nonexistent", "TMPDIR": temporary, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*wrapped, str(spare), str(ORDINARY), *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can become another user; the other tests run as an ordinary one"
)
@pytest.mark.skipif(not (shutil.which("unshare") and shutil.which("setpriv")), reason="needs unshare and setpriv")
@pytest.mark.parametrize(
    ("file", "chosen"),
    [
        (
            "sandbox/test_sandbox.py",
            "doctor_finds or cannot or it_works or hidden_file or siblings or daemon or no_scratch or grader_that_is_killed",
        ),
        (
            "sandbox/test_hostile.py",
            "gains_nothing and (reads_ or asks_the or forks_without or leaves_daemons or writes_many or chmod or deeply or path_max or inotify or inodes or sock)",
        ),
        ("sandbox", "tree or removal or swept"),
    ],
)
def test_all_of_it_holds_as_an_ordinary_user(file, chosen, tmp_path):
    able = as_ordinary([sys.executable, "-c", f"import torch, os; os.listdir({str(ROOT / 'tests')!r})"], tmp_path)
    if able.returncode != 0:
        pytest.skip(f"an ordinary user cannot run this Python here: {able.stderr.strip().splitlines()[-1:]}")
    command = [sys.executable, "-m", "pytest", f"tests/{file}", "-q", "-p", "no:cacheprovider", "-k", chosen]
    done = as_ordinary([*command, "-rs"], tmp_path)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
