"""Publish tables about people so that nobody can be singled out, not even by someone who has read the code."""
