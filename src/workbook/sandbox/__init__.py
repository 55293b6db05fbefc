"""The layers that hold a learner's process, each an idea of its own. Imported by worker, boundary and doctor."""
