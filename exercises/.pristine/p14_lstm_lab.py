"""Problem 14: LSTM lab, train a gated sequence predictor.

The task is to count. Token 0 says "count up", token 1 says "count down", tokens 2 to 9 stand for the values 0 to 7,
and counting wraps modulo 8: 6, 7, 0 going up and 1, 0, 7 going down. A sequence is a control token, a start and the
values that follow. The model reads all tokens but the last and predicts all but the first:

    full     0  4  5  6  7        count up from value 2
    inputs   0  4  5  6
    targets  4  5  6  7

After value 3 the answer is 4 or 2, and only the control token, seen once at the start, tells which. So a model has to
remember. An LSTM does that on its cell, a path where the forget gate f scales what is kept and the input gate i what
is added; the output gate o says how much of the cell is shown as the hidden state:

    c = f * c_prev + i * g        h = o * tanh(c)

Nine pieces are to be written, in any order; each is graded on its own. Then run the program:

    python exercises/p14_lstm_lab.py [--steps N] [--smoke-test]

Fill in the functions below, then run:  workbook grade 14
"""

import argparse
import math
import traceback

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

COUNT_UP, COUNT_DOWN = 0, 1
FIRST_VALUE = 2  # the token of value 0; value v is token v + 2
VALUES = 8
VOCABULARY = 10


def make_sequence_data(
    count: int, sequence_length: int, seed: int
) -> tuple[Int[Tensor, "count sequence_length"], Int[Tensor, "count sequence_length"]]:
    """Draw counting sequences and cut each into what is read and what is to be predicted.

    Args:
        count: how many sequences.
        sequence_length: tokens in an input row, the control token included. A target row is as long.
        seed: the same seed gives the same data, another seed gives other data.

    Returns:
        (inputs, targets), both torch.long. A full sequence has sequence_length + 1 tokens: the control token, a
        start, then each value one above (COUNT_UP) or one below (COUNT_DOWN) the value before, modulo 8. `inputs`
        is all but its last token, `targets` all but its first. Both directions and all eight starts are equally
        likely, and independent of each other.

    Draw from a torch.Generator of your own, seeded with `seed`: torch's global generator stays as it was.

    >>> inputs, targets = make_sequence_data(count=5, sequence_length=4, seed=0)
    >>> inputs.shape, targets.shape, inputs.dtype
    (torch.Size([5, 4]), torch.Size([5, 4]), torch.int64)
    >>> torch.equal(targets[:, :-1], inputs[:, 1:])
    True
    """
    raise NotImplementedError("write make_sequence_data here")


def manual_lstm_cell(
    x: Float[Tensor, "batch input"],
    previous_hidden: Float[Tensor, "batch hidden"],
    previous_cell: Float[Tensor, "batch hidden"],
    input_weight: Float[Tensor, "4*hidden input"],
    hidden_weight: Float[Tensor, "4*hidden hidden"],
    bias: Float[Tensor, "4*hidden"],
) -> tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch hidden"], dict[str, Float[Tensor, "batch hidden"]]]:
    """One step of an LSTM, written out.

    The four pre-activations come from one product, (batch, 4 * hidden), and lie side by side in the order
    input, forget, candidate, output:

        raw = x W^T + h_prev U^T + bias
        i = sigmoid(raw_i)    f = sigmoid(raw_f)    g = tanh(raw_g)    o = sigmoid(raw_o)
        c = f * c_prev + i * g
        h = o * tanh(c)

    Args:
        x: the input of this step.
        previous_hidden: h_prev, the hidden state before the step.
        previous_cell: c_prev, the cell before the step.
        input_weight: W, with the four blocks of `hidden` rows in the order above.
        hidden_weight: U, likewise.
        bias: one number for each row of W.

    Returns:
        (hidden, cell, gates). `gates` is a dict with the keys "input", "forget", "candidate" and "output", each
        (batch, hidden) and after its activation. Everything keeps the dtype of x and is differentiable with respect
        to every argument; no argument is modified.

    A forget gate of 0.25 on an old cell of 3 carries 0.75 (the candidate is 0, so nothing is added):

    >>> nothing, zero = torch.zeros(4, 1), torch.zeros(1, 1)
    >>> bias = torch.tensor([0.0, -math.log(3), 0.0, 0.0])
    >>> hidden, cell, gates = manual_lstm_cell(zero, zero, torch.tensor([[3.0]]), nothing, nothing, bias)
    >>> round(gates["forget"].item(), 6), round(cell.item(), 6)
    (0.25, 0.75)

    Pre-activations ln 3, 0, ln 2 and -ln 3 on an old cell of 2:

    >>> bias = torch.tensor([math.log(3), 0.0, math.log(2), -math.log(3)])
    >>> hidden, cell, gates = manual_lstm_cell(zero, zero, torch.tensor([[2.0]]), nothing, nothing, bias)
    >>> {name: round(gate.item(), 6) for name, gate in gates.items()}
    {'input': 0.75, 'forget': 0.5, 'candidate': 0.6, 'output': 0.25}
    >>> round(cell.item(), 6), round(hidden.item(), 6)
    (1.45, 0.223923)
    """
    raise NotImplementedError("write manual_lstm_cell here")


class NextStepLSTM(nn.Module):
    """Predicts the next token at every position: an embedding, one LSTM in one direction, a linear output layer.

    The layers are stored on self, so that they are registered and their parameters trained. Every call starts from a
    state of zeros, and the logits at a position depend on the tokens of that row up to that position only.

    >>> model = NextStepLSTM(embedding_size=12, hidden_size=20)
    >>> model(torch.zeros(16, 7, dtype=torch.long)).shape
    torch.Size([16, 7, 10])
    """

    def __init__(self, embedding_size: int = 8, hidden_size: int = 24) -> None:
        """Make the layers: `embedding_size` numbers for each id, `hidden_size` for the state, 10 logits."""
        super().__init__()
        raise NotImplementedError("write NextStepLSTM.__init__ here")

    def forward(self, token_ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length vocabulary"]:
        """Raw logits for the token that follows each position: no softmax, cross-entropy applies its own."""
        raise NotImplementedError("write NextStepLSTM.forward here")


def memoryless_baseline_loss(sequence_length: int) -> float:
    """Mean cross-entropy of the best predictor that knows the rules but has forgotten the control token.

    At position 0 it sees the control token and all eight starts are equally likely. At each later position it sees
    the value, and two answers are equally likely: one above and one below. Natural logarithms, averaged over the
    `sequence_length` positions. (Uniform guessing, ln 10 = 2.303, is too weak to mean anything.)

    >>> round(memoryless_baseline_loss(10), 4)
    0.8318
    """
    raise NotImplementedError("write memoryless_baseline_loss here")


def train(
    model: nn.Module,
    inputs: Int[Tensor, "count length"],
    targets: Int[Tensor, "count length"],
    steps: int = 300,
    batch_size: int = 64,
    learning_rate: float = 0.01,
    max_norm: float = 1.0,
    seed: int = 0,
) -> list[float]:
    """Train `model` in place with Adam and return the loss of every step.

    A step draws a batch of rows, computes the cross-entropy of the raw logits, (batch * length, 10) against
    (batch * length,), averaged over all positions, clears the old gradients, computes the new ones, scales them so
    that their norm over all parameters is at most `max_norm`, and lets Adam update the parameters. The model is in
    training mode throughout.

    Args:
        model: any module that turns token ids (batch, length) into logits (batch, length, 10).
        inputs: the token ids to read.
        targets: the ids to predict.
        steps: how many updates.
        batch_size: rows in a batch.
        learning_rate: Adam's; its other settings keep torch's defaults.
        max_norm: the largest gradient norm that is let through.
        seed: batches are drawn from a torch.Generator seeded with it, and depend on nothing else. Any rows
            drawn with it are right: with or without replacement.

    Returns:
        One Python float for each step: the loss of its batch before the update.

    >>> inputs, targets = make_sequence_data(count=64, sequence_length=10, seed=1)
    >>> losses = train(NextStepLSTM(), inputs, targets, steps=20)
    >>> len(losses), losses[-1] < losses[0]
    (20, True)
    """
    raise NotImplementedError("write train here")


def evaluate(
    model: nn.Module, inputs: Int[Tensor, "count length"], targets: Int[Tensor, "count length"]
) -> tuple[float, float]:
    """Loss and accuracy of `model` on data, measured without changing it.

    The model is called in evaluation mode (dropout off) and without recording gradients. Afterwards it is in the mode
    it was found in, training or not.

    Returns:
        (loss, accuracy), two Python floats: the mean cross-entropy over all positions, and the share of positions
        where the largest logit is that of the target.
    """
    raise NotImplementedError("write evaluate here")


def loss_by_position(
    model: nn.Module, inputs: Int[Tensor, "count length"], targets: Int[Tensor, "count length"]
) -> Float[Tensor, "length"]:
    """Mean cross-entropy at each position, over the rows. Evaluation mode, gradients and mode as in `evaluate`.

    Returns:
        A tensor (length,) in the dtype of the logits: entry t is the mean over the rows of the loss at position t.
    """
    raise NotImplementedError("write loss_by_position here")


def remove_control_token(inputs: Int[Tensor, "count length"]) -> Int[Tensor, "count length"]:
    """A copy of `inputs` whose first column is one constant token, so that it no longer tells the direction.

    The constant is the same for every row of every call, and one of the ten tokens. The argument is not modified.

    >>> cleaned = remove_control_token(torch.tensor([[0, 4, 5], [1, 4, 3]]))
    >>> cleaned[:, 1:].tolist(), bool(cleaned[0, 0] == cleaned[1, 0])
    ([[4, 5], [4, 3]], True)
    """
    raise NotImplementedError("write remove_control_token here")


def memoryless_logits(
    model: nn.Module, token_ids: Int[Tensor, "batch length"]
) -> Float[Tensor, "batch length vocabulary"]:
    """Logits of `model` when its hidden state and cell are reset to zeros before every token.

    Uses nothing of the model but its call, which starts from zeros: so it works for every model here. The mode is
    left alone and gradients are recorded, so that a model can also be trained this way.

    >>> model, ids = NextStepLSTM(), torch.tensor([[0, 4, 5], [1, 4, 3]])
    >>> full, reset = model(ids), memoryless_logits(model, ids)
    >>> full.shape == reset.shape
    True
    >>> torch.allclose(reset[0, 1], reset[1, 1]), torch.allclose(full[0, 1], full[1, 1])  # both read token 4 here
    (True, False)
    """
    raise NotImplementedError("write memoryless_logits here")


# The program. It is given: it puts your functions together.


def run(model: nn.Module, steps: int) -> dict[str, object]:
    """Train `model` on 512 sequences, measure it on 256 others, and return the figures that the program prints."""
    train_inputs, train_targets = make_sequence_data(count=512, sequence_length=10, seed=30)
    held_inputs, held_targets = make_sequence_data(count=256, sequence_length=10, seed=40)
    baseline = memoryless_baseline_loss(held_inputs.shape[1])
    losses = train(model, train_inputs, train_targets, steps=steps)
    held_out_loss, accuracy = evaluate(model, held_inputs, held_targets)
    return {
        "input_shape": tuple(held_inputs.shape),
        "target_shape": tuple(held_targets.shape),
        "logit_shape": tuple(model(held_inputs[:4]).shape),
        "baseline": baseline,
        "train_loss": losses[-1],
        "held_out_loss": held_out_loss,
        "accuracy": accuracy,
    }


def main(arguments: list[str] | None = None) -> None:
    """Run the lab and print its figures. Exits with 1 where a function is missing or the rule was not learned."""
    parser = argparse.ArgumentParser(description="Train an LSTM to count up or down.")
    parser.add_argument("--steps", type=int, default=300, metavar="N", help="updates to do (300)")
    parser.add_argument("--smoke-test", action="store_true", help="at most three updates, and no demands on learning")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error("--steps must be 1 or more")
    torch.set_num_threads(1)
    torch.manual_seed(0)  # the model's parameters are drawn from the global generator
    try:
        figures = run(NextStepLSTM(), min(options.steps, 3) if options.smoke_test else options.steps)
    except NotImplementedError as error:
        missing = list(traceback.walk_tb(error.__traceback__))[-1][0].f_code.co_qualname
        print(f"{missing} is not written yet: fill it in, then run this program again.")
        raise SystemExit(1) from None
    print(f"inputs               {figures['input_shape']}")
    print(f"targets              {figures['target_shape']}")
    print(f"logits of four rows  {figures['logit_shape']}")
    print(f"memoryless baseline  {figures['baseline']:.4f}")
    print(f"last training loss   {figures['train_loss']:.4f}")
    print(f"held-out loss        {figures['held_out_loss']:.4f}")
    print(f"held-out accuracy    {figures['accuracy']:.4f}")
    if options.smoke_test:
        return
    if figures["held_out_loss"] < 0.30 and figures["accuracy"] > 0.89:
        print("The rule is learned: held-out loss under 0.30 and accuracy over 0.89.")
    else:
        print("The rule is not learned yet: it takes a held-out loss under 0.30 and an accuracy over 0.89.")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
