"""Problem 11: streaming step and full-sequence forward.

The scan of problem 1 takes its gates and increments as given. Here they are computed from the input, one time step at
a time, by two weight matrices:

    a_t = sigmoid(x_t @ W_a)          the gate, in (0, 1): how much of the old state survives
    b_t = x_t @ W_b                   the increment: what the present adds
    h_t = a_t * h_{t-1} + b_t         element-wise

The layer is used in two ways. In training the whole sequence is there, and `forward` runs over it. A streaming server,
say for live speech, gets one frame at a time and only ever calls `step`. Both must give the same numbers to the last
bit, or the model that is served is not the model that was tested. The way to get there is to write the update once,
in `step`, and to let `forward` call it. The layer keeps no state of its own: the caller holds the state, so one layer
can serve many streams at once.

Fill in the two methods below, then run:  workbook grade 11
"""

import torch
from jaxtyping import Float
from torch import Tensor


class GatedLinearRecurrentLayer:
    """A linear recurrence whose gate and increment depend on the input.

    The shapes, for inputs of 3 numbers, a state of 4, a batch of 2 and 5 steps:

    >>> layer = GatedLinearRecurrentLayer(torch.randn(3, 4), torch.randn(3, 4))
    >>> layer.forward(torch.randn(2, 5, 3), torch.zeros(2, 4)).shape
    torch.Size([2, 5, 4])
    """

    def __init__(
        self,
        W_a: Float[Tensor, "input_size hidden_size"],
        W_b: Float[Tensor, "input_size hidden_size"],
    ) -> None:
        """Keep the weights of the gate (W_a) and of the increment (W_b).

        They are the very tensors that were passed in. Gradients must reach these, so do not copy them and do not wrap
        them in nn.Parameter, which makes a new tensor that the gradients would go to instead.
        """
        self.W_a = W_a
        self.W_b = W_b

    def step(
        self,
        x_t: Float[Tensor, "batch input_size"],
        h_prev: Float[Tensor, "batch hidden_size"],
    ) -> Float[Tensor, "batch hidden_size"]:
        """One update, h_t = sigmoid(x_t @ W_a) * h_prev + x_t @ W_b. No loop, and nothing stored on self.

        Args:
            x_t: the input of this step.
            h_prev: the state before it.

        Returns:
            The state after it, as a new tensor of the same dtype and device. Neither argument is modified: the caller
            may have kept h_prev in order to come back to it.

        With W_a = 0 the gate is 1/2; a state of 2 is halved, and W_b = 1 adds the input:

        >>> layer = GatedLinearRecurrentLayer(torch.zeros(1, 1), torch.ones(1, 1))
        >>> layer.step(torch.tensor([[3.0]]), torch.tensor([[2.0]])).tolist()
        [[4.0]]
        """
        raise NotImplementedError("write GatedLinearRecurrentLayer.step here")

    def forward(
        self,
        x: Float[Tensor, "batch seq_len input_size"],
        h0: Float[Tensor, "batch hidden_size"],
    ) -> Float[Tensor, "batch seq_len hidden_size"]:
        """Repeat `step` over time, once for each step, and return every state, stacked on dim 1.

        Args:
            x: the inputs, batch first and time second.
            h0: the state before the first step. Where a sequence arrives in chunks, it is the last state of the chunk
                before.

        Returns:
            The states h_1 ... h_seq_len, h0 not included. What stands at index t equals t + 1 calls of `step`, exactly
            (torch.equal). The result is differentiable with respect to x, h0, W_a and W_b. No argument is modified.

        A gate of 1/2 that gets 1 at each step gives the numbers of problem 1:

        >>> layer = GatedLinearRecurrentLayer(torch.zeros(1, 1), torch.ones(1, 1))
        >>> layer.forward(torch.ones(1, 3, 1), torch.zeros(1, 1)).flatten().tolist()
        [1.0, 1.5, 1.75]

        With W_a = ln 3, the inputs 1, -1 and 0 set the gate to 3/4, 1/4 and 1/2. From a state of 4, with W_b = 2:

        >>> layer = GatedLinearRecurrentLayer(torch.tensor([[3.0]]).log(), torch.tensor([[2.0]]))
        >>> states = layer.forward(torch.tensor([[[1.0], [-1.0], [0.0]]]), torch.tensor([[4.0]]))
        >>> [round(state, 3) for state in states.flatten().tolist()]
        [5.0, -0.75, -0.375]
        """
        raise NotImplementedError("write GatedLinearRecurrentLayer.forward here")
