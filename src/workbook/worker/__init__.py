"""The learner's process: a submission runs here, and no answer and no verdict is ever near. Imported by boundary, which starts it."""
