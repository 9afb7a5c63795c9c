"""Plan, scan, publish, verify: parts put together, found through the registry."""
