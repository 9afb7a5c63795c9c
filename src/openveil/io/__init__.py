"""Files and frames in and out; decides nothing.

A format is a pair of plain functions between bytes and a frame, one file a format; only `storage.py` and
`stage.py` touch the disk. No message of this package ever shows a cell: what Polars or Arrow say when they fail
is dropped, because they quote cells.
"""
