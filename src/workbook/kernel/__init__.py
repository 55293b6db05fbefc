"""What runs in a notebook's kernel beside the lesson: the magics, and their hold on a grader in a process of its own."""
