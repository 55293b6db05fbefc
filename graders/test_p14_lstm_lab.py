"""Checks of problem 14, the LSTM lab.

Sequences and initial parameters of a right answer are not unique, so much is checked by its properties: a program
takes a side (learner, reference or pitfall), asks it for values and returns what they amount to. Programs answer for
any value at all: one of the wrong kind comes back as a text that says what it is.

Every function is checked on data and models made here, so that one unfinished function costs only its own points.
Only the last two checks put the learner's functions together.
"""

import random

import pytest
import torch
from torch.nn import functional as F

COUNTING = ("up", "down")
DATA, MODEL, TRAIN = ("make_sequence_data",), ("NextStepLSTM",), ("train",)  # whose pitfalls explain a failure


def following(token, control):
    """The token after `token`, counting up for control 0 and down for control 1."""
    if control == 0:
        return 2 if token == 9 else token + 1
    return 9 if token == 2 else token - 1


def counting_data(count, length, seed):
    """Inputs and targets made by following the rules one token at a time."""
    dice, rows = random.Random(seed), []
    for _ in range(count):
        control, token = dice.randrange(2), dice.randrange(2, 10)
        row = [control]
        while len(row) < length + 1:
            row.append(token)
            token = following(token, control)
        rows.append(row)
    full = torch.tensor(rows)
    return full[:, :-1].clone(), full[:, 1:].clone()


def kind(value):
    """What a value is, in short: "int64 (7, 5)" for a tensor, a list of these for a tuple."""
    if type(value) is torch.Tensor:
        return f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
    if type(value) is tuple:
        return f"({', '.join(kind(item) for item in value)})"
    return type(value).__name__


def data_kind(count, length):
    return f"(int64 ({count}, {length}), int64 ({count}, {length}))"


# make_sequence_data


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_data_shapes_and_types(learner, same):
    """make_sequence_data gives inputs and targets, both torch.long of shape (count, sequence_length)"""
    for count, length in ((512, 10), (7, 5), (3, 1), (5, 2), (1, 10)):
        got = learner.make_sequence_data(count, length, 3)
        call = f"make_sequence_data({count}, {length}, 3)"
        same(kind(got), data_kind(count, length), says=f"{call} gives the wrong thing.")


def lag(side, count, length, seed):
    """By how many steps the targets run ahead of the inputs; -1 where no single number fits."""
    got = side.make_sequence_data(count, length, seed)
    if kind(got) != data_kind(count, length):
        return kind(got)
    inputs, targets = got
    fitting = [step for step in range(length - 1) if torch.equal(targets[:, : length - step], inputs[:, step:])]
    return fitting[0] if fitting else -1


@pytest.mark.points(1)
@pytest.mark.hint(1)
def test_targets_are_shifted(learner, agree, same):
    """targets are the inputs one step ahead: targets[:, :-1] equals inputs[:, 1:]"""
    got = learner.make_sequence_data(40, 10, 5)
    same(kind(got), data_kind(40, 10), says="make_sequence_data(40, 10, 5) gives the wrong thing.")
    inputs, targets = got
    wrong = (targets[:, :-1] != inputs[:, 1:]).any(dim=1).nonzero().flatten().tolist()

    def explain(case, at):
        if not wrong:
            return "this is how many steps the targets run ahead of the inputs."
        row = wrong[0]
        return f"row {row} has inputs {inputs[row].tolist()}\n       and targets {targets[row].tolist()}."

    agree(lag, 40, 10, 5, about=DATA, explain=explain)


def successors(side, count, length, seed):
    """For each direction and value, the value that follows it in the data: (2, 8). -1: it varies, -2: none."""
    got = side.make_sequence_data(count, length, seed)
    if kind(got) != data_kind(count, length):
        return kind(got)
    inputs, targets = got
    table = torch.full((2, 8), -2)
    for direction in range(2):
        rows = inputs[:, 0] == direction
        values, answers = inputs[rows, 1:] - 2, targets[rows, 1:] - 2
        for value in range(8):
            found = answers[values == value].unique()
            if len(found):
                table[direction, value] = found[0] if len(found) == 1 else -1
    return table


@pytest.mark.points(2)
@pytest.mark.hint(2)
def test_counting_rules(learner, agree, same):
    """token 0 counts up and token 1 down, modulo 8, and every row keeps to the rules"""
    got = learner.make_sequence_data(256, 12, 6)
    same(kind(got), data_kind(256, 12), says="make_sequence_data(256, 12, 6) gives the wrong thing.")

    def explain(case, at):
        if len(at) != 2:
            return "these are the values that follow each value."
        found = int(case.got[at])
        shown = {-1: "not always the same one", -2: "nothing, as it never occurs"}.get(found, f"{found}")
        return f"counting {COUNTING[at[0]]}, {int(case.expected[at])} comes after {at[1]}; in the data it is {shown}."

    agree(successors, 256, 12, 6, axes=("direction", "value"), about=DATA, explain=explain)

    inputs, targets = got
    full = torch.cat([inputs, targets[:, -1:]], dim=1)
    control, tokens = full[:, :1], full[:, 1:]
    steps = (tokens[:, 1:] - tokens[:, :-1]) % 8
    right = ((control == 0) | (control == 1)).all(dim=1) & ((tokens >= 2) & (tokens <= 9)).all(dim=1)
    right &= (steps == torch.where(control == 0, 1, 7)).all(dim=1)
    wrong = (~right).nonzero().flatten().tolist()
    shown = f"\nRow {wrong[0]} is {full[wrong[0]].tolist()}." if wrong else ""
    same(not wrong, True, says=f"A row is a control token 0 or 1, then tokens 2 to 9 that count up or down.{shown}")


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_every_start_in_both_directions(learner, same):
    """512 sequences hold all eight starts, each of them counting up and counting down"""
    got = learner.make_sequence_data(512, 10, 30)
    same(kind(got), data_kind(512, 10), says="make_sequence_data(512, 10, 30) gives the wrong thing.")
    inputs, _ = got
    met = {(control, token) for control, token in inputs[:, :2].tolist()}
    missing = [
        f"value {start} counting {name}"
        for control, name in enumerate(COUNTING)
        for start in range(8)
        if (control, start + 2) not in met
    ]
    shown = f"\nMissing: {', '.join(missing[:3])}{' and others' if len(missing) > 3 else ''}." if missing else ""
    same(not missing, True, says=f"Direction and start are drawn independently of each other.{shown}")


def seeds_tell(side, count, length):
    first, again, other = (side.make_sequence_data(count, length, seed) for seed in (9, 9, 10))
    for got in (first, again, other):
        if kind(got) != data_kind(count, length):
            return kind(got)

    def equal(left, right):
        return all(torch.equal(a, b) for a, b in zip(left, right, strict=True))

    return {"the same seed gives the same data": equal(first, again), "seeds 9 and 10 differ": not equal(first, other)}


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_seed_decides_the_data(learner, same, agree):
    """the same seed gives the same data, and another seed other data"""
    got = learner.make_sequence_data(40, 6, 9)
    same(kind(got), data_kind(40, 6), says="make_sequence_data(40, 6, 9) gives the wrong thing.")
    agree(seeds_tell, 40, 6, about=DATA)


@pytest.mark.points(1)
@pytest.mark.hint(2)
def test_leaves_the_global_generator_alone(learner, same):
    """make_sequence_data leaves torch's global random generator as it was"""
    # Every call starts from the same seed, and reading an attribute is not a call.
    dice = learner.support.Dice()
    untouched = dice.attr("draw")
    learner.make_sequence_data(7, 5, 3)
    same(dice.attr("draw"), untouched, exact=True, says="torch.rand(3) gives other numbers after the call.")


# manual_lstm_cell


def one_unit(bias, previous_cell):
    """Arguments of a cell of one unit, its pre-activations given as the bias."""
    zero, nothing = torch.zeros(1, 1).double(), torch.zeros(4, 1).double()
    return zero, zero.clone(), torch.tensor([[previous_cell]]).double(), nothing, nothing.clone(), bias


def cell_arguments(rng, batch, size, hidden):
    return (
        rng.normal(size=(batch, size)),
        rng.normal(size=(batch, hidden)),
        2 * rng.normal(size=(batch, hidden)),
        rng.normal(size=(4 * hidden, size)),
        rng.normal(size=(4 * hidden, hidden)),
        rng.normal(size=(4 * hidden,)),
    )


@pytest.mark.points(1)
@pytest.mark.hint(4)
def test_cell_on_the_hand_examples(agree):
    """manual_lstm_cell gives the numbers of both hand examples"""
    three, two = torch.tensor(3.0).double().log(), torch.tensor(2.0).double().log()
    agree("manual_lstm_cell", *one_unit(torch.stack([0 * three, -three, 0 * three, 0 * three]), 3.0))
    agree("manual_lstm_cell", *one_unit(torch.stack([three, 0 * three, two, -three]), 2.0))


@pytest.mark.points(2)
@pytest.mark.hint(3)
def test_cell_on_any_sizes(agree, rng):
    """manual_lstm_cell is right for any sizes, keeps the dtype and leaves its arguments alone"""
    axes = ("batch", "hidden")
    agree("manual_lstm_cell", *cell_arguments(rng, 3, 4, 5), axes=axes, unchanged=True)
    agree("manual_lstm_cell", *cell_arguments(rng, 1, 6, 2), axes=axes)
    agree("manual_lstm_cell", *(value.float() for value in cell_arguments(rng, 2, 3, 4)), axes=axes)
    x, hidden, cell, *parameters = cell_arguments(rng, 4, 3, 2)
    agree("manual_lstm_cell", x.T.clone().T, hidden, cell.T.clone().T, *parameters, axes=axes)


def cell_gradients(side, *arguments):
    leaves = side.support.Leaves(*arguments)
    return leaves.differentiate(side.manual_lstm_cell.keep(*(leaves.take.keep(place) for place in range(6))))


@pytest.mark.points(1)
@pytest.mark.hint(3)
def test_cell_gradients(agree, rng):
    """gradients reach every argument of manual_lstm_cell"""
    arguments = cell_arguments(rng, 2, 3, 4)
    agree("manual_lstm_cell", *arguments, axes=("batch", "hidden"))
    agree(cell_gradients, *arguments, about=("manual_lstm_cell",))


# NextStepLSTM


@pytest.mark.points(1)
@pytest.mark.hint(5)
def test_logit_shapes(learner, same):
    """NextStepLSTM gives float32 logits of shape (batch, length, 10), and the same ones at every call"""
    for batch, length, embedding_size, hidden_size in ((16, 7, 12, 20), (1, 1, 8, 24), (3, 13, 5, 7)):
        inputs, _ = counting_data(batch, length, 1)
        model = learner.NextStepLSTM(embedding_size=embedding_size, hidden_size=hidden_size)
        first, second = model(inputs), model(inputs)
        same(kind(first), f"float32 ({batch}, {length}, 10)", says=f"Token ids {(batch, length)} give wrong logits.")
        same(second, first, exact=True, says="A second call on the same tokens gives other logits: a state is kept.")


def two_bias_count(embedding_size, hidden_size):
    state = embedding_size + hidden_size + 2
    return 10 * embedding_size + 4 * hidden_size * state + 10 * hidden_size + 10


def parameters(side, sizes):
    """Number of parameters, counted as if there were two bias vectors, as torch.nn.LSTM has them; one is right too."""
    embedding_size, hidden_size = sizes or (8, 24)
    model = side.NextStepLSTM(embedding_size=embedding_size, hidden_size=hidden_size) if sizes else side.NextStepLSTM()
    found, expected = model.parameters_count(), two_bias_count(embedding_size, hidden_size)
    return expected if found == expected - 4 * hidden_size else found


@pytest.mark.points(1)
@pytest.mark.hint(5)
def test_number_of_parameters(agree):
    """NextStepLSTM has as many parameters as an embedding, one LSTM and a linear layer of the sizes asked for"""
    for sizes in (None, (12, 20), (5, 7)):
        embedding_size, hidden_size = sizes or (8, 24)
        one = two_bias_count(embedding_size, hidden_size) - 4 * hidden_size
        line = (
            f"sizes {embedding_size} and {hidden_size} take {one + 4 * hidden_size} parameters, or {one} with a single "
            "bias vector."
        )
        agree(parameters, sizes, about=MODEL, explain=lambda case, at, line=line: line)


def moved(side, row, position, same_row):
    """Which logits move when one token is changed: (4, 6), of that row up to the position or of all other rows."""
    inputs, _ = counting_data(4, 6, 2)
    changed = inputs.clone()
    changed[row, position] = 2 + (changed[row, position] - 1) % 8  # another value
    model = side.NextStepLSTM()
    before, after = model(inputs), model(changed)
    for logits in (before, after):
        if kind(logits) != "float32 (4, 6, 10)":
            return kind(logits)
    table = ((after - before).abs() > 1e-6).any(dim=2)
    asked = torch.zeros(4, 6, dtype=torch.bool)
    if same_row:
        asked[row, :position] = True
    else:
        asked[:] = True
        asked[row] = False
    return (table & asked).long()


def explain_moved(row, position):
    return lambda case, at: (
        f"changing the token at position {position} of row {row} moved the logits at position {at[1]} of row {at[0]}."
        if len(at) == 2
        else "1 stands for logits that moved."
    )


@pytest.mark.points(1)
@pytest.mark.hint(6)
def test_causal(agree, learner, same):
    """changing a later token moves no earlier logit"""
    inputs, _ = counting_data(4, 6, 2)
    same(kind(learner.NextStepLSTM()(inputs)), "float32 (4, 6, 10)", says="Token ids (4, 6) give wrong logits.")
    for row, position in ((1, 3), (2, 5)):
        agree(moved, row, position, True, axes=("row", "position"), about=MODEL, explain=explain_moved(row, position))


@pytest.mark.points(1)
@pytest.mark.hint(6)
def test_rows_do_not_mix(agree, learner, same):
    """changing one row of the batch moves no other row"""
    inputs, _ = counting_data(4, 6, 2)
    same(kind(learner.NextStepLSTM()(inputs)), "float32 (4, 6, 10)", says="Token ids (4, 6) give wrong logits.")
    for row, position in ((1, 3), (0, 1)):
        agree(moved, row, position, False, axes=("row", "position"), about=MODEL, explain=explain_moved(row, position))


def look_like_probabilities(side):
    logits = side.NextStepLSTM()(counting_data(4, 6, 2)[0])
    if kind(logits) != "float32 (4, 6, 10)":
        return kind(logits)
    sums = logits.sum(dim=2)
    return bool((logits >= 0).all() and torch.allclose(sums, torch.ones_like(sums), atol=1e-3))


@pytest.mark.points(1)
@pytest.mark.hint(6)
def test_raw_logits(agree):
    """NextStepLSTM returns raw logits, not probabilities"""
    agree(
        look_like_probabilities,
        about=MODEL,
        explain=lambda case, at: "True means that the ten outputs are positive and sum to 1 at every position.",
    )


# memoryless_baseline_loss


@pytest.mark.points(1)
@pytest.mark.hint(7)
def test_baseline(agree):
    """memoryless_baseline_loss knows the rules but not the direction"""
    for length in (10, 1, 7):
        agree("memoryless_baseline_loss", length, tolerance=1e-6)


# train


def one_row(copies):
    """Inputs and targets that repeat one sequence: whichever rows a batch takes, it is the same batch."""
    return (torch.tensor([row] * copies) for row in ([0, 7, 8, 9, 2, 3], [7, 8, 9, 2, 3, 4]))


def losses(side, inputs, targets, settings):
    return side.train(side.support.TinyRecurrent(), inputs, targets, **settings)


@pytest.mark.points(2)
@pytest.mark.hint(8)
def test_train_on_one_row(agree):
    """train gives the right loss at every step, where the batches cannot differ"""
    inputs, targets = one_row(64)
    # Large steps and much clipping part right and wrong by the third loss.
    settings = {"steps": 6, "batch_size": 16, "learning_rate": 0.05, "max_norm": 0.2, "seed": 4}
    agree(losses, inputs, targets, settings, about=TRAIN, tolerance=1e-4)
    agree(losses, inputs, targets, {"steps": 8}, about=TRAIN, tolerance=1e-4)


@pytest.mark.points(1)
@pytest.mark.hint(9)
def test_train_clips_gradients(agree):
    """train clips the gradient norm: max_norm = 1e-12 leaves nothing of Adam's step"""
    inputs, targets = one_row(64)
    agree(losses, inputs, targets, {"steps": 5, "max_norm": 1e-12}, about=TRAIN, tolerance=1e-4)


def is_losses(value):
    return type(value) is list and all(type(loss) is float for loss in value)


def batches_tell(side, inputs, targets):
    def trained(seed, salt=None):
        model = side.support.TinyRecurrent(salt=salt)
        return side.train(model, inputs, targets, steps=5, batch_size=8, seed=seed)

    first, again, other, salted, salted_otherwise = trained(1), trained(1), trained(2), trained(1, 5), trained(1, 6)
    for got in (first, again, other, salted, salted_otherwise):
        if not is_losses(got):
            return kind(got)
    return {
        "the same seed repeats the losses": first == again,
        "another seed changes them": first != other,
        "global generators do not matter": salted == salted_otherwise,
    }


@pytest.mark.points(1)
@pytest.mark.hint(9)
def test_train_seed_decides_the_batches(learner, same, agree):
    """the batches of train depend on the seed, and on nothing else"""
    data = counting_data(200, 6, 3)
    got = learner.train(learner.support.TinyRecurrent(), *data, steps=2)
    same(is_losses(got), True, says="train must return a list of Python floats, one for each step.")
    agree(batches_tell, *data, about=TRAIN)


def how_trained(side, inputs, targets):
    model = side.support.TinyRecurrent(training=False)
    side.train(model, inputs, targets, steps=3, batch_size=16)
    return {
        "calls in evaluation mode": model.attr("calls_in_evaluation"),
        "calls in all": model.attr("calls"),
        "shape of a batch": model.attr("last_shape"),
    }


@pytest.mark.points(1)
@pytest.mark.hint(8)
def test_train_calls_the_model_on_batches(agree):
    """train calls the model in training mode, once for each step, on batch_size whole rows"""
    agree(how_trained, *one_row(64), about=TRAIN)


# evaluate and loss_by_position


def table_data(rng):
    """A table of float32 logits that knows counting up, and data of 9 rows and 6 positions that it is half right on."""
    table = rng.normal(size=(10, 10)).float()
    for token in range(2, 10):
        table[token, 2 if token == 9 else token + 1] += 3
    return table, *counting_data(9, 6, 7)


def on_table(side, function, table, inputs, targets):
    return getattr(side, function)(side.support.TableModel(table), inputs, targets)


def on_dropout(side, function, inputs, targets):
    return getattr(side, function)(side.support.TinyRecurrent(dropout=0.5), inputs, targets)


def modes(side, function, inputs, targets):
    """In which mode a model is after it was measured, for each mode that it was found in."""
    names = {True: "training", False: "evaluation"}
    found = {}
    for training, name in names.items():
        model = side.support.TinyRecurrent(training=training)
        getattr(side, function)(model, inputs, targets)
        found[f"found in {name}"] = f"left in {names[model.attr('training') is True]}"
    return found


def gradient_calls(side, function, inputs, targets):
    model = side.support.TinyRecurrent()
    getattr(side, function)(model, inputs, targets)
    return model.attr("calls_with_gradients")


def check_measuring(agree, function, axes=()):
    data = counting_data(5, 7, 8)
    agree(on_dropout, function, *data, about=(function,), axes=axes, tolerance=1e-5)
    agree(
        gradient_calls,
        function,
        *data,
        about=(function,),
        explain=lambda case, at: "this is how many times the model was called with gradients on.",
    )


@pytest.mark.points(2)
@pytest.mark.hint(10)
def test_evaluate_figures(agree, learner, same, rng):
    """evaluate gives the mean loss and the accuracy"""
    table, inputs, targets = table_data(rng)
    agree(on_table, "evaluate", table, inputs, targets, about=("evaluate",), tolerance=1e-5)
    logits = table.double()[inputs]
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item()
    accuracy = (logits.argmax(dim=2) == targets).double().mean().item()
    got = on_table(learner, "evaluate", table, inputs, targets)
    same(got, (loss, accuracy), tolerance=1e-5, says="The figures are not those of the model's logits.")


@pytest.mark.points(1)
@pytest.mark.hint(10)
def test_evaluate_without_dropout(agree):
    """evaluate calls the model in evaluation mode and without gradients"""
    check_measuring(agree, "evaluate")


@pytest.mark.points(1)
@pytest.mark.hint(10)
def test_evaluate_restores_the_mode(agree):
    """evaluate leaves the model in the mode it was found in"""
    agree(modes, "evaluate", *counting_data(5, 7, 8), about=("evaluate",))


@pytest.mark.points(1)
@pytest.mark.hint(11)
def test_loss_by_position(agree, rng):
    """loss_by_position averages over the rows, one loss for each position"""
    table, inputs, targets = table_data(rng)
    function = "loss_by_position"
    for rows, steps in ((9, 6), (9, 1), (1, 6)):
        data = inputs[:rows, :steps], targets[:rows, :steps]
        agree(on_table, function, table, *data, about=(function,), axes=("position",), tolerance=1e-5)


@pytest.mark.points(1)
@pytest.mark.hint(11)
def test_loss_by_position_without_dropout(agree):
    """loss_by_position measures as evaluate does: evaluation mode, no gradients, mode restored"""
    check_measuring(agree, "loss_by_position", axes=("position",))
    agree(modes, "loss_by_position", *counting_data(5, 7, 8), about=("loss_by_position",))


# remove_control_token and memoryless_logits


@pytest.mark.points(1)
@pytest.mark.hint(12)
def test_remove_control_token(learner, same):
    """remove_control_token makes the first column one constant token and keeps the rest"""
    inputs, _ = counting_data(6, 5, 4)
    up, down = torch.tensor([[0, 4, 5]]), torch.tensor([[1, 4, 3]])
    constants = set()
    for given in (inputs, up, down):
        got = learner.remove_control_token(given)
        same(kind(got), f"int64 {tuple(given.shape)}", says=f"Inputs {tuple(given.shape)} give the wrong thing.")
        same(got[:, 1:], given[:, 1:], axes=("row", "position"), says="Columns other than the first have changed.")
        constants |= set(got[:, 0].tolist())
    shown = ", ".join(str(token) for token in sorted(constants))
    says = f"The first column holds the tokens {shown}: it must be one and the same for every row of every call."
    same(len(constants) == 1, True, says=says)
    same(constants <= set(range(10)), True, says=f"{shown} is not one of the tokens 0 to 9, which a model can read.")


@pytest.mark.points(1)
@pytest.mark.hint(12)
def test_removing_the_control_token_leaves_the_argument_alone(learner, same):
    """remove_control_token does not modify its argument"""
    inputs = torch.tensor([[0, 4, 5], [1, 4, 3]])
    given = learner.put(inputs)
    learner.remove_control_token(given)
    same(given.get(), inputs, exact=True, axes=("row", "position"), says="The argument has changed.")


def reset_logits(side, token_ids):
    return side.memoryless_logits(side.support.TinyRecurrent(), token_ids)


def reset_logits_of_table(side, table, token_ids):
    return side.memoryless_logits(side.support.TableModel(table), token_ids)


def reset_logits_record_gradients(side, token_ids):
    model = side.support.TinyRecurrent(training=False)
    recorded = side.memoryless_logits.keep(model, token_ids).attr("requires_grad")
    return {"gradients are recorded": recorded, "the model is in training mode": model.attr("training")}


@pytest.mark.points(2)
@pytest.mark.hint(13)
def test_memoryless_logits(agree, rng):
    """memoryless_logits reads every token from a state of zeros"""
    settings = {"about": ("memoryless_logits",), "axes": ("row", "position", "token"), "tolerance": 1e-5}
    token_ids, _ = counting_data(4, 7, 9)
    agree(reset_logits, token_ids, **settings)
    agree(reset_logits, token_ids[:1, :1], **settings)
    agree(reset_logits_of_table, rng.normal(size=(10, 10)).float(), token_ids, **settings)


@pytest.mark.points(1)
@pytest.mark.hint(13)
def test_memoryless_logits_can_be_trained(agree):
    """memoryless_logits records gradients and leaves the mode alone"""
    agree(reset_logits_record_gradients, counting_data(4, 7, 9)[0], about=("memoryless_logits",))


# Put together


@pytest.mark.points(3)
@pytest.mark.hint(6)
def test_learns_to_count(learner, same):
    """NextStepLSTM learns the rule with train: held-out loss under 0.30, accuracy over 0.89, two seeds"""
    for seed in (0, 1):
        inputs, targets = counting_data(512, 10, 100 + seed)
        held_inputs, held_targets = counting_data(256, 10, 200 + seed)
        model = learner.NextStepLSTM()
        learner.train(model, inputs, targets, steps=300, seed=seed)
        logits = model(held_inputs)
        same(kind(logits), "float32 (256, 10, 10)", says="Token ids (256, 10) give wrong logits.")
        loss = F.cross_entropy(logits.double().flatten(0, 1), held_targets.flatten()).item()
        accuracy = (logits.argmax(dim=2) == held_targets).double().mean().item()
        after = f"After 300 steps with seed {seed} the held-out"
        same(loss < 0.30, True, says=f"{after} loss is {loss:.3f}, not under 0.30.")
        same(accuracy > 0.89, True, says=f"{after} accuracy is {accuracy:.3f}, not over 0.89.")


def reported_loss(side):
    """Which loss the program's `run` reports as the held-out one, told by the model it has trained."""
    model = side.support.TinyRecurrent()
    figures = side.run(model, 3)
    data = side.make_sequence_data(256, 10, 40)
    if type(figures) is not dict or not {"held_out_loss", "train_loss"} <= set(figures):
        return f"a {kind(figures)} without held_out_loss and train_loss"
    reported, trained = figures["held_out_loss"], figures["train_loss"]
    if type(reported) is not float or type(trained) is not float:
        return "losses that are not numbers"
    if kind(data) != data_kind(256, 10):
        return kind(data)
    inputs, targets = data
    if inputs.min() < 0 or inputs.max() > 9 or targets.min() < 0 or targets.max() > 9:
        return "tokens that are not 0 to 9"
    logits = model(inputs)
    if kind(logits) != "float32 (256, 10, 10)":
        return kind(logits)
    held_out = F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item()
    if abs(reported - held_out) < 1e-4:
        return "the held-out loss"
    return "the training loss" if reported == trained else "another number"


@pytest.mark.points(1)
@pytest.mark.hint(14)
def test_program_reports_the_held_out_loss(agree):
    """the program's held-out loss is measured on the held-out data"""
    agree(
        reported_loss,
        about=("run",),
        explain=lambda case, at: "after three steps, `run` must report the loss on the 256 held-out rows.",
    )
