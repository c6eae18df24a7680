"""Where things lie in a vault: kinds of files, what is never content, walking, the vault's lock."""
