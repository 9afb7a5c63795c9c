"""Arrow IPC, also called Feather: the file form and the stream form.

Claim. Reads either form into the common vocabulary (`normalise.py`) and writes the file form. A file that is
damaged, or is not Arrow, is refused.

Why it holds. The file form starts with a magic word, the stream form does not. The bytes are read, not mapped,
so a frame never changes when its file is written over.

Cost. Polars' own reader, over the bytes.
"""

from __future__ import annotations

from io import BytesIO

import polars as pl

from openveil.io.decode import decoded
from openveil.io.normalise import normalised

_MAGIC = b"ARROW1"


def read_arrow(data: bytes, where: str) -> pl.DataFrame:
    """The table in an Arrow file's bytes."""
    reader = pl.read_ipc if data.startswith(_MAGIC) else pl.read_ipc_stream
    return normalised(decoded(reader, data, where, "an Arrow file"), where)


def to_arrow(frame: pl.DataFrame, _: str) -> bytes:
    """`frame` as an Arrow file's bytes."""
    file = BytesIO()
    # The newer layout of text shares buffers with whatever the frame was cut from, suppressed rows included.
    frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
    return file.getvalue()
