"""Does every import point down?"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_imports_point_down():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout


def test_no_module_name_says_nothing():
    empty = {"utils", "util", "helpers", "common", "misc", "base"}
    assert not [path for path in (ROOT / "src").rglob("*.py") if path.stem in empty]
