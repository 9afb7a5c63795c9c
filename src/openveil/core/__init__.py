"""The types everything flows through; knows the kernels and nothing above."""
