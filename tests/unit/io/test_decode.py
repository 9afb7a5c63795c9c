"""Does anything a compiled reader says about damaged bytes ever reach a message?"""

import traceback

import pytest
from polars.exceptions import ComputeError, DuplicateError, OutOfBoundsError, PanicException, SchemaError

from openveil.core.errors import RequestError
from openveil.io.decode import decoded

CELL = "Zebulon"


@pytest.mark.parametrize(
    "said", [ComputeError, DuplicateError, OutOfBoundsError, SchemaError, PanicException, OSError]
)
def test_what_a_reader_says_is_dropped(said):
    def reader(_):
        raise said(f"conversion of {CELL} failed")

    with pytest.raises(RequestError, match=r"^x\.parquet: (is damaged, or is not|has two columns)") as caught:
        decoded(reader, b"", "x.parquet", "a Parquet file")
    assert CELL not in "".join(traceback.format_exception(caught.value))


def test_a_mistake_of_our_own_is_not_hidden():
    def reader(_):
        raise TypeError

    with pytest.raises(TypeError):
        decoded(reader, b"", "x.parquet", "a Parquet file")
