"""Returns Fortran-ordered arrays."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    out = np.empty((X.shape[0], X.shape[1], W_hh.shape[0]), order="F")
    h = np.array(h_0, dtype=np.float64, order="F")
    for t in range(X.shape[1]):
        h = np.tanh(np.matmul(X[:, t], W_xh.T) + np.matmul(h, W_hh.T) + b_h)
        out[:, t] = h
    return {"hidden_states": out, "final_hidden_state": np.asfortranarray(h)}
