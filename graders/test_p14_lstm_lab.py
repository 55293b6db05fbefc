"""Checks of problem 14, the LSTM lab.

Sequences and initial parameters of a right answer are not unique, so much is checked by its properties: a program
takes a side (learner, reference or pitfall), asks it for values and returns what they amount to.

Every function is checked on data and models made here, so that one unfinished function costs only its own points.
Only the last two checks put the learner's functions together, and what trains comes last. A check is worth one point
where it does not say more.
"""

import random

import pytest
import torch
from torch.nn import functional as F

COUNTING = ("up", "down")
DATA, MODEL, TRAIN = ("make_sequence_data",), ("NextStepLSTM",), ("train",)  # whose pitfalls explain a failure
LOGITS = ("batch", "length", "token")


def counted(control, token, steps):
    """A sequence by the rules: the control token, then `steps` tokens from `token` on."""
    row = [control]
    for _ in range(steps):
        row.append(token)
        token = (token - 2 + (1, -1)[control]) % 8 + 2
    return row


def counting_data(count, length, seed):
    """Inputs and targets of a grader's own making."""
    dice = random.Random(seed)
    full = torch.tensor([counted(dice.randrange(2), dice.randrange(2, 10), length) for _ in range(count)])
    return full[:, :-1].clone(), full[:, 1:].clone()


@pytest.fixture
def draw(shaped):
    """make_sequence_data of a side, once its result is found to be two int64 tensors of the right shape."""

    def drawn(side, count, length, seed):
        got = side.make_sequence_data(count, length, seed)
        like = torch.zeros(count, length, dtype=torch.long)
        shaped(got, (like, like), axes=("count", "sequence_length"))
        return got

    return drawn


@pytest.fixture
def logits_of(shaped):
    """Logits of a remote model, once they are found to be float32 of the right shape."""

    def called(model, token_ids):
        got = model(token_ids)
        shaped(got, torch.zeros(*token_ids.shape, 10), axes=("batch", "length", "vocabulary"))
        return got

    return called


# make_sequence_data


@pytest.mark.hint(1)
def test_data_shapes_and_types(learner, draw, same):
    """make_sequence_data gives inputs and targets, both torch.long of shape (count, sequence_length), of tokens 0 to 9"""
    for count, length in ((512, 10), (7, 5), (3, 1), (5, 2), (1, 10)):
        tokens = torch.stack(draw(learner, count, length, 3))
        low, high = int(tokens.min()), int(tokens.max())
        says = f"make_sequence_data({count}, {length}, 3) gives tokens from {low} to {high}: they must be 0 to 9."
        same(low >= 0 and high <= 9, True, says=says)


def lag(inputs, targets):
    """By how many steps the targets run ahead of the inputs; -1 where no single number fits."""
    length = inputs.shape[1]
    fitting = [step for step in range(length - 1) if torch.equal(targets[:, : length - step], inputs[:, step:])]
    return fitting[0] if fitting else -1


@pytest.mark.hint(1)
def test_targets_are_shifted(learner, draw, agree):
    """targets are the inputs one step ahead: targets[:, :-1] equals inputs[:, 1:]"""

    def explain(case, at):
        inputs, targets = draw(learner, 40, 10, 5)
        row = int((targets[:, :-1] != inputs[:, 1:]).any(dim=1).long().argmax())  # a row that shows it
        shown = f"Row {row} has inputs {inputs[row].tolist()} and targets {targets[row].tolist()}."
        return f"this is how many steps the targets run ahead of the inputs.\n{shown}"

    agree(lambda side: lag(*draw(side, 40, 10, 5)), about=DATA, explain=explain)


def successors(inputs, targets):
    """For each direction and value, the value that follows it in the data: (2, 8). -1: it varies, -2: none."""
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
def test_counting_rules(learner, draw, agree, same):
    """token 0 counts up and token 1 down, modulo 8, and every row keeps to the rules"""

    def explain(case, at):
        found = int(case.got[at])
        shown = {-1: "not always the same one", -2: "nothing, as it never occurs"}.get(found, f"{found}")
        return f"counting {COUNTING[at[0]]}, {int(case.expected[at])} comes after {at[1]}; in the data it is {shown}."

    axes = ("direction", "value")
    agree(lambda side: successors(*draw(side, 256, 12, 6)), axes=axes, about=DATA, explain=explain)
    inputs, targets = draw(learner, 256, 12, 6)
    for row in torch.cat([inputs, targets[:, -1:]], dim=1).tolist():
        right = row[0] in (0, 1) and 2 <= row[1] <= 9 and row == counted(row[0], row[1], 12)
        says = "A row is a control token 0 or 1, then tokens 2 to 9 that count up or down."
        same(right, True, says=f"{says}\nOne row is {row}.")


@pytest.mark.hint(2)
def test_every_start_in_both_directions(learner, draw, same):
    """all eight starts occur counting up and counting down, equally often, all through the data"""
    # The bounds are more than six standard deviations away, so that chance does not fail a right answer.
    for count, least, most in ((512, 1, 512), (4096, 150, 370)):
        inputs, _ = draw(learner, count, 2, 30)
        for start in range(8):
            for control, name in enumerate(COUNTING):
                met = int(((inputs[:, 0] == control) & (inputs[:, 1] == start + 2)).sum())
                says = f"Of {count} sequences {met} count {name} from value {start}: about {count // 16} should, "
                says += "since both directions and all starts are equally likely and independent of each other."
                same(least <= met <= most, True, says=says)
    for half, controls in zip(("first", "second"), inputs[:, 0].chunk(2), strict=True):
        met = int((controls == 0).sum())
        says = f"Of the {half} 2048 of 4096 sequences {met} count up: about half should, anywhere in the data."
        same(870 <= met <= 1180, True, says=says)


@pytest.mark.hint(2)
def test_seed_decides_the_data(learner, draw, same, agree):
    """the same seed gives the same data, and another seed other data"""

    def seeds_tell(side):
        first, again, other = (torch.stack(draw(side, 40, 6, seed)) for seed in (9, 9, 10))
        equal, differ = torch.equal(first, again), not torch.equal(first, other)
        return {"the same seed gives the same data": equal, "seeds 9 and 10 differ": differ}

    agree(seeds_tell, about=DATA)
    one, other = (learner.support.data_and_draw(salt, 40, 6, 9).get()[0] for salt in (5, 6))
    says = "The data for seed 9 change with the state of a global generator: they must depend on the seed alone."
    same(one, other, exact=True, axes=("count", "sequence_length"), says=says)


@pytest.mark.hint(2)
def test_leaves_the_global_generator_alone(learner, same):
    """make_sequence_data leaves torch's global random generator as it was"""
    learner.make_sequence_data(7, 5, 3)
    _, drawn = learner.support.data_and_draw(5, 7, 5, 3).get()
    untouched = torch.rand(3, generator=torch.Generator().manual_seed(5))
    same(drawn, untouched, exact=True, says="torch.rand(3) gives other numbers after the call than without it.")


# manual_lstm_cell


def cell_arguments(rng, batch, size, hidden):
    shapes = ((batch, size), (batch, hidden), (batch, hidden), (4 * hidden, size), (4 * hidden, hidden), (4 * hidden,))
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.hint(4)
def test_cell_on_the_hand_examples(agree, examples):
    """manual_lstm_cell gives the numbers of both hand examples"""
    for name in ("forget_quarter", "four_gates"):
        agree("manual_lstm_cell", *examples[name].arguments.values())


@pytest.mark.points(2)
@pytest.mark.hint(3)
def test_cell_on_any_sizes(agree, rng):
    """manual_lstm_cell is right for any sizes, keeps the dtype and leaves its arguments alone"""
    axes = ("batch", "hidden")
    agree("manual_lstm_cell", *cell_arguments(rng, 3, 4, 5), axes=axes, unchanged=True)
    for sizes in ((1, 6, 2), (3, 3, 3)):
        agree("manual_lstm_cell", *cell_arguments(rng, *sizes), axes=axes)
    agree("manual_lstm_cell", *(value.float() for value in cell_arguments(rng, 2, 3, 4)), axes=axes)
    x, hidden, cell, *parameters = cell_arguments(rng, 4, 3, 2)
    agree("manual_lstm_cell", x.T.clone().T, hidden, cell.T.clone().T, *parameters, axes=axes)


def cell_gradients(side, *arguments):
    leaves = side.support.Leaves(*arguments)
    return leaves.differentiate(side.manual_lstm_cell.keep(*(leaves.take.keep(place) for place in range(6))))


@pytest.mark.hint(3)
def test_cell_gradients(agree, rng):
    """gradients reach every argument of manual_lstm_cell"""
    arguments = cell_arguments(rng, 2, 3, 4)
    agree("manual_lstm_cell", *arguments, axes=("batch", "hidden"))
    agree(cell_gradients, *arguments, about=("manual_lstm_cell",))


# NextStepLSTM


@pytest.mark.hint(5)
def test_logit_shapes(learner, logits_of, same):
    """NextStepLSTM gives float32 logits of shape (batch, length, 10), the same ones for the same tokens"""
    for batch, length, embedding_size, hidden_size in ((16, 7, 12, 20), (1, 1, 8, 24), (3, 13, 5, 7)):
        inputs, _ = counting_data(batch, length, 1)
        inputs[-1] = inputs[0]
        model = learner.NextStepLSTM(embedding_size=embedding_size, hidden_size=hidden_size)
        first, second = logits_of(model, inputs), logits_of(model, inputs)
        says = "A second call on the same tokens gives other logits: a state is kept."
        same(second, first, exact=True, axes=LOGITS, says=says)
        says = "Two rows of the same tokens get different logits: something random, or another row, takes part."
        same(first[-1], first[0], axes=LOGITS[1:], says=says)


def two_bias_count(embedding_size, hidden_size):
    state = embedding_size + hidden_size + 2
    return 10 * embedding_size + 4 * hidden_size * state + 10 * hidden_size + 10


def parameters(side, sizes):
    """Number of parameters, counted as if there were two bias vectors, as torch.nn.LSTM has them; one is right too."""
    embedding_size, hidden_size = sizes or (8, 24)
    model = side.NextStepLSTM(embedding_size=embedding_size, hidden_size=hidden_size) if sizes else side.NextStepLSTM()
    found, expected = model.parameters_count(), two_bias_count(embedding_size, hidden_size)
    return expected if found == expected - 4 * hidden_size else found


@pytest.mark.hint(5)
def test_number_of_parameters(agree):
    """NextStepLSTM has as many parameters as an embedding, one LSTM and a linear layer of the sizes asked for"""
    for sizes in (None, (12, 20), (5, 7)):
        embedding_size, hidden_size = sizes or (8, 24)
        two = two_bias_count(embedding_size, hidden_size)
        line = f"embedding_size {embedding_size} and hidden_size {hidden_size} take {two} parameters"
        line += f", or {two - 4 * hidden_size} with a single bias vector in the LSTM."
        agree(parameters, sizes, about=MODEL, explain=lambda case, at, line=line: line)


def logits_of_equal_parameters(value, biases, length):
    """Logits of default sizes, at each position, where all parameters are `value`: all tokens, gates and units are alike."""
    cell = hidden = torch.zeros(())
    logits = []
    for _ in range(length):
        raw = value * (8 * value + 24 * hidden + biases)
        cell = torch.sigmoid(raw) * (cell + torch.tanh(raw))
        hidden = torch.sigmoid(raw) * torch.tanh(cell)
        logits.append(value * (24 * hidden + 1))
    return torch.stack(logits)[None, :, None]


@pytest.mark.hint(6)
def test_raw_logits(agree, logits_of):
    """NextStepLSTM returns the raw logits of an LSTM that starts from zeros: seen with all parameters made equal"""
    value, inputs = 0.15, torch.tensor([[0, 4, 5, 6], [1, 4, 3, 2]])

    def logits(side):
        model = side.NextStepLSTM()
        single_bias = model.parameters_count() == two_bias_count(8, 24) - 4 * 24
        side.support.fill(model, value)
        got = logits_of(model, inputs)
        if single_bias:  # is right too; its logits are told as those of two
            got = got + logits_of_equal_parameters(value, 2, 4) - logits_of_equal_parameters(value, 1, 4)
        return got

    def explain(case, at):
        return f"with every parameter {value}, only the way in which the layers are put together counts."

    agree(logits, axes=LOGITS, about=MODEL, explain=explain)


@pytest.mark.points(2)
@pytest.mark.hint(6)
def test_causal(agree, logits_of):
    """changing a token moves the logits of its row from its position on: no earlier one, and none of another row"""
    for row, position in ((1, 3), (2, 5), (0, 1)):

        def moved(side, row=row, position=position):
            inputs, _ = counting_data(4, 6, 2)
            changed = inputs.clone()
            changed[row, position] = 2 + (changed[row, position] - 1) % 8  # another value
            # Two models of equal parameters, so that a state kept between calls does not show here.
            before, after = logits_of(side.NextStepLSTM(), inputs), logits_of(side.NextStepLSTM(), changed)
            return ((after - before).abs() > 1e-6).any(dim=2).long()

        def explain(case, at, row=row, position=position):
            said = "did not move" if case.expected[at] else "moved"
            there = f"the logits at position {at[1]} of row {at[0]}"
            return f"changing the token at position {position} of row {row} {said} {there}."

        agree(moved, axes=("row", "position"), about=MODEL, explain=explain)


# memoryless_baseline_loss


@pytest.mark.hint(7)
def test_baseline(agree):
    """memoryless_baseline_loss knows the rules but not the direction"""
    for length in (10, 1, 7):
        agree("memoryless_baseline_loss", length, tolerance=1e-6)


# evaluate and loss_by_position


def table_data(rng):
    """A table of float32 logits that knows counting up, and data of 311 rows that it is half right on.

    311 is a prime, so that whoever measures in batches has a last one of another size; and more than 256.
    """
    table = rng.normal(size=(10, 10)).float()
    for token in range(2, 10):
        table[token, counted(0, token, 2)[-1]] += 3
    return table, *counting_data(311, 6, 7)


def on_table(side, function, table, inputs, targets):
    return getattr(side, function)(side.support.TableModel(table), inputs, targets)


def on_dropout(side, function, inputs, targets):
    """The figures of a model that is found in training mode and has dropout, and how it was called."""
    model = side.support.TinyRecurrent(dropout=0.5)
    figures = getattr(side, function)(model, inputs, targets)
    return {"figures": figures, "calls with gradients on": model.attr("calls_with_gradients")}


def modes(side, function, inputs, targets):
    """In which mode a model is after it was measured, for each mode that it was found in."""
    names = {True: "training", False: "evaluation"}
    found = {}
    for training, name in names.items():
        model = side.support.TinyRecurrent(training=training)
        getattr(side, function)(model, inputs, targets)
        found[f"found in {name} mode"] = f"left in {names[model.attr('training') is True]} mode"
    return found


@pytest.mark.points(2)
@pytest.mark.hint(10)
def test_evaluate_figures(agree, rng):
    """evaluate gives the mean loss and the accuracy"""
    table, inputs, targets = table_data(rng)
    for rows in (311, 1):
        data = inputs[:rows], targets[:rows]
        agree(on_table, "evaluate", table, *data, about=("evaluate",), tolerance=1e-5)


@pytest.mark.hint(10)
def test_evaluate_without_dropout(agree):
    """evaluate calls the model in evaluation mode and without gradients"""
    agree(on_dropout, "evaluate", *counting_data(5, 7, 8), about=("evaluate",), tolerance=1e-5)


@pytest.mark.hint(10)
def test_evaluate_restores_the_mode(agree):
    """evaluate leaves the model in the mode it was found in"""
    agree(modes, "evaluate", *counting_data(5, 7, 8), about=("evaluate",))


@pytest.mark.hint(11)
def test_loss_by_position(agree, rng):
    """loss_by_position averages over the rows, one loss for each position, in the dtype of the logits"""
    function = "loss_by_position"
    table, inputs, targets = table_data(rng)
    for rows, steps in ((149, 6), (9, 1), (1, 6)):
        data = inputs[:rows, :steps], targets[:rows, :steps]
        agree(on_table, function, table, *data, about=(function,), axes=("position",), tolerance=1e-5)
    agree(on_table, function, table.double(), inputs, targets, about=(function,), axes=("position",), tolerance=1e-5)


@pytest.mark.hint(11)
def test_loss_by_position_without_dropout(agree):
    """loss_by_position measures as evaluate does: evaluation mode, no gradients, mode restored"""
    data = counting_data(5, 7, 8)
    for program in (on_dropout, modes):
        agree(program, "loss_by_position", *data, about=("loss_by_position",), axes=("position",), tolerance=1e-5)


# remove_control_token and memoryless_logits


@pytest.mark.hint(12)
def test_remove_control_token(learner, shaped, same):
    """remove_control_token makes the first column one constant token and keeps the rest"""
    constants = set()
    for given in (counting_data(6, 5, 4)[0], torch.tensor([[0, 4, 5]]), torch.tensor([[1, 4, 3]])):
        got = learner.remove_control_token(given)
        shaped(got, given, axes=("count", "length"))
        same(got[:, 1:], given[:, 1:], axes=("row", "position"), says="Columns other than the first have changed.")
        constants |= set(got[:, 0].tolist())
    shown = ", ".join(str(token) for token in sorted(constants))
    says = f"The first column holds the tokens {shown}: it must be one and the same for every row of every call."
    same(len(constants) == 1, True, says=says)
    same(constants <= set(range(10)), True, says=f"{shown} is not one of the tokens 0 to 9, which a model can read.")


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


def reset_logits_and_mode(side, token_ids, training):
    model = side.support.TinyRecurrent(training=training)
    recorded = side.memoryless_logits.keep(model, token_ids).attr("requires_grad")
    wrong_mode = model.attr("calls_in_evaluation" if training else "calls_in_training")
    return {
        "gradients are recorded": recorded,
        f"calls outside {'training' if training else 'evaluation'} mode": wrong_mode,
        "the model is in training mode afterwards": model.attr("training"),
    }


@pytest.mark.points(2)
@pytest.mark.hint(13)
def test_memoryless_logits(agree, rng):
    """memoryless_logits reads every token from a state of zeros"""
    settings = {"about": ("memoryless_logits",), "axes": LOGITS, "tolerance": 1e-5}
    token_ids, _ = counting_data(4, 7, 9)
    agree(reset_logits, token_ids, **settings)
    agree(reset_logits, token_ids[:1, :1], **settings)
    agree(reset_logits_of_table, rng.normal(size=(10, 10)).float(), token_ids, **settings)


@pytest.mark.hint(13)
def test_memoryless_logits_can_be_trained(agree):
    """memoryless_logits records gradients and leaves the mode alone"""
    for training in (True, False):
        agree(reset_logits_and_mode, counting_data(4, 7, 9)[0], training, about=("memoryless_logits",))


# train


def one_row(copies):
    """Inputs and targets that repeat one sequence: whichever rows a batch takes, it is the same batch."""
    return (torch.tensor([row] * copies) for row in ([0, 7, 8, 9, 2, 3], [7, 8, 9, 2, 3, 4]))


def trained(side, inputs, targets, settings):
    model = side.support.TinyRecurrent()
    losses = side.train(model, inputs, targets, **settings)
    return {"losses": losses, "logits of the model afterwards": model(inputs[:1])}


@pytest.mark.points(2)
@pytest.mark.hint(8)
def test_train_on_one_row(agree):
    """train gives the right loss at every step, where the batches cannot differ, and updates the model itself"""
    inputs, targets = one_row(64)
    # Large steps and much clipping part right and wrong early.
    settings = {"steps": 12, "batch_size": 16, "learning_rate": 0.05, "max_norm": 0.2, "seed": 4}
    agree(trained, inputs, targets, settings, axes=LOGITS, about=TRAIN, tolerance=1e-4)
    agree(trained, inputs, targets, {"steps": 8}, axes=LOGITS, about=TRAIN, tolerance=1e-4)


@pytest.mark.hint(9)
def test_train_clips_gradients(agree):
    """train clips the gradient norm: max_norm = 1e-12 leaves nothing of Adam's step"""

    def losses(side):
        return trained(side, *one_row(64), {"steps": 5, "max_norm": 1e-12})["losses"]

    agree(losses, about=TRAIN, tolerance=1e-4, axes=("step",))


@pytest.mark.hint(9)
def test_train_seed_decides_the_batches(shaped, agree):
    """the batches of train depend on the seed, and on nothing else"""
    data = counting_data(200, 6, 3)

    def batches_tell(side):
        def losses(seed, salt=None):
            got = side.train(side.support.TinyRecurrent(salt=salt), *data, steps=5, batch_size=8, seed=seed)
            shaped(got, [0.0] * 5)
            return got

        first = losses(1)
        return {
            "the same seed repeats the losses": first == losses(1),
            "another seed changes them": first != losses(2),
            "global generators do not matter": losses(1, salt=5) == losses(1, salt=6),
        }

    agree(batches_tell, about=TRAIN)


@pytest.mark.hint(8)
def test_train_calls_the_model_on_batches(agree, learner, shaped, same):
    """train calls the model in training mode, once for each step, on a new batch of batch_size rows"""
    inputs, targets = counting_data(200, 6, 3)

    def calls(side):
        model = side.support.TinyRecurrent(training=False)
        side.train(model, inputs, targets, steps=3, batch_size=16)
        return {
            "calls in evaluation mode": model.attr("calls_in_evaluation"),
            "shapes of the batches": model.attr("shapes"),
            "calls on a batch met before": model.attr("repeated_batches"),
        }

    agree(calls, about=TRAIN)
    model, fresh = learner.support.TinyRecurrent(), learner.support.TinyRecurrent()
    got = learner.train(model, inputs, targets, steps=1, batch_size=16), model.attr("last_batch")
    shaped(got, ([0.0], inputs[:16]))
    losses, batch = got
    targets_of = {str(row): answers for row, answers in zip(inputs.tolist(), targets.tolist(), strict=True)}
    answers = [targets_of.get(str(row)) for row in batch.tolist()]
    same(None not in answers, True, says="The model is called on rows that are not rows of `inputs`.")
    loss = F.cross_entropy(fresh(batch).flatten(0, 1), torch.tensor(answers).flatten()).item()
    says = "The loss of a step is not that of the model's logits against the targets of the same rows."
    same(losses[0], loss, tolerance=1e-5, says=says)


@pytest.mark.hint(8)
def test_train_draws_from_all_rows(agree, rng):
    """the batches of train are drawn from all rows"""
    sequences = rng.integers(0, 10, size=(48, 7))
    inputs, targets = sequences[:, :-1].contiguous(), sequences[:, 1:].contiguous()

    def drawn(side):
        model = side.support.TinyRecurrent()
        # By chance a row is left out in 48 * (47/48) ** 800, or 2 of a million, at the most.
        side.train(model, inputs, targets, steps=50, batch_size=16)
        return {"rows that were drawn, of 48": model.attr("distinct_rows")}

    agree(drawn, about=TRAIN)


# Put together


@pytest.mark.hint(14)
def test_program_reports_the_held_out_loss(agree, draw, shaped):
    """the program's held-out loss is measured on the held-out data"""

    def reported(side):
        """Which loss `run` reports as the held-out one, told by the model it has trained."""
        model, figures = side.support.TinyRecurrent(), {"held_out_loss": 0.0, "train_loss": 0.0}
        got = side.run(model, 3)
        shaped({name: got.get(name) for name in figures} if type(got) is dict else got, figures)
        inputs, targets = draw(side, 256, 10, 40)
        held_out = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()
        if abs(got["held_out_loss"] - held_out) < 1e-4:
            return "the held-out loss"
        return "the training loss" if got["held_out_loss"] == got["train_loss"] else "another number"

    def explain(case, at):
        return "after three steps, `run` must report the loss on the 256 held-out rows."

    agree(reported, about=("run",), explain=explain)


@pytest.mark.points(3)
@pytest.mark.hint(6)
def test_learns_to_count(learner, logits_of, same):
    """NextStepLSTM learns the rule with train: held-out loss under 0.30, accuracy over 0.89, two seeds"""
    for seed in (0, 1):
        inputs, targets = counting_data(512, 10, 100 + seed)
        held_inputs, held_targets = counting_data(256, 10, 200 + seed)
        model = learner.NextStepLSTM()
        learner.train(model, inputs, targets, steps=300, seed=seed)
        logits = logits_of(model, held_inputs)
        loss = F.cross_entropy(logits.double().flatten(0, 1), held_targets.flatten()).item()
        accuracy = (logits.argmax(dim=2) == held_targets).double().mean().item()
        after = f"After 300 steps with seed {seed} the held-out"
        same(loss < 0.30, True, says=f"{after} loss is {loss:.3f}, not under 0.30.")
        same(accuracy > 0.89, True, says=f"{after} accuracy is {accuracy:.3f}, not over 0.89.")
