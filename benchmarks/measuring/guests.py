"""Packages from PyPI that we are compared with, each in an environment of its own: they need not go with ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from measuring.inputs import CACHE


class NotInstalledError(Exception):
    """The package could not be installed; the message says why."""


def interpreter(package: str, *needed: str) -> Path:
    """The Python of an environment with the package and what it needs, created in the cache on first use."""
    home = CACHE / package
    python = home / "bin" / "python"
    if (home / ".ready").exists():
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, capture_output=True)
        command = [str(python), "-m", "pip", "install", "--quiet", package, *needed]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotInstalledError(str(error)) from error
    (home / ".ready").touch()
    return python


def said_by(python: Path, session: Path, *given: object) -> Any:
    """What the session, run by that Python, prints last."""
    command = [str(python), str(session), *map(str, given)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])
