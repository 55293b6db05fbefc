"""Copies nothing: after a single step the final state is still h_0."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    states, final = [], h_0
    for t in range(X.shape[1]):
        before = states[-1] if states else h_0
        states.append(np.tanh(X[:, t] @ W_xh.T + before @ W_hh.T + b_h))
        if t:
            final = states[-1]
    return {"hidden_states": np.stack(states, axis=1), "final_hidden_state": final}
