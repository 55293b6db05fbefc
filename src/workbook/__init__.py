"""The grading engine. It knows nothing of recurrences: the content is in the four folders at the top of the project."""

__version__ = "0.1.0"
