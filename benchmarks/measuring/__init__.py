"""What the benchmarks have in common: inputs, clocks, memory, rivals and the printed table."""
