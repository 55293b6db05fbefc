"""A learner's own files: progress, exercise, hints, updates. Imported by watch, kernel and cli."""
