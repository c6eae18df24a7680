"""Small real implementations at the rim, for tests."""
