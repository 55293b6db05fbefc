"""The learner's side of the boundary: the processes in which a submission runs. Never holds a reference or a result."""
