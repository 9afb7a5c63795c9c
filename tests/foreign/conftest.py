"""Programs of others, in an environment of their own (`make foreign`)."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".foreign" / "bin" / "python"


@pytest.fixture(scope="session")
def releases():
    """A function that lets a program release tables: what it writes, as CSV, one text a table."""
    if not (ROOT / ".foreign" / ".ready").exists():
        message = "the programs of others are not here: make foreign"
        if os.environ.get("OPENVEIL_FOREIGN") == "required":
            pytest.fail(message)
        pytest.skip(message)

    def run(program, tables, **request):
        asked = json.dumps({"program": program, "tables": tables, **request})
        command = [str(PYTHON), str(Path(__file__).with_name("programs.py"))]
        done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
