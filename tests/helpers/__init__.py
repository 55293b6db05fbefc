"""What several tests share, beside the fixtures of tests/conftest.py."""
