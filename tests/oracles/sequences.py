"""From partitions as lists of rows to the package's `Functions`, and from a table to what a function shows of it."""

from collections.abc import Sequence

import numpy as np

from openveil.core.bags import Bags
from openveil.disclosure.functions import Functions, Image, image_of


def functions_of(listed: Sequence[Sequence[Sequence[int]]]) -> Functions:
    """The partitions with groups in the order in which they are listed."""
    labels = []
    for function in listed:
        label = np.zeros(sum(map(len, function)), dtype=np.int32)
        for number, rows in enumerate(function):
            label[list(rows)] = number
        labels.append(label)
    return Functions.of(labels)


def image_of_table(functions: Functions, i: int, table: Sequence[str]) -> Image:
    """The bags of the groups of function i; values are numbered in their order."""
    distinct = sorted(set(table))
    codes = np.array([distinct.index(value) for value in table], dtype=np.int32)
    whole = np.bincount(codes, minlength=len(distinct))
    return image_of(Bags.of_rows("ill", whole, functions.labels[i], codes, functions.groups(i)))
