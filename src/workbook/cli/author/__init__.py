"""Commands for authors; the one place that may import author."""
