"""What is noticed of the vault: events as hints, the sweep as the truth (contract [D-1], [D-2])."""
