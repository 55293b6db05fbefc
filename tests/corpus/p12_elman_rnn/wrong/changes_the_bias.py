"""Adds the input term to b_h in place and takes it away again, which leaves rounding errors in b_h."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = h_0.astype(float), []
    for t in range(X.shape[1]):
        rows = []
        for n in range(len(X)):
            term = W_xh @ X[n, t]
            b_h += term
            rows.append(np.tanh(W_hh @ h[n] + b_h))
            b_h -= term
        h = np.stack(rows)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
