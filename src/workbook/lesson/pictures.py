"""Pictures in one style: as wide as JupyterLab's column, readable in grey and at half their width, never without words.

Figures are made without pyplot, so that none is shown by itself or kept in memory.
"""

from __future__ import annotations

import base64
import html
import io
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbook.errors import UsageError
from workbook.text import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.4  # inches
PIXELS = 100  # of the page for each inch; the picture itself has twice as many
SHORTEST_ALT = 20  # characters: less says nothing of what there is to see
PANELS = 3  # in a row
PANEL_HEIGHT, LINE_HEIGHT = 1.5, 0.19  # inches: of a panel, and of each line of its title beside
TITLE_COLUMNS = 22
FEW = 24  # points of a line that are all marked; of more only some are
DARK, WARM, LIGHT = "#14315f", "#cf5a16", "#6d9fc4"
# Dark, middle and light, so that they differ in grey; line and marker differ too.
COLOURS = (DARK, WARM, LIGHT, "#4d4d4d", "#8a2f6f", "#3f7d4e")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "x")


def use_style() -> None:
    """The house style, for the figures made from now on."""
    import matplotlib
    from cycler import cycler

    cycle = cycler(color=COLOURS) + cycler(linestyle=LINES) + cycler(marker=MARKERS)
    matplotlib.rcParams.update(
        {
            "axes.prop_cycle": cycle + cycler(markevery=[0.12] * len(COLOURS)),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "axes.titlesize": 12,
            "axes.titlelocation": "left",
            "axes.labelsize": 12,
            "font.size": 12,
            "grid.color": "#dddddd",
            "grid.linewidth": 0.7,
            "image.cmap": "Greys",
            "legend.fontsize": 11,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
            "svg.hashsalt": "workbook",
            "xtick.labelsize": 11,
            "ytick.labelsize": 11,
        }
    )


def figure(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    made = Figure(figsize=(WIDTH, rows * height), layout="constrained")
    return made, made.subplots(rows, columns, **options)


def show(figure: Figure, alt: str) -> None:
    """Display a figure as an image with a text for those who do not see it."""
    from IPython.display import display

    alt = clean(" ".join(alt.split()))
    if len(alt) < SHORTEST_ALT:
        raise UsageError("show(figure, alt=…) needs a sentence that says what there is to see in the picture.")
    for line in (line for axes in figure.axes for line in axes.get_lines()):
        if len(line.get_xdata()) <= FEW:  # type: ignore[arg-type]
            line.set_markevery(1)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=2 * PIXELS, facecolor="white", metadata={"Software": None})
    width = round(figure.get_figwidth() * PIXELS)
    data = base64.b64encode(picture.getvalue()).decode("ascii")
    image = (
        f'<img alt="{html.escape(alt)}" width="{width}" style="max-width: 100%; height: auto" '
        f'src="data:image/png;base64,{data}">'
    )
    figure.clear()
    display({"text/html": image, "text/plain": alt}, raw=True)


def heat(axes: Axes, values: Any, *, tolerance: float, label: str) -> tuple[int, int] | None:
    """Draw |values|, time from left to right and channels from top to bottom, dark where large.

    Args:
        values: (time, channel), an array or a tensor.
        tolerance: what counts as different from 0.
        label: what the values are, written beside the scale.

    Returns:
        Time and channel of the first value above the tolerance, which is marked; None where there is none.
    """
    size = np.abs(np.asarray(getattr(values, "detach", lambda: values)(), dtype=np.float64))
    if size.ndim != 2:
        raise UsageError(f"heat(axes, values) draws time x channel: give two axes, not {size.ndim}.")
    finite = np.isfinite(size)
    most = float(size[finite].max(initial=0.0)) or 1.0
    shown = np.where(finite, size, most)  # what is no number is as wrong as can be
    image = axes.imshow(shown.T, aspect="auto", interpolation="nearest", cmap="Greys", vmin=0.0, vmax=most)
    axes.grid(False)
    axes.set_xlabel("time step")
    axes.set_ylabel("channel")
    axes.set_yticks(range(size.shape[1]) if size.shape[1] <= 8 else [0, size.shape[1] - 1])
    axes.get_figure(root=True).colorbar(image, ax=axes, label=label)  # type: ignore[union-attr]
    wrong = np.argwhere(~(size <= tolerance))  # in the order of time; NaN is wrong too
    if not len(wrong):
        axes.set_title("no difference")
        return None
    time, channel = int(wrong[0][0]), int(wrong[0][1])
    axes.axvline(time - 0.5, color=WARM, linestyle="--", marker="")
    axes.plot([time], [channel], marker="s", markersize=9, markerfacecolor="none", markeredgecolor=WARM, linestyle="")
    axes.set_title(f"first at time step {time}, channel {channel}")
    return time, channel


def panels(right: np.ndarray, wrong: Sequence[tuple[str, np.ndarray]], xlabel: str, ylabel: str) -> Figure:
    """A panel for each mistaken curve, over the right one."""
    from matplotlib.ticker import MaxNLocator

    if not wrong:
        raise UsageError("No mistake is recorded for this lesson, so there is nothing to show.")
    rows = -(-len(wrong) // PANELS)
    titles = [textwrap.wrap(title, TITLE_COLUMNS, break_on_hyphens=False) for title, _ in wrong]
    lines = sum(max(map(len, titles[row * PANELS : (row + 1) * PANELS])) for row in range(rows))
    made, axes = figure(rows, PANELS, PANEL_HEIGHT + LINE_HEIGHT * (lines + 1) / rows, squeeze=False)
    drawn = list(axes.flat)
    for panel in drawn[len(wrong) :]:
        panel.set_axis_off()
    for number, (panel, title, (_, curve)) in enumerate(zip(drawn, titles, wrong, strict=False)):
        panel.plot(right, color=LIGHT, linestyle="-", marker="", linewidth=4, label="right")
        panel.plot(curve, color=DARK, linestyle="--", marker="o", markersize=3.5, linewidth=1.3, label="mistaken")
        panel.set_title("\n".join(title), fontsize=10.5)
        panel.tick_params(labelsize=10)
        panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        panel.yaxis.set_major_locator(MaxNLocator(4))
        if number % PANELS == 0:
            panel.set_ylabel(ylabel, fontsize=10)
        if number + PANELS >= len(wrong):
            panel.set_xlabel(xlabel, fontsize=10)
    handles, labels = drawn[0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=10)
    return made
