"""The boundary between grader and learner: real workers, deadlines, memory, deaths, output, equal generators."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time

import psutil
import pytest
from helpers.workbooks import PROBLEMS, check

from workbook.answers.local import Local
from workbook.boundary import server
from workbook.boundary.client import Client
from workbook.boundary.outcomes import LearnerFault
from workbook.boundary.submission import Submission
from workbook.checks.sides import Side
from workbook.content.problem import Limits
from workbook.content.signatures import read_interface
from workbook.errors import EngineFault
from workbook.grading.engine import Engine

SCAN = PROBLEMS[0]
PROBE = dataclasses.replace(SCAN, limits=Limits(call_seconds=2, total_seconds=8, memory_mb=200))


@pytest.fixture
def client(engine: Engine, tmp_path):
    """Clients of made-up submissions, closed at the end."""
    made = []

    def make(source: str, problem=PROBE) -> Client:
        path = tmp_path / f"{problem.stem}.py"
        made.append(Client(engine.start(), problem, Submission(path, source.encode())))
        return made[-1]

    yield make
    for item in made:
        item.close()


def side(backend, source: str) -> Side:
    return Side(backend, read_interface(source), seed=7)


def call(client: Client, name: str, *arguments):
    return client.request("call", target=["name", name], args=list(arguments), kwargs={}, seed=1, keep=False)["value"]


def test_a_call_that_never_ends_is_stopped_with_its_children(client):
    probe = client(
        "import os, time\n\ndef f():\n    if os.fork() == 0:\n        time.sleep(600)\n    while True: pass\n"
    )
    start = time.monotonic()
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert fault.value.verdict == "timeout"
    assert "f had not finished after" in fault.value.message
    assert time.monotonic() - start < 60
    assert not [item for item in psutil.Process(os.getpid()).children(recursive=True) if item.cpu_percent(0.1) > 20]


def test_code_that_hangs_again_and_again_is_not_waited_for_as_long(client):
    probe = client("def f():\n    while True: pass\n")
    taken = []
    for _ in range(4):
        start = time.monotonic()
        with pytest.raises(LearnerFault) as fault:
            call(probe, "f")
        taken.append(time.monotonic() - start)
        assert fault.value.verdict == "timeout"
    assert max(taken[2:]) < min(taken[:2])


def test_signals_and_swallowed_exceptions_do_not_save_a_loop(client):
    probe = client(
        "import signal\n\ndef f():\n    for n in range(1, 32):\n        try: signal.signal(n, signal.SIG_IGN)\n"
        "        except (OSError, ValueError): pass\n    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass\n"
    )
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert fault.value.verdict == "timeout"


def test_an_import_that_hangs_ends_the_submission(client):
    probe = client("while True:\n    pass\n")
    for _ in range(3):
        start = time.monotonic()
        with pytest.raises(LearnerFault) as fault:
            call(probe, "f")
        assert fault.value.verdict == "timeout"
        assert "Loading the file had not finished" in fault.value.message
    assert time.monotonic() - start < 1, "the hanging import ran again"


def test_the_deadline_of_the_whole_submission(client):
    probe = client(
        "import time\n\ndef f():\n    time.sleep(1.5)\n",
        dataclasses.replace(PROBE, limits=Limits(call_seconds=60, total_seconds=2, memory_mb=200)),
    )

    def many_calls():
        for _ in range(100):
            call(probe, "f")

    with pytest.raises(LearnerFault) as fault:
        many_calls()
    assert fault.value.verdict == "timeout"
    assert "All calls together took more than" in fault.value.message


@pytest.mark.parametrize(
    "body",
    [
        "return bytearray(2**31)",
        "import torch\n    return torch.ones(2**29)",
        "x = []\n    while True: x.append(bytes(2**20))",
    ],
)
def test_too_much_memory(client, body):
    probe = client(f"def f():\n    {body}\n\ndef g():\n    return 3\n")
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert fault.value.verdict == "memory", fault.value.message
    assert call(probe, "g") == 3


def test_what_answers_will_import_is_there_beforehand(client):
    source = "import sys\n\ndef f():\n    return [name in sys.modules for name in ('wave', 'no_such_module')]\n"
    assert call(client(source), "f") == [False, False]
    told = dataclasses.replace(PROBE, preload=("wave", "no_such_module"))
    assert call(client(source, told), "f") == [True, False]


def test_memory_hoarded_over_many_short_calls(client):
    """No call takes as long as the time between two looks at the memory."""
    kept = 4 * 2**20
    roomy = dataclasses.replace(PROBE, limits=Limits(call_seconds=10, total_seconds=60, memory_mb=200))
    probe = client(f"kept = []\n\ndef f():\n    kept.append(b'1' * {kept})\n\ndef g():\n    return 3\n", roomy)

    def hoard():
        for _ in range(20 * PROBE.limits.memory_mb * 2**20 // kept):
            call(probe, "f")

    with pytest.raises(LearnerFault) as fault:
        hoard()
    assert fault.value.verdict == "memory", fault.value.message
    assert probe.usage.memory_mb < 4 * PROBE.limits.memory_mb
    assert call(probe, "g") == 3


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import os; os._exit(3)", "exit code 3"),
        ("import ctypes; ctypes.string_at(0)", "a segmentation fault"),
        ("import os; os.abort()", "an abort"),
    ],
)
def test_a_death_costs_one_check_and_the_next_has_a_fresh_worker(client, body, says):
    probe = client(
        f"count = 0\n\ndef f():\n    {body}\n\ndef g():\n    global count\n    count += 1\n    return count\n"
    )
    assert [call(probe, "g"), call(probe, "g")] == [1, 2]
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert (fault.value.verdict, says in fault.value.message) == ("crash", True), fault.value.message
    assert call(probe, "g") == 1


def test_a_worker_that_is_killed_from_outside(client):
    # Not by itself: the first process of a namespace does not get its own signals.
    probe = client("import time\n\ndef f():\n    time.sleep(60)\n\ndef g():\n    return 3\n")
    assert call(probe, "g") == 3
    killer = threading.Timer(0.3, os.kill, (probe._worker.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    killer.join()
    assert (fault.value.verdict, "killed" in fault.value.message) == ("crash", True), fault.value.message
    assert call(probe, "g") == 3


def test_exit_is_an_exception_of_the_learner(client):
    probe = client("import sys\n\ndef f():\n    sys.exit('done')\n")
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert fault.value.verdict == "error"
    assert "the code called exit('done')" in fault.value.message
    assert "line 4, in f: sys.exit('done')" in fault.value.message


def test_closing_every_descriptor_is_no_way_out(client):
    probe = client(
        "import os, time\n\ndef f():\n    os.closerange(0, 4096)\n    time.sleep(30)\n\ndef g():\n    return 1\n"
    )
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert fault.value.verdict in ("crash", "timeout")
    assert call(probe, "g") == 1


def test_output_is_captured_capped_and_escaped(client):
    probe = client(
        "import os, sys\n\ndef f():\n    print('all passed \\x1b[2J \\u202e')\n    sys.stderr.write('warned\\n')\n    os.write(1, b'\\xff raw\\n')\n"
        "\ndef g():\n    for _ in range(1000): print('x' * 10_000)\n"
    )
    call(probe, "f")
    assert probe.take_output() == "all passed \\x1b[2J \\u202e\nwarned\n\\xff raw\n"
    call(probe, "g")
    text = probe.take_output()
    assert len(text) < 200_000
    assert "more bytes of output are not shown" in text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return object()", "object"),
        ("return lambda: 1", "function"),
        ("class F(float):\n        def __eq__(self, other): return True\n    return F(1.0)", "F"),
        ("x = []\n    x.append(x)\n    return x", "list"),
        ("x = []\n    for _ in range(1000): x = [x]\n    return x", "nested"),
        ("return bytes(2**27)", "more than 64 MB"),
        ("import torch\n    class T(torch.Tensor): pass\n    return torch.zeros(2).as_subclass(T)", "T"),
        ("return {1, 2}", "set"),
    ],
)
def test_what_cannot_travel_is_the_learners_error(client, body, says):
    big = dataclasses.replace(PROBE, limits=Limits(call_seconds=10, total_seconds=30, memory_mb=1000))
    with pytest.raises(LearnerFault) as fault:
        call(client(f"def f():\n    {body}\n", big), "f")
    assert fault.value.verdict == "error"
    assert "returned what cannot be graded" in fault.value.message
    assert says in fault.value.message


def test_a_forged_reply_is_not_believed(client):
    probe = client(
        "import os\nfrom workbook.wire import channel\n\ndef f():\n"
        "    for fd in range(3, 400):\n        try: os.write(fd, channel.frame({'ok': True, 'id': 999, 'value': 1}))\n"
        "        except OSError: pass\n    return 2\n"
    )
    with pytest.raises(LearnerFault) as fault:
        call(probe, "f")
    assert "interfered with the grader's connection" in fault.value.message


def test_generators_and_threads_are_the_same_on_both_sides(client, tmp_path):
    source = (
        "import random\nimport numpy as np\nimport torch\n\ndef f():\n"
        "    return (random.random(), np.random.rand(), torch.rand(3).tolist(), torch.randn(()).item(),\n"
        "            torch.get_num_threads(), str(torch.get_default_dtype()), torch.is_grad_enabled())\n"
    )
    learner = side(client(source), source)
    reference = side(Local(SCAN, tmp_path / "reference.py", source), source)
    first = learner.f()
    assert first == reference.f()
    assert first == learner.f(), "every call starts from the same generators"
    assert first[4] == 1


def test_a_learners_call_cannot_disturb_the_grader(client):
    import random

    import numpy as np
    import torch

    source = (
        "import random\nimport numpy as np\nimport torch\n\ndef f(x):\n    random.seed(0); np.random.seed(0); torch.manual_seed(0)\n"
        "    torch.set_default_dtype(torch.float64); torch.set_num_threads(2); x += 1\n    return x\n"
    )
    probe = client(source)
    x = torch.zeros(3)
    before = (
        random.getstate(),
        np.random.get_state()[1].tolist(),
        torch.get_rng_state().tolist(),
        torch.get_num_threads(),
    )
    assert call(probe, "f", x).tolist() == [1, 1, 1]
    after = (
        random.getstate(),
        np.random.get_state()[1].tolist(),
        torch.get_rng_state().tolist(),
        torch.get_num_threads(),
    )
    assert before == after
    assert x.tolist() == [0, 0, 0]
    assert torch.get_default_dtype() == torch.float32


def test_the_reference_leaves_the_graders_generators_alone(tmp_path):
    import torch

    local = Local(SCAN, tmp_path / "r.py", "import torch\n\ndef f(x):\n    x += torch.rand(3)\n    return x\n")
    torch.manual_seed(5)
    expected = torch.rand(2).tolist()
    torch.manual_seed(5)
    x = torch.zeros(3)
    side(local, "def f(x): ...").f(x)
    assert torch.rand(2).tolist() == expected
    assert x.tolist() == [0, 0, 0]


def test_the_arguments_of_a_call_are_watched(client):
    source = "def f(a, b):\n    b += 1\n    return a\n"
    import torch

    reply = side(client(source), source).f.reply(torch.zeros(2), torch.zeros(2))
    assert reply["changed"] == [1]


def test_objects_stay_where_they_are(client):
    import torch

    source = (
        "import torch\n\nclass Layer:\n    def __init__(self, w):\n        self.w = w\n    def step(self, x):\n        return x * self.w\n"
        "    def forward(self, x):\n        return torch.stack([self.step(row) for row in x])\n"
    )
    learner = side(client(source), source)
    w = learner.put(torch.tensor(2.0), requires_grad=True)
    layer = learner.Layer(w)
    x = torch.arange(6.0).reshape(3, 2)
    assert layer.step(x).tolist() == (x * 2).tolist()
    value, calls = layer.forward.count("step", x)
    assert (value.tolist(), calls) == ((x * 2).tolist(), 3)
    value, gradients = layer.forward.vjp((x,), torch.ones(3, 2), wrt=[w])
    assert [gradient.tolist() for gradient in gradients] == [torch.full((3, 2), 2.0).tolist(), 15.0]
    held = learner.put(x)
    assert layer.step(held[:, 1]).tolist() == [2, 6, 10]
    kept = layer.step.keep(held)
    assert kept.get().tolist() == (x * 2).tolist()


def test_a_library_that_is_missing_is_said(monkeypatch):
    with pytest.raises(EngineFault, match="A library could not be imported"):
        server.start(("no_such_library",), fork=False)


def test_a_dead_zygote_is_no_fault_of_the_learner(book, tmp_path):
    engine = Engine(book)
    try:
        engine.start()
        pid = max(child.pid for child in psutil.Process().children() if "zygote" in " ".join(child.cmdline()))
        psutil.Process(pid).kill()
        client = Client(engine.start(), PROBE, Submission(tmp_path / "x.py", b"def f(): return 1\n"))
        with pytest.raises(EngineFault):
            call(client, "f")
    finally:
        engine.close()


def test_the_zygote_dies_with_the_grader(book):
    engine = Engine(book)
    engine.start()
    children = psutil.Process().children()
    mine = max(
        (child for child in children if "zygote" in " ".join(child.cmdline())), key=lambda child: child.create_time()
    )
    engine.close()
    assert not mine.is_running()


def test_a_right_answer_that_prints_and_warns_passes_and_shows_no_output_as_fault(grade_source):
    source = SCAN.solution.read_text(encoding="utf-8").replace(
        "    # BEGIN SOLUTION\n", "    import warnings\n\n    print('hello')\n    warnings.warn('careful')\n"
    )
    result = grade_source(1, source)
    assert result.verdict == "passed"
    assert "hello" in check(result, "test_starts_from_h0").output
    assert "careful" in result.checks[0].output
