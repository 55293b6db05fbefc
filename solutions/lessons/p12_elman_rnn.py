"""What the notebook of problem 12 shows: states of the reference and of the known mistakes, and gradients through time.

Arrays are recorded for pictures, scalars for sentences. The inputs of the pictures are recorded beside them.
"""

from collections.abc import Mapping
from types import ModuleType

import numpy as np

ANGLES = (0.3, 0.7, 1.1, 1.9)  # each turns one pair of the eight units
SCALES = (0.5, 0.9, 1.5)


def record(solution: ModuleType, pitfalls: Mapping[str, ModuleType]) -> dict:
    right, wrong = mistakes(solution, pitfalls)
    return {**fading(solution), **truncation(solution), "mistakes/right": right, "mistakes": wrong}


def turning(scale: float) -> np.ndarray:
    """Weights (8, 8) that turn every state and make it `scale` times as long: all singular values equal `scale`."""
    blocks = np.zeros((8, 8))
    for pair, angle in enumerate(ANGLES):
        cosine, sine = np.cos(angle), np.sin(angle)
        blocks[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cosine, -sine], [sine, cosine]]
    return scale * blocks


def fading(solution: ModuleType) -> dict:
    """How far two runs on the same inputs are apart that started apart, for three recurrent weights."""
    rng = np.random.default_rng(12)
    X, W_xh, b_h = rng.normal(scale=0.3, size=(1, 40, 3)), rng.normal(scale=0.4, size=(8, 3)), np.zeros(8)
    h_0 = np.full((1, 8), 0.5)
    gaps = []
    for scale in SCALES:
        one, other = (
            solution.rnn_forward(X, start, W_xh, turning(scale), b_h)["hidden_states"][0] for start in (h_0, 0 * h_0)
        )
        distance = np.linalg.norm(one - other, axis=-1)
        gaps.append(np.concatenate([[np.linalg.norm(h_0)], distance]) / np.linalg.norm(h_0))
    return {
        "fading/inputs": X,
        "fading/start": h_0,
        "fading/input_weights": W_xh,
        "fading/biases": b_h,
        "fading/scales": np.array(SCALES),
        "fading/recurrent_weights": np.stack([turning(scale) for scale in SCALES]),
        "fading/gaps": np.stack(gaps),
    }


def truncation(solution: ModuleType, length: int = 12, chunk: int = 4) -> dict:
    """Gradients of L = L_1 + ... + L_T with L_t = |h_t|^2 / 2, in full and with the state detached after each chunk."""
    rng = np.random.default_rng(34)
    X, W_xh, b_h = rng.normal(size=(1, length, 3)), rng.normal(scale=0.4, size=(8, 3)), np.zeros(8)
    W_hh, h_0 = turning(0.95), np.zeros((1, 8))
    states = solution.rnn_forward(X, h_0, W_xh, W_hh, b_h)["hidden_states"][0]
    before = np.concatenate([h_0, states[:-1]])
    # reach[s, t] is dL_s / dz_t with z_t the sum inside the tanh: zero for t > s.
    reach = np.zeros((length, length, 8))
    for s in range(length):
        error = states[s]
        for t in range(s, -1, -1):
            reach[s, t] = error * (1 - states[t] ** 2)
            error = reach[s, t] @ W_hh
    steps = np.arange(length)
    same_chunk = steps[:, None] // chunk == steps[None, :] // chunk
    cut = np.where(same_chunk[..., None], reach, 0.0)
    # dL/dW_hh is a sum over the steps t, of dL/dz_t times the state before.
    full_terms, cut_terms = (np.einsum("sti,tj->tij", kind, before) for kind in (reach, cut))
    full, truncated = full_terms.sum(axis=0), cut_terms.sum(axis=0)
    return {
        "truncation/chunk": chunk,
        "truncation/inputs": X,
        "truncation/input_weights": W_xh,
        "truncation/recurrent_weights": W_hh,
        "truncation/full_reach": np.linalg.norm(reach, axis=-1),
        "truncation/cut_reach": np.linalg.norm(cut, axis=-1),
        "truncation/full_terms": np.linalg.norm(full_terms, axis=(1, 2)),
        "truncation/cut_terms": np.linalg.norm(cut_terms, axis=(1, 2)),
        "truncation/full_gradient": full,
        "truncation/cut_gradient": truncated,
        "truncation/relative_error": np.linalg.norm(truncated - full) / np.linalg.norm(full),
    }


def mistakes(solution: ModuleType, pitfalls: Mapping[str, ModuleType]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """One unit of the first row, as the solution and as known mistakes give it; those that give no new curve are left out."""
    rng = np.random.default_rng(43)
    X, W_xh = rng.normal(scale=0.6, size=(2, 8, 8)), rng.normal(scale=0.3, size=(8, 8))
    W_hh, b_h = turning(0.9), np.tile([0.1, -0.3, 0.2, 0.3], 2)
    h_0 = np.tile([[1.0, -1.0, 0.0, 1.0]], (2, 2))

    def curve(module: ModuleType, start: np.ndarray) -> np.ndarray:
        start = start.copy()
        module.rnn_forward(X.copy(), start, W_xh, W_hh, b_h)  # a changed argument shows at the next call only
        states = module.rnn_forward(X.copy(), start, W_xh, W_hh, b_h)["hidden_states"]
        return states[0, ..., 0].ravel()

    right = curve(solution, h_0)
    curves: dict[str, np.ndarray] = {}
    for name, module in pitfalls.items():
        wrong = curve(module, h_0.astype(int) if "h_0's dtype" in name else h_0)
        known = [kept for kept in (right, *curves.values()) if kept.shape == wrong.shape]
        if not any(np.abs(wrong - kept).max() < 1e-3 for kept in known):
            curves[name] = wrong
    return right, curves
