"""Returns views of one array under both keys, read only."""

import numpy as np


def rnn_forward(X, h_0, W_xh, W_hh, b_h):
    states = [h_0]
    for t in range(X.shape[1]):
        states.append(np.tanh(X[:, t] @ W_xh.T + states[-1] @ W_hh.T + b_h))
    stacked = np.stack(states, axis=1)
    stacked.flags.writeable = False
    return {"hidden_states": stacked[:, 1:], "final_hidden_state": stacked[:, -1, :]}
