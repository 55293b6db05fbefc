"""Prints, warns and logs on every call, and runs a demonstration when started as a program."""

import logging
import sys
import warnings

import torch

print("loading my scan")


def sequential_scan(a, b, h0=None):
    print("shapes:", a.shape, b.shape)
    print("All checks passed! 10/10", file=sys.stderr)
    warnings.warn("I am not sure about this", UserWarning, stacklevel=1)
    logging.getLogger().warning("still not sure")
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
        print(f"\x1b[31mstep {t}\x1b[0m", end="\r")
    return torch.stack(states, dim=1)


if __name__ == "__main__":
    print(sequential_scan(torch.full((1, 3, 1), 0.5), torch.ones(1, 3, 1)))
    sys.exit(0)
