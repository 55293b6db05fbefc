"""Plain loops over rows, steps and units with math.tanh, and other names for the parameters."""

import math

import numpy as np


def rnn_forward(inputs, start, input_weights, recurrent_weights, bias, /):
    rows, length, _ = inputs.shape
    units = len(bias)
    states = np.empty((rows, length, units))
    for n in range(rows):
        h = [float(value) for value in start[n]]
        for t in range(length):
            h = [
                math.tanh(
                    sum(w * x for w, x in zip(input_weights[k], inputs[n, t], strict=True))
                    + sum(w * s for w, s in zip(recurrent_weights[k], h, strict=True))
                    + bias[k]
                )
                for k in range(units)
            ]
            states[n, t] = h
    return {"hidden_states": states, "final_hidden_state": states[:, length - 1, :]}
