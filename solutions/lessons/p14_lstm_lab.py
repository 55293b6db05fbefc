"""What the notebook of problem 14 shows: trained models, their losses and gates, and what known mistakes give.

Models are trained in float64, on one thread: rounding differs between machines, and 300 steps would enlarge its traces.
"""

import math
from collections.abc import Mapping
from contextlib import contextmanager
from types import ModuleType

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

LENGTH, STEPS = 10, 300
Curves = tuple[np.ndarray, dict[str, np.ndarray]]  # the right one, and the wrong ones by the names of the mistakes


def record(solution: ModuleType, pitfalls: Mapping[str, ModuleType]) -> dict:
    with one_thread():
        lab = Lab(solution, pitfalls)
        return {
            **ordinary_run(lab),
            **gates(lab),
            **without_memory(lab),
            **drills(lab),
            **group("data_mistakes", *data_mistakes(lab)),
            **group("cell_mistakes", *cell_mistakes(lab)),
            **group("position_mistakes", *position_mistakes(lab)),
            **small_mistakes(lab),
        }


@contextmanager
def one_thread():
    """One thread, and torch's global generator as it was afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(threads)


class Lab:
    """The data of the lab, one model trained on it as the program does, and models that known mistakes give."""

    def __init__(self, solution: ModuleType, pitfalls: Mapping[str, ModuleType]) -> None:
        self.solution, self.pitfalls = solution, pitfalls
        self.inputs, self.targets = solution.make_sequence_data(512, LENGTH, seed=30)
        self.held = solution.make_sequence_data(256, LENGTH, seed=40)
        self.model = self.fresh()
        self.losses = self.train(self.model)
        self.wrong_models: dict[str, tuple[nn.Module, list[float]]] = {}

    def fresh(self, module: ModuleType | None = None) -> nn.Module:
        torch.manual_seed(0)
        return (module or self.solution).NextStepLSTM().double()

    def train(self, model: nn.Module, inputs: Tensor | None = None, targets: Tensor | None = None) -> list[float]:
        inputs, targets = self.inputs if inputs is None else inputs, self.targets if targets is None else targets
        return self.solution.train(model, inputs, targets, steps=STEPS)

    def trained_wrong(self, name: str) -> tuple[nn.Module, list[float]]:
        """The model of the pitfall whose name begins so, after training, and its losses."""
        if name not in self.wrong_models:
            model = self.fresh(self.pitfall(name))
            self.wrong_models[name] = model, self.train(model)
        return self.wrong_models[name]

    def pitfall(self, name: str) -> ModuleType:
        """The pitfall whose name begins with these words."""
        (found,) = (module for title, module in self.pitfalls.items() if title.startswith(name))
        return found

    def replacing(self, name: str) -> dict[str, ModuleType]:
        """The pitfalls that stand in the place of the solution's `name`."""
        own = getattr(self.solution, name).__name__
        return {title: module for title, module in self.pitfalls.items() if getattr(module, name).__name__ != own}

    def figures(self, model: nn.Module, inputs: Tensor | None = None, targets: Tensor | None = None) -> dict:
        """Loss, accuracy and losses by position, on the held-out data where no other is given."""
        inputs, targets = self.held[0] if inputs is None else inputs, self.held[1] if targets is None else targets
        loss, accuracy = self.solution.evaluate(model, inputs, targets)
        by_position = self.solution.loss_by_position(model, inputs, targets).numpy()
        return {"loss": loss, "accuracy": accuracy, "by_position": by_position}


class Reset(nn.Module):
    """A model that is called with its state reset before every token."""

    def __init__(self, lab: Lab, model: nn.Module) -> None:
        super().__init__()
        self.lab, self.model = lab, model

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.lab.solution.memoryless_logits(self.model, token_ids)


def under(prefix: str, figures: Mapping) -> dict:
    return {f"{prefix}/{name}": value for name, value in figures.items()}


def group(key: str, right: np.ndarray, wrong: dict[str, np.ndarray]) -> dict:
    return {f"{key}/right": right, key: wrong}


def ordinary_run(lab: Lab) -> dict:
    return {
        "run/losses": np.array(lab.losses),
        **under("run", lab.figures(lab.model)),
        "run/train_loss": lab.solution.evaluate(lab.model, lab.inputs, lab.targets)[0],
        "bounds/uniform": math.log(10),
        "bounds/memoryless": lab.solution.memoryless_baseline_loss(LENGTH),
        "bounds/irreducible": math.log(8) / LENGTH,
        "bounds/accuracy": (LENGTH - 1 + 1 / 8) / LENGTH,
        "bounds/no_control": (math.log(8) + math.log(2)) / LENGTH,
        "bounds/eight": math.log(8),
        "bounds/two": math.log(2),
        "bounds/double_softmax": math.log(1 + 9 / math.e),
    }


def gates(lab: Lab) -> dict:
    """Gates, cell and hidden state of the trained LSTM on all sixteen sequences: eight count up, then eight down.

    Every value occurs once in each half at each position, so that what parts the halves is the direction alone.
    """
    rows = torch.tensor(
        [
            [control, *((start + sign * t) % 8 + 2 for t in range(9))]
            for control, sign in ((0, 1), (1, -1))
            for start in range(8)
        ]
    )
    weights = lab.model.lstm.state_dict()
    bias = weights["bias_ih_l0"] + weights["bias_hh_l0"]
    hidden = cell = torch.zeros(16, lab.model.lstm.hidden_size, dtype=torch.float64)
    found: dict[str, list] = {}
    with torch.no_grad():
        for x in lab.model.embedding(rows).unbind(dim=1):
            hidden, cell, opened = lab.solution.manual_lstm_cell(
                x, hidden, cell, weights["weight_ih_l0"], weights["weight_hh_l0"], bias
            )
            for name, value in {**opened, "cell": cell, "hidden": hidden}.items():
                found.setdefault(name, []).append(value.numpy())
    arrays = {name: np.stack(values, axis=1) for name, values in found.items()}
    up, down = arrays["cell"][:8], arrays["cell"][8:]
    gap = up.mean(axis=0) - down.mean(axis=0)
    apart = gap / np.sqrt((up.var(axis=0) + down.var(axis=0)) / 2 + 1e-6)
    steady = (np.sign(gap) == np.sign(gap[1])).all(axis=0)
    unit = int(np.where(steady, np.abs(apart[1:]).min(axis=0), 0).argmax())
    return {
        "gates/rows": rows.numpy(),
        "gates/unit": unit,
        **under("gates", {name: values[..., unit] for name, values in arrays.items()}),
        "gates/lowest": min(arrays[name].min() for name in ("input", "forget", "output")),
        "gates/highest": max(arrays[name].max() for name in ("input", "forget", "output")),
        "gates/direction": direction(arrays["cell"]),
    }


def direction(cells: np.ndarray) -> np.ndarray:
    """One number for each cell state (16, T, H): the weighted sum of its units that best parts up from down.

    The weights are Fisher's linear discriminant, fitted from position 2 on, with a small ridge.
    """
    up, down = (half[:, 2:].reshape(-1, cells.shape[-1]) for half in (cells[:8], cells[8:]))
    both = np.concatenate([up, down])
    spread = np.cov(both.T) + 1e-2 * np.eye(cells.shape[-1])
    return (cells - both.mean(axis=0)) @ np.linalg.solve(spread, up.mean(axis=0) - down.mean(axis=0))


def without_memory(lab: Lab) -> dict:
    """The trained model, a model trained that way and a table, all with nothing remembered between tokens."""
    trained_so = lab.fresh()
    losses = lab.train(Reset(lab, trained_so))
    held_inputs, held_targets = lab.held
    counts = torch.zeros(10, 10, dtype=torch.float64)
    counts.index_put_((held_inputs.flatten(), held_targets.flatten()), torch.tensor(1.0).double(), accumulate=True)
    table = (counts / counts.sum(dim=1, keepdim=True)).log()
    fitted = F.nll_loss(table[held_inputs].flatten(0, 1), held_targets.flatten()).item()
    return {
        **under("reset", lab.figures(Reset(lab, lab.model))),
        **under("trained_reset", lab.figures(Reset(lab, trained_so))),
        "trained_reset/losses": np.array(losses),
        "table/loss": fitted,
    }


def drills(lab: Lab) -> dict:
    """The four failures: no control token, axes mixed up, targets unshifted, softmax twice."""
    bare, bare_held = (lab.solution.remove_control_token(inputs) for inputs in (lab.inputs, lab.held[0]))
    retrained = lab.fresh()
    lab.train(retrained, bare)
    draw = lab.pitfall("does not shift the targets").make_sequence_data
    copied = lab.fresh()
    copied_losses = lab.train(copied, *draw(512, LENGTH, seed=30))
    found = {
        **under("no_control", lab.figures(lab.model, bare_held)),
        **under("no_control_retrained", lab.figures(retrained, bare_held)),
        "unshifted/losses": np.array(copied_losses),
        **under("unshifted", lab.figures(copied, *draw(256, LENGTH, seed=40))),
        **under("unshifted_truth", lab.figures(copied)),
    }
    for key, name in (("batch_first", "forgets batch_first"), ("softmax", "applies softmax in forward")):
        model, losses = lab.trained_wrong(name)
        found |= {f"{key}/losses": np.array(losses), **under(key, lab.figures(model))}
    return found


def data_mistakes(lab: Lab) -> Curves:
    """Targets of the first sequence that begins with "count up", as the solution and each known mistake draw them."""

    def curve(module: ModuleType) -> np.ndarray:
        inputs, targets = module.make_sequence_data(64, LENGTH, seed=30)
        row = int(inputs[:, 0].argmin())
        return targets[row].double().numpy()

    right = curve(lab.solution)
    curves = {name: curve(module) for name, module in lab.replacing("make_sequence_data").items()}
    return right, {name: wrong for name, wrong in curves.items() if (wrong != right).any()}


def cell_mistakes(lab: Lab) -> Curves:
    """One unit's hidden state over ten steps of a cell with random weights, as each known mistake of it gives it."""
    generator = torch.Generator().manual_seed(3)
    shapes = ((10, 1, 4), (20, 4), (20, 5), (20,))
    x, W, U, bias = (torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in shapes)

    def curve(module: ModuleType) -> np.ndarray:
        hidden = cell = torch.zeros(1, 5, dtype=torch.float64)
        states = []
        for x_t in x:
            hidden, cell, _ = module.manual_lstm_cell(x_t, hidden, cell, W, U, bias)
            states.append(hidden[0, 0].item())
        return np.array(states)

    wrong = {name: curve(module) for name, module in lab.replacing("manual_lstm_cell").items()}
    return curve(lab.solution), wrong


def position_mistakes(lab: Lab) -> Curves:
    """Held-out loss by position, with a wrong model, or with a wrong measure of the right model."""
    right = lab.figures(lab.model)["by_position"]
    models = {name: lab.trained_wrong(name)[0] for name in lab.replacing("NextStepLSTM")}
    measures = {
        name: module.loss_by_position(lab.model, *(rows[:20] for rows in lab.held)).numpy()
        for name, module in lab.replacing("loss_by_position").items()
    }
    return right, {name: lab.figures(model)["by_position"] for name, model in models.items()} | measures


def small_mistakes(lab: Lab) -> dict:
    """Pairs of curves, right and wrong, for mistakes that each show in a way of their own."""

    def train(module: ModuleType, **settings: float) -> np.ndarray:
        settings = {"steps": 60, "learning_rate": 0.05, **settings}
        return np.array(module.train(lab.fresh(), lab.inputs, lab.targets, **settings))

    def first_losses(module: ModuleType) -> np.ndarray:
        return np.array([train(module, steps=1, seed=seed)[0] for seed in range(10)])

    def baselines(module: ModuleType) -> np.ndarray:
        return np.array([module.memoryless_baseline_loss(length) for length in range(1, 21)])

    def repeated(module: ModuleType) -> np.ndarray:
        torch.manual_seed(1)
        model = Dropping(lab.model)
        return np.array([module.evaluate(model, *lab.held)[0] for _ in range(10)])

    def modes(module: ModuleType) -> np.ndarray:
        left = []
        for training in (True, False) * 4:
            model = lab.fresh().train(training)
            module.evaluate(model, lab.inputs[:2], lab.targets[:2])
            left.append(float(model.training))
        return np.array(left)

    def first_column(module: ModuleType) -> np.ndarray:
        inputs = lab.inputs[:10].clone()
        module.remove_control_token(inputs)
        return inputs[:, 0].double().numpy()

    def forgetful(module: ModuleType) -> np.ndarray:
        logits = module.memoryless_logits(lab.model, lab.held[0]).detach()
        return F.cross_entropy(logits.transpose(1, 2), lab.held[1], reduction="none").mean(dim=0).numpy()

    pairs = {
        "zero_grad": ("forgets zero_grad", train),
        "clipping": ("does not clip", lambda module: train(module, max_norm=1e-12)),
        "batches": ("ignores the seed: every seed trains", first_losses),
        "baseline": ("gives ln 10", baselines),
        "dropout": ("leaves dropout on", repeated),
        "left_in_evaluation": ("does not restore the mode", modes),
        "left_in_training": ("leaves the model in training mode", modes),
        "argument": ("changes its argument in place", first_column),
        "state": ("lets the state run on", forgetful),
    }
    found = {}
    for key, (name, curve) in pairs.items():
        found[f"small/{key}/right"] = curve(lab.solution)
        found[f"small/{key}/wrong"] = curve(lab.pitfall(name))
    return found


class Dropping(nn.Module):
    """A trained model with dropout on its logits, in training mode when it is made."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, token_ids: Tensor) -> Tensor:
        return F.dropout(self.model(token_ids), 0.2, self.training)
