"""Files and frames in and out; decides nothing."""
