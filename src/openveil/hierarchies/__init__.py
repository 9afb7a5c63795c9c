"""Rules that say how an attribute may be generalised; one kind a file."""
