"""Does a secret stay with whoever holds it?"""

import copy
import pickle
from dataclasses import asdict, astuple, dataclass

import pytest

from openveil.core.secret import Secret

KEY = b"thirty-two bytes that nobody has"


@dataclass(frozen=True)
class Holder:
    """What somebody might keep a secret in."""

    secret: Secret


@pytest.mark.parametrize("give", [pickle.dumps, copy.copy, copy.deepcopy, asdict, astuple, vars])
@pytest.mark.parametrize("wrapped", [False, True])
def test_no_general_way_to_take_a_value_apart_gives_the_key(give, wrapped):
    secret = Secret(KEY)
    try:
        given = give(Holder(secret) if wrapped else secret)
    except TypeError as error:
        assert "thirty" not in str(error)
    else:
        assert wrapped
        assert give in {copy.copy, vars}  # which hand on the secret itself
        assert "thirty" not in repr(given)


@pytest.mark.parametrize("show", [repr, str, "{}".format])
def test_it_is_not_shown(show):
    assert show(Secret(KEY)) == "Secret()"


def test_it_is_a_value():
    assert Secret(KEY) == Secret(KEY) != Secret(bytes(32))
    assert len({Secret(KEY), Secret(KEY)}) == 1
    assert Secret(KEY).key == KEY
