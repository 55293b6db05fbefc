"""`Lesson`: a notebook's way to its recorded arrays, examples, pictures and the learner's functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbook.checks.examples import ExampleValues, as_values
from workbook.content import catalog
from workbook.errors import UsageError
from workbook.lesson import pictures, recorded
from workbook.lesson.yours import Yours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Lesson:
    """One problem's lesson, in the workbook that the current folder lies in. Sets the style of pictures."""

    def __init__(self, number: int) -> None:
        self.problem = catalog.load(catalog.find_root()).problem(number)
        pictures.use_style()

    @cached_property
    def recorded(self) -> recorded.Recorded:
        """Arrays by key, read-only: what the solution and the known mistakes gave when the notebook was built."""
        return recorded.read(self.problem.recorded)

    def example(self, name: str) -> ExampleValues:
        """A hand example: `.arguments` by name and `.returns`, as float64 tensors (or arrays) of the problem's library."""
        examples = as_values(self.problem)
        if name not in examples:
            raise UsageError(f"Problem {self.problem.number} has no example {name!r}: there are {', '.join(examples)}.")
        return examples[name]

    def yours(self) -> Yours:
        """The learner's own functions, as the exercise file has them now; see `Yours`."""
        return Yours(self.problem)

    def figure(self, rows: int = 1, columns: int = 1, height: float = 3.0, **options: Any) -> tuple[Figure, Any]:
        """A figure as wide as JupyterLab's column, and its axes (an array where there are several).

        Args:
            rows: rows of axes.
            columns: columns of axes.
            height: inches of each row.
            options: of matplotlib's `Figure.subplots`, such as sharey=True.
        """
        return pictures.figure(rows, columns, height, **options)

    def show(self, figure: Figure, *, alt: str) -> None:
        """Display a figure. `alt` says in words what there is to see, for those who do not see the picture."""
        pictures.show(figure, alt)

    def heat(self, axes: Axes, values: Any, *, tolerance: float = 1e-9, label: str = "|difference|") -> Any:
        """A picture time x channel of |values|, with its first entry above `tolerance` marked; see `pictures.heat`."""
        return pictures.heat(axes, values, tolerance=tolerance, label=label)

    def mistakes(
        self,
        *,
        alt: str,
        ylabel: str,
        right: str = "mistakes/right",
        wrong: str = "mistakes/",
        labels: Mapping[str, str] | None = None,
        xlabel: str = "time step",
    ) -> None:
        """Show every recorded mistake in a small panel of its own, over the right curve.

        Args:
            alt: what there is to see, in words.
            ylabel: what the curves are, written at the left of each row.
            right: key of the right curve.
            wrong: the group of the mistaken curves, "mistakes/" or another that the recipe returns as a dict.
            labels: titles in place of the mistakes' names; a name that maps to "" is left out.
            xlabel: written under the lowest row.
        """
        group = wrong.rstrip("/")
        names = self.recorded.about.groups.get(group, ())
        titles = [(labels or {}).get(name, name) for name in names]
        curves = [(title, self.recorded[f"{group}/{number}"]) for number, title in enumerate(titles) if title]
        pictures.show(pictures.panels(self.recorded[right], curves, xlabel, ylabel), alt)
