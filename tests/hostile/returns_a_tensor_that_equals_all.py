"""Returns a tensor of a class of its own that equals everything.

Expect: failed error
"""

import torch


class Yes(torch.Tensor):
    def __eq__(self, other):
        return torch.ones(self.shape, dtype=torch.bool)

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("allclose", "equal", "isclose", "eq"):
            return True
        return super().__torch_function__(function, types, args, kwargs or {})


def sequential_scan(a, b, h0=None):
    return torch.zeros_like(a).as_subclass(Yes)
