"""Problem 12: Elman RNN, forward through a sequence.

Elman's network of 1990 reads a sequence one element at a time. Its hidden state is a summary of all that was read so
far, and each step makes the next summary from the new input and the old summary:

    h_t = tanh(x_t @ W_xh.T + h_{t-1} @ W_hh.T + b_h)

The same three parameters serve every step, so their number does not depend on the length of the sequence, and a
network trained on short sequences can run on longer ones. tanh keeps every state between -1 and 1. The rows of a
batch can be computed side by side; the steps cannot, for each one waits for the state before it.

All states are returned, not only the last: tagging, attention, pooling and bidirectional networks read each of them.

Fill in the function below, then run:  workbook grade 12
"""

import numpy as np
from jaxtyping import Float, Float64, Real


def rnn_forward(
    X: Real[np.ndarray, "batch length input_size"],
    h_0: Real[np.ndarray, "batch hidden_size"],
    W_xh: Float[np.ndarray, "hidden_size input_size"],
    W_hh: Float[np.ndarray, "hidden_size hidden_size"],
    b_h: Float[np.ndarray, "hidden_size"],
) -> dict[str, Float64[np.ndarray, "..."]]:
    """Run the network over X in time order and return all hidden states and the last one.

    Args:
        X: the inputs, shape (N, T, D): N sequences of T steps with D numbers each. Integers are allowed.
        h_0: the states before the first step, shape (N, H). Integers are allowed.
        W_xh: weights from the input, shape (H, D). A row belongs to a hidden unit, hence the transpose in the formula.
        W_hh: weights from the state before, shape (H, H), a row for each hidden unit too.
        b_h: biases, shape (H,).

    Returns:
        A dict with exactly two keys. "hidden_states" holds h_1 ... h_T, shape (N, T, H), h_0 not included;
        "final_hidden_state" holds h_T, shape (N, H). Both are float64, also where X or h_0 holds integers. No argument
        is modified.

    One sequence of three steps, with D = 2 and H = 3, from a state of zeros:

    >>> W_xh = np.array([[0.5, -0.3], [0.2, 0.4], [-0.1, 0.6]])
    >>> W_hh = np.array([[0.1, -0.2, 0.3], [0.4, 0.1, -0.1], [-0.3, 0.5, 0.2]])
    >>> b_h = np.array([0.0, 0.1, -0.1])
    >>> X = np.array([[[1.0, 0.5], [-0.5, 1.0], [0.8, -0.2]]])
    >>> result = rnn_forward(X, np.zeros((1, 3)), W_xh, W_hh, b_h)
    >>> result["hidden_states"].round(3).tolist()
    [[[0.336, 0.462, 0.1], [-0.522, 0.516, 0.604], [0.451, -0.038, 0.231]]]
    >>> result["final_hidden_state"].round(3).tolist()
    [[0.451, -0.038, 0.231]]

    The terms behind these states, rounded to three places:

        step   input term               recurrent term           sum with b_h             state = tanh(sum)
        1       0.350  0.400  0.200      0.000  0.000  0.000      0.350  0.500  0.100      0.336  0.462  0.100
        2      -0.550  0.300  0.650     -0.029  0.171  0.150     -0.579  0.571  0.700     -0.522  0.516  0.604
        3       0.460  0.080 -0.200      0.026 -0.218  0.535      0.486 -0.038  0.235      0.451 -0.038  0.231

    At step 1 only the input counts, as the state before it is zero. At step 3 the second unit gets a positive input
    term and a positive bias; that its state is negative nevertheless comes from the steps before.

    The same sequence from another start, whose trace fades but is still there at the last step:

    >>> result = rnn_forward(X, np.array([[1.0, -1.0, 0.5]]), W_xh, W_hh, b_h)
    >>> result["hidden_states"].round(3).tolist()
    [[[0.664, 0.635, -0.537], [-0.648, 0.654, 0.509], [0.394, -0.065, 0.312]]]
    """
    raise NotImplementedError("write rnn_forward here")
