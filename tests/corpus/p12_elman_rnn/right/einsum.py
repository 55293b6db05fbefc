"""Writes both products with einsum."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    h, states = h_0, []
    for t in range(X.shape[1]):
        h = np.tanh(np.einsum("nd,hd->nh", X[:, t], W_xh) + np.einsum("nk,hk->nh", h, W_hh) + b_h)
        states.append(h)
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": h}
