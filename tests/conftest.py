"""Settings every test shares."""

from pathlib import Path

import pytest
from hypothesis import settings

# Kernels compile on first use, which no deadline of a single example can foresee.
settings.register_profile("openveil", deadline=None)
settings.load_profile("openveil")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of goldens and real tables beside the project."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside the project: the goldens and the real tables are not here")
    return SHARED
