"""Reading, writing and moving one file; `atomic_agents._io` is the door to it."""
