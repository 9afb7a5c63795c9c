"""Attacks to judge a release by; one a file."""
