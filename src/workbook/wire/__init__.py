"""Plain values between the grader and a worker that may send any bytes at all: no pickle. Anyone may import it."""
