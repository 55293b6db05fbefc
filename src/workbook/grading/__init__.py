"""One grading: an engine that lives long, and the pytest session that runs the checks. Imported by workspace, watch, kernel, author and cli."""
