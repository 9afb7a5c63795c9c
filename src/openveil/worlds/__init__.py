"""What an adversary takes to be possible: the tables that agree with a release, without and with the algorithm."""
