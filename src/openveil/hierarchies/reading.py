"""Files that come with a plan, read whole as text.

Claim. A file that is absent, a folder, not UTF-8 or empty is refused in plain words; a byte order mark is dropped.

Cost. One read.
"""

from __future__ import annotations

from pathlib import Path

from openveil.core.errors import refuse


def read_text(where: str, file: Path) -> str:
    """The text of `file`; a `RequestError` that names the file if there is none."""
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise refuse(where, f"cannot read {str(file)!r}", "Check the path", found=error.strerror or "") from error
    except UnicodeDecodeError as error:
        raise refuse(where, f"{str(file)!r} is not UTF-8 text", "Save it as UTF-8") from error
    if not text.strip():
        raise refuse(where, f"{str(file)!r} is empty", "Write the hierarchy into it")
    return text
