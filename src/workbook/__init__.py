"""The grading engine. It knows nothing of recurrences: the content is in the four folders at the top of the project."""

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext workbook` calls: adds %%solve, %grade and %hint to a notebook."""
    from workbook.kernel import magics

    magics.register(shell)
