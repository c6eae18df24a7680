"""Services of systemd and launchd: what is installed, how it is, and what mends it (contract section 11)."""
