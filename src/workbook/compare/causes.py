"""Why a shape is wrong: the likely cause in words, where one plainly fits. Empty where none does."""

from __future__ import annotations

# Names of the axis along which a recurrence runs.
TIME_AXES = frozenset({"time", "length", "seq_len", "sequence_length", "step", "steps", "T"})


def is_time(axis: str) -> bool:
    """Whether an axis of this name is the time axis."""
    return axis in TIME_AXES


def time_axis(axes: tuple[str, ...]) -> int | None:
    return next((axis for axis, name in enumerate(axes) if is_time(name)), None)


def shape_cause(got: tuple[int, ...], expected: tuple[int, ...], axes: tuple[str, ...]) -> str:
    """The likely cause of a wrong shape, empty where none plainly fits."""
    time = time_axis(axes)
    if len(got) == len(expected):
        if sorted(got) == sorted(expected):
            return _order_cause(got, expected, axes)
        if time is not None and _without(got, time) == _without(expected, time):
            return _steps_cause(got[time], expected[time])
    if len(got) == len(expected) - 1:
        if time is not None and got == _without(expected, time):
            last = ": is this the last step only?" if expected[time] > 1 else ""
            return f"{_axis(time, axes)} is missing{last}"
        return _single_cause(expected, got, axes, "is missing")
    if len(got) == len(expected) + 1:
        return _single_cause(got, expected, (), "is one too many")
    return ""


def _steps_cause(got: int, expected: int) -> str:
    if got == expected + 1:
        return "one step too many: the initial state does not belong in the output"
    if got == expected - 1:
        return "one step too few"
    return "only one step: is this the last one?" if got == 1 else ""


def _order_cause(got: tuple[int, ...], expected: tuple[int, ...], axes: tuple[str, ...]) -> str:
    time = time_axis(axes)
    if time and got == (expected[time], *_without(expected, time)):
        return f"time comes first, where it belongs on axis {time}"
    if len(got) == 2:
        return "transposed"
    swapped = [axis for axis in range(len(got)) if got[axis] != expected[axis]]
    if len(swapped) == 2:
        return f"{_axis(swapped[0], axes)} and {_axis(swapped[1], axes)} are swapped"
    return "the axes are in another order"


def _single_cause(longer: tuple[int, ...], shorter: tuple[int, ...], axes: tuple[str, ...], what: str) -> str:
    """An axis of size 1 that only one of two shapes has. It is named where no other axis could be meant."""
    fitting = [axis for axis, size in enumerate(longer) if size == 1 and _without(longer, axis) == shorter]
    if not fitting:
        return ""
    return f"{_axis(fitting[0], axes)}, of size 1, {what}" if len(fitting) == 1 else f"an axis of size 1 {what}"


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _axis(axis: int, axes: tuple[str, ...]) -> str:
    return f"the {axes[axis]} axis" if axes else f"axis {axis}"
