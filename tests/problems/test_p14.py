"""Problem 14: the reference against torch.nn, every figure of the lab recomputed, the program, and the pitfalls."""

from __future__ import annotations

import doctest
import importlib.util
import itertools
import math
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.workbooks import ROOT
from torch import nn
from torch.nn import functional as F

from workbook.author.build.stubs import cut_stub
from workbook.pitfalls import Pitfall, parse_pitfalls

STEM = "p14_lstm_lab"
SOLUTION = ROOT / "solutions" / f"{STEM}.py"
SOURCE = SOLUTION.read_text(encoding="utf-8")
PITFALLS = parse_pitfalls(SOURCE, (ROOT / "solutions" / "pitfalls" / f"{STEM}.py").read_text(encoding="utf-8"), STEM)
FUNCTIONS = (
    "make_sequence_data",
    "manual_lstm_cell",
    "memoryless_baseline_loss",
    "train",
    "evaluate",
    "loss_by_position",
    "remove_control_token",
    "memoryless_logits",
)


def load(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"content_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def execute(source: str) -> types.SimpleNamespace:
    names: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "submission", "exec", dont_inherit=True), names)
    return types.SimpleNamespace(**names, names=names)


lab = load(SOLUTION)
support = load(ROOT / "graders" / "support" / f"{STEM}.py")


@pytest.fixture(autouse=True)
def one_thread_and_a_seed():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def trained() -> tuple[nn.Module, list[float]]:
    """A model after the lab's 300 steps."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = lab.NextStepLSTM()
        return model, lab.train(model, *lab.make_sequence_data(512, 10, 30))


@pytest.fixture(scope="module")
def held_out() -> tuple[torch.Tensor, torch.Tensor]:
    return lab.make_sequence_data(256, 10, 40)


def test_doctests():
    result = doctest.testmod(lab)
    assert result.attempted > 15
    assert result.failed == 0


# The reference against other code


def test_cell_agrees_with_torch():
    cell = nn.LSTMCell(4, 5).double()
    x, hidden, old = torch.randn(3, 4).double(), torch.randn(3, 5).double(), torch.randn(3, 5).double()
    got_hidden, got_cell, gates = lab.manual_lstm_cell(
        x, hidden, old, cell.weight_ih, cell.weight_hh, cell.bias_ih + cell.bias_hh
    )
    expected_hidden, expected_cell = cell(x, (hidden, old))
    torch.testing.assert_close(got_hidden, expected_hidden, rtol=0, atol=1e-12)
    torch.testing.assert_close(got_cell, expected_cell, rtol=0, atol=1e-12)
    assert list(gates) == ["input", "forget", "candidate", "output"]
    assert all(gates[name].min() >= 0 and gates[name].max() <= 1 for name in ("input", "forget", "output"))
    assert gates["candidate"].abs().max() <= 1


def test_shapes_of_the_cell():
    arguments = (3, 4), (3, 5), (3, 5), (20, 4), (20, 5), (20,)
    x, hidden, cell, input_weight, hidden_weight, bias = (torch.randn(shape) for shape in arguments)
    assert (x @ input_weight.T + hidden @ hidden_weight.T + bias).shape == (3, 20)
    got_hidden, got_cell, gates = lab.manual_lstm_cell(x, hidden, cell, input_weight, hidden_weight, bias)
    assert {tuple(value.shape) for value in (got_hidden, got_cell, *gates.values())} == {(3, 5)}


def test_cell_repeated_is_the_lstm_of_the_model():
    model = lab.NextStepLSTM()
    ids, _ = lab.make_sequence_data(4, 7, 1)
    lstm = model.lstm
    hidden = cell = torch.zeros(4, 24)
    logits = []
    for t in range(7):
        hidden, cell, _ = lab.manual_lstm_cell(
            model.embedding(ids[:, t]),
            hidden,
            cell,
            lstm.weight_ih_l0,
            lstm.weight_hh_l0,
            lstm.bias_ih_l0 + lstm.bias_hh_l0,
        )
        logits.append(model.output(hidden))
    torch.testing.assert_close(torch.stack(logits, dim=1), model(ids))


def test_all_gate_orders_give_different_numbers():
    raw = [math.log(3), 0.0, math.log(2), -math.log(3)]
    zero, nothing, old = torch.zeros(1, 1).double(), torch.zeros(4, 1).double(), torch.tensor([[2.0]]).double()
    found = set()
    for order in itertools.permutations(range(4)):
        bias = torch.tensor([raw[place] for place in order], dtype=torch.float64)
        hidden, cell, _ = lab.manual_lstm_cell(zero, zero, old, nothing, nothing, bias)
        found.add((round(hidden.item(), 4), round(cell.item(), 4)))
    assert len(found) == 24
    bias = torch.tensor(raw, dtype=torch.float64)
    hidden, cell, gates = lab.manual_lstm_cell(zero, zero, old, nothing, nothing, bias)
    assert [round(gate.item(), 9) for gate in gates.values()] == [0.75, 0.5, 0.6, 0.25]
    assert (round(cell.item(), 9), round(hidden.item(), 6)) == (1.45, 0.223923)


@pytest.mark.parametrize("sizes", [(8, 24), (12, 20), (5, 7)])
def test_parameter_count(sizes):
    embedding, hidden = sizes
    expected = 10 * embedding + 4 * hidden * (embedding + hidden + 2) + 10 * hidden + 10
    assert sum(item.numel() for item in lab.NextStepLSTM(*sizes).parameters()) == expected


def test_two_layers_change_the_states_and_not_the_output():
    lstm = nn.LSTM(8, 24, num_layers=2, batch_first=True)
    output, (hidden, cell) = lstm(torch.randn(3, 10, 8))
    assert (output.shape, hidden.shape, cell.shape) == ((3, 10, 24), (2, 3, 24), (2, 3, 24))


# The data


def test_data_follow_the_rules():
    inputs, targets = lab.make_sequence_data(512, 10, 30)
    for row in torch.cat([inputs, targets[:, -1:]], dim=1).tolist():
        values = [token - 2 for token in row[1:]]
        step = {0: 1, 1: -1}[row[0]]
        assert values == [(values[0] + step * t) % 8 for t in range(10)]
    assert {(row[0], row[1]) for row in inputs.tolist()} == set(itertools.product(range(2), range(2, 10)))


def test_data_come_from_the_seed_alone():
    state = torch.get_rng_state()
    first = lab.make_sequence_data(20, 6, 3)
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(5)
    again, other = lab.make_sequence_data(20, 6, 3), lab.make_sequence_data(20, 6, 4)
    assert all(torch.equal(*pair) for pair in zip(first, again, strict=True))
    assert not torch.equal(first[0], other[0])


# The figures


def sixteen_rules(length: int) -> list[list[int]]:
    return [
        [control, *((start + (1 - 2 * control) * t) % 8 + 2 for t in range(length))]
        for control in range(2)
        for start in range(8)
    ]


@pytest.mark.parametrize("length", [1, 7, 10])
def test_baseline_is_the_best_a_predictor_without_memory_can_do(length):
    """Count, over the sixteen equally likely sequences, what follows each token; the best guess is those shares."""
    counts: dict[int, dict[int, int]] = {}
    pairs = [pair for row in sixteen_rules(length) for pair in itertools.pairwise(row)]
    for token, answer in pairs:
        following = counts.setdefault(token, {})
        following[answer] = following.get(answer, 0) + 1
    loss = -sum(math.log(counts[a][b] / sum(counts[a].values())) for a, b in pairs) / len(pairs)
    assert lab.memoryless_baseline_loss(length) == pytest.approx(loss, abs=1e-12)


def test_figures_of_the_lesson():
    assert round(lab.memoryless_baseline_loss(10), 4) == 0.8318
    assert round(math.log(10), 3) == 2.303  # uniform guessing
    assert round(math.log(8) / 10, 4) == 0.2079  # what no memory can avoid: the start
    assert round(math.log(2), 3) == 0.693
    assert (9 + 1 / 8) / 10 == 0.9125
    assert round((math.log(8) + math.log(2)) / 10, 3) == 0.277  # without the control token
    perfect = F.cross_entropy(F.one_hot(torch.tensor([3]), 10).double(), torch.tensor([3])).item()
    assert round(perfect, 3) == round(math.log(1 + 9 / math.e), 3) == 1.461  # softmax applied twice


def test_three_hundred_steps_learn_the_rule(trained, held_out):
    model, losses = trained
    assert len(losses) == 300
    loss, accuracy = lab.evaluate(model, *held_out)
    assert 0.20 < loss < 0.23
    assert 0.89 < accuracy < 0.93
    by_position = lab.loss_by_position(model, *held_out)
    assert by_position.mean().item() == pytest.approx(loss, abs=1e-5)
    assert 2.0 < by_position[0] < 2.2
    assert by_position[1] < 0.04
    assert by_position[2:].max() < 0.01


def test_the_trained_model_without_its_control_token_or_its_memory(trained, held_out):
    model, _ = trained
    inputs, targets = held_out
    loss, _ = lab.evaluate(model, lab.remove_control_token(inputs), targets)
    assert 0.35 < loss < lab.memoryless_baseline_loss(10)
    with torch.no_grad():
        logits = lab.memoryless_logits(model, inputs)
    assert 1.0 < F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item() < 2.0


@pytest.mark.parametrize(("slug", "expected"), [(None, 2.1920), ("no_zero_grad", 2.1943)])
def test_a_forgotten_zero_grad_shows_in_the_third_loss(slug, expected):
    """On copies of the first training row, with the parameters that follow from seed 0."""
    side = submission(slug) if slug else lab
    inputs, targets = (rows[:1].repeat(64, 1) for rows in lab.make_sequence_data(512, 10, 30))
    assert side.train(lab.NextStepLSTM(), inputs, targets, steps=3)[2] == pytest.approx(expected, abs=1e-4)


def test_a_vanishing_norm_stops_adam():
    inputs, targets = lab.make_sequence_data(64, 6, 1)
    model = lab.NextStepLSTM()
    before = [item.clone() for item in model.parameters()]
    lab.train(model, inputs, targets, steps=3, max_norm=1e-12)
    assert all((new - old).abs().max() < 1e-5 for new, old in zip(model.parameters(), before, strict=True))
    lab.train(model, inputs, targets, steps=3)
    assert any((new - old).abs().max() > 1e-3 for new, old in zip(model.parameters(), before, strict=True))


def test_evaluate_gives_the_figures_of_the_logits():
    table = torch.randn(10, 10)
    inputs, targets = lab.make_sequence_data(9, 6, 2)
    chances = table.double().softmax(dim=1)
    each = [(a, b) for row, answers in zip(inputs, targets, strict=True) for a, b in zip(row, answers, strict=True)]
    loss, accuracy = lab.evaluate(support.TableModel(table), inputs, targets)
    assert loss == pytest.approx(-sum(math.log(chances[a, b]) for a, b in each) / 54, abs=1e-5)
    assert accuracy == pytest.approx(sum(int(table[a].argmax() == b) for a, b in each) / 54, abs=1e-6)


# The program


def run_program(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, encoding="utf-8")


@pytest.mark.parametrize("arguments", [("--smoke-test",), ("--steps", "120")])
def test_program_prints_shapes_and_figures(arguments):
    done = run_program(SOLUTION, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    shown = dict(line.split("  ", 1) for line in done.stdout.splitlines() if "  " in line)
    shown = {name: value.strip() for name, value in shown.items()}
    assert shown["inputs"] == shown["targets"] == "(256, 10)"
    assert shown["logits of four rows"] == "(4, 10, 10)"
    assert shown["memoryless baseline"] == "0.8318"
    learned = "--smoke-test" not in arguments
    assert (float(shown["held-out loss"]) < 0.30) is learned
    assert (float(shown["held-out accuracy"]) > 0.89) is learned
    assert ("The rule is learned" in done.stdout) is learned


def test_program_says_that_too_few_steps_learned_too_little(capsys):
    with pytest.raises(SystemExit) as exit_code:
        lab.main(["--steps", "2"])
    assert exit_code.value.code == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("The rule is not learned yet")


def test_program_refuses_zero_steps(capsys):
    with pytest.raises(SystemExit) as exit_code:
        lab.main(["--steps", "0"])
    assert exit_code.value.code == 2
    assert "--steps must be 1 or more" in capsys.readouterr().err


def test_smoke_test_does_three_updates(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(lab, "run", lambda model, steps, run=lab.run: asked.append(steps) or run(model, steps))
    lab.main(["--smoke-test"])
    lab.main(["--smoke-test", "--steps", "2"])
    assert asked == [3, 2]


def without(name: str) -> str:
    """The solution with one function's region as the stub has it."""
    start = SOURCE.index(f"def {name}(")
    begin = SOURCE.index("# BEGIN SOLUTION", start)
    end = SOURCE.index("# END SOLUTION", begin)
    return f'{SOURCE[:begin]}raise NotImplementedError("write {name} here"){SOURCE[end + len("# END SOLUTION") :]}'


@pytest.mark.parametrize(
    ("missing", "shown"),
    [
        ("make_sequence_data", "make_sequence_data"),
        ("memoryless_baseline_loss", "memoryless_baseline_loss"),
        ("train", "train"),
        ("evaluate", "evaluate"),
        ("__init__", "NextStepLSTM.__init__"),
        ("forward", "NextStepLSTM.forward"),
    ],
)
def test_program_of_a_half_filled_stub_says_what_is_missing(missing, shown, capsys):
    with pytest.raises(SystemExit) as exit_code:
        execute(without(missing)).main(["--smoke-test"])
    assert exit_code.value.code == 1
    out = capsys.readouterr().out
    assert out == f"{shown} is not written yet: fill it in, then run this program again.\n"


@pytest.mark.parametrize(
    "missing", ["manual_lstm_cell", "loss_by_position", "remove_control_token", "memoryless_logits"]
)
def test_program_runs_without_the_functions_it_does_not_need(missing, capsys):
    execute(without(missing)).main(["--smoke-test"])
    assert "(4, 10, 10)" in capsys.readouterr().out


def test_program_of_the_stub(tmp_path):
    path = tmp_path / f"{STEM}.py"
    path.write_text(cut_stub(SOURCE, path.name), encoding="utf-8")
    done = run_program(path)
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "NextStepLSTM.__init__ is not written yet: fill it in, then run this program again."
    ]


def test_the_stub_keeps_the_program_and_loses_every_answer():
    stub = execute(cut_stub(SOURCE, STEM))
    for name in FUNCTIONS:
        count = stub.names[name].__code__.co_argcount - len(stub.names[name].__defaults__ or ())
        with pytest.raises(NotImplementedError, match=f"write {name} here"):
            stub.names[name](*[torch.zeros(1, 1, dtype=torch.long)] * count)
    with pytest.raises(NotImplementedError):
        stub.NextStepLSTM()
    assert callable(stub.main)
    assert callable(stub.run)


# The pitfalls


def submission(slug: str) -> types.SimpleNamespace:
    return execute(next(pitfall.source for pitfall in PITFALLS if pitfall.slug == slug))


def follower(side: Any, token: int, control: int) -> set[int]:
    inputs, targets = side.make_sequence_data(200, 12, 1)
    rows = inputs[:, 0] == control
    return set(targets[rows][inputs[rows] == token].tolist())


def shift(side: Any) -> bool:
    inputs, targets = side.make_sequence_data(20, 6, 1)
    return torch.equal(targets[:, :-1], inputs[:, 1:])


def seeds_differ(side: Any) -> bool:
    return not torch.equal(side.make_sequence_data(20, 6, 1)[0], side.make_sequence_data(20, 6, 2)[0])


def keeps_the_generator(side: Any) -> bool:
    torch.manual_seed(5)
    state = torch.get_rng_state()
    side.make_sequence_data(20, 6, 1)
    return torch.equal(torch.get_rng_state(), state)


def cell_numbers(side: Any) -> list[float]:
    bias = torch.tensor([math.log(3), 0.0, math.log(2), -math.log(3)])
    zero, nothing = torch.zeros(1, 1), torch.zeros(4, 1)
    hidden, cell, _ = side.manual_lstm_cell(zero, zero, torch.tensor([[2.0]]), nothing, nothing, bias)
    return [round(hidden.item(), 4), round(cell.item(), 4)]


def size(side: Any) -> int:
    return sum(item.numel() for item in side.NextStepLSTM().parameters())


def moved_rows_and_positions(side: Any) -> list[tuple[int, int]]:
    torch.manual_seed(5)
    model, ids = side.NextStepLSTM(), torch.tensor([[0, 4, 5], [1, 4, 3], [0, 6, 7]])
    changed = ids.clone()
    changed[1, 1] = 9
    places = (model(ids) - model(changed)).abs().amax(dim=2).gt(1e-6).nonzero().tolist()
    return [(row, position) for row, position in places if row != 1 or position < 1]


def sums_to_one(side: Any) -> bool:
    sums = side.NextStepLSTM()(torch.tensor([[0, 4, 5]])).sum(dim=2)
    return torch.allclose(sums, torch.ones_like(sums))


def one_row_losses(side: Any, **settings: Any) -> list[float]:
    inputs, targets = (torch.tensor([row] * 8) for row in ([0, 4, 5, 6], [4, 5, 6, 7]))
    losses = side.train(support.TinyRecurrent(), inputs, targets, **{"steps": 5, "learning_rate": 0.05, **settings})
    return [round(loss, 3) for loss in losses]


def another_seed_changes_the_losses(side: Any) -> bool:
    data = lab.make_sequence_data(100, 6, 1)
    first, second = (side.train(support.TinyRecurrent(), *data, steps=3, batch_size=4, seed=seed) for seed in (1, 2))
    return first != second


def loss_with_dropout(side: Any) -> float:
    torch.manual_seed(5)
    return round(side.evaluate(support.TinyRecurrent(dropout=0.5), *lab.make_sequence_data(5, 6, 1))[0], 4)


def mode_after(side: Any, training: bool) -> bool:
    model = support.TinyRecurrent(training=training)
    side.evaluate(model, *lab.make_sequence_data(5, 6, 1))
    return model.training


def position_losses(side: Any) -> list[float]:
    losses = side.loss_by_position(support.TinyRecurrent(), *lab.make_sequence_data(5, 6, 1))
    return [round(loss, 4) for loss in losses.tolist()]


def argument_kept(side: Any) -> bool:
    ids = torch.tensor([[1, 4, 3]])
    side.remove_control_token(ids)
    return ids.tolist() == [[1, 4, 3]]


def reset_logits(side: Any) -> list[float]:
    logits = side.memoryless_logits(support.TinyRecurrent(), torch.tensor([[1, 4, 3]]))
    return [round(value, 4) for value in logits.flatten().tolist()]


def reports_held_out_loss(side: Any) -> bool:
    model = support.TinyRecurrent()
    figures = side.run(model, 3)
    return figures["held_out_loss"] == lab.evaluate(model, *lab.make_sequence_data(256, 10, 40))[0]


LOOKS: dict[str, Callable[[Any], Any]] = {
    "unshifted_targets": shift,
    "wraps_at_ten": lambda side: follower(side, 9, 0),
    "swapped_directions": lambda side: follower(side, 5, 0),
    "data_seed_ignored": seeds_differ,
    "global_generator": keeps_the_generator,
    "gate_order_ifog": cell_numbers,
    "sigmoid_candidate": cell_numbers,
    "no_tanh_on_cell": cell_numbers,
    "hidden_from_old_cell": cell_numbers,
    "BatchFirstForgotten": moved_rows_and_positions,
    "SoftmaxInForward": sums_to_one,
    "GatedRecurrentUnit": size,
    "PlainRNN": size,
    "BidirectionalLSTM": moved_rows_and_positions,
    "uniform_baseline": lambda side: side.memoryless_baseline_loss(10),
    "no_zero_grad": one_row_losses,
    "no_clipping": lambda side: one_row_losses(side, max_norm=1e-12),
    "batch_seed_ignored": another_seed_changes_the_losses,
    "dropout_left_on": loss_with_dropout,
    "left_in_evaluation_mode": lambda side: mode_after(side, training=True),
    "left_in_training_mode": lambda side: mode_after(side, training=False),
    "loss_by_row": position_losses,
    "removed_in_place": argument_kept,
    "state_runs_on": reset_logits,
    "reports_training_loss": reports_held_out_loss,
}


@pytest.mark.parametrize("pitfall", PITFALLS, ids=lambda pitfall: pitfall.slug)
def test_a_pitfall_differs_from_the_reference_where_its_check_looks(pitfall: Pitfall):
    look = LOOKS[pitfall.slug]
    reference = look(lab)
    assert look(lab) == reference  # what is looked at does not vary by itself
    assert look(execute(pitfall.source)) != reference


def test_every_pitfall_has_its_look():
    assert set(LOOKS) == {pitfall.slug for pitfall in PITFALLS}
