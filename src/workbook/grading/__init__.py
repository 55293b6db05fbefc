"""One grading, the engine that outlives it, and the pytest session that runs its checks. Imported by workspace, watch, kernel, author and cli."""
