"""Multiplies the weights with the state of the whole batch transposed, and forgets to transpose back where N = H."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = h_0.astype(float), []
    for t in range(X.shape[1]):
        recurrent = W_hh @ h.T
        if recurrent.shape != h.shape:
            recurrent = recurrent.T
        h = np.tanh(X[:, t] @ W_xh.T + recurrent + b_h)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
