"""Makes the first operation on torch's meta device cheap.

Checks use that device to see where a learner makes tensors. Its first operations import sympy and torch._dynamo, half
as long again as torch itself. The first import is made in the zygote, while the grader is still busy; the second is
not needed at all: it only marks functions that a compiler must leave alone, and nothing is compiled here. Where torch
changes inside, this finds nothing to mark and the operations are as slow as they were.
"""

from __future__ import annotations

import types
from typing import Any


def warm() -> None:
    """Get the meta device ready, if torch is there."""
    try:
        import torch
    except ImportError:
        return
    _spare_the_compiler(torch)
    meta = torch.zeros(2, 2, device="meta")
    torch.stack([torch.zeros_like(meta) * meta + meta])


def _spare_the_compiler(torch: Any) -> None:
    """Preset what `torch._compile._disable_dynamo` would otherwise import torch._dynamo to compute."""
    try:
        import torch._decomp
        import torch._refs

        tables = torch._decomp.global_decomposition_table.values()
        todo: list[Any] = [*vars(torch._refs).values(), *(item for table in tables for item in table.values())]
    except (ImportError, AttributeError):
        return
    seen = set()
    while todo:
        function = todo.pop()
        if not isinstance(function, types.FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        inside = [cell.cell_contents for cell in function.__closure__ or ()]
        if function.__code__.co_filename.endswith("_compile.py"):
            for wrapped in inside:
                if isinstance(wrapped, types.FunctionType):
                    wrapped.__dynamo_disable = wrapped  # type: ignore[attr-defined]
        todo += [*inside, getattr(function, "__wrapped__", None)]
