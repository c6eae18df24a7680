"""The long-running process: threads, signals, order of start and stop (contract section 6).

Nothing is imported here, so that commands that only look at `status` are quick.
"""
