"""Problem 1: sequential linear-recurrence scan.

A linear recurrence carries one number per channel through time. At each step the old state is scaled by a gate and
an increment is added:

    h_t = a_t * h_{t-1} + b_t

The gate a_t says how much of the past survives, the increment b_t what the present adds. This is the primitive
under S4, S4D, Mamba's selective scan and GateLoop. Every channel of every batch element runs on its own, so a step
costs O(dim) work, not the O(dim^2) of a matrix recurrence.

Fill in the function below, then run:  workbook grade 1
"""

import torch
from jaxtyping import Float
from torch import Tensor


def sequential_scan(
    a: Float[Tensor, "batch length dim"],
    b: Float[Tensor, "batch length dim"],
    h0: Float[Tensor, "batch dim"] | None = None,
) -> Float[Tensor, "batch length dim"]:
    """Run h_t = a_t * h_{t-1} + b_t over the time axis and return every state.

    Args:
        a: the gates. Usually in (0, 1), but any real number is allowed: 0 forgets the past, a negative gate flips it.
        b: the increments.
        h0: the state before the first step; zeros, in the dtype and on the device of `a`, when it is None.

    Returns:
        The states h_1 ... h_length, one for each step, h0 not included. The dtype and device are those of `a`, and
        the result is differentiable with respect to a, b and h0. No argument is modified.

    A decay of one half that gets 1 at each step climbs towards 2:

    >>> a, b = torch.full((1, 3, 1), 0.5), torch.ones(1, 3, 1)
    >>> sequential_scan(a, b).flatten().tolist()
    [1.0, 1.5, 1.75]

    With a start of 5, gates that grow, shrink and flip the state:

    >>> a, b = torch.tensor([2.0, 3.0, 0.5, -1.0]), torch.tensor([1.0, 1.0, 4.0, 2.0])
    >>> sequential_scan(a.reshape(1, 4, 1), b.reshape(1, 4, 1), torch.tensor([[5.0]])).flatten().tolist()
    [11.0, 34.0, 21.0, -19.0]
    """
    raise NotImplementedError("write sequential_scan here")
