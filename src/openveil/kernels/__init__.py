"""Compiled loops over integer codes; know NumPy and Numba and nothing else.

Compiled on first use and cached on disk, so only the first run on a machine waits for the compiler.
"""
