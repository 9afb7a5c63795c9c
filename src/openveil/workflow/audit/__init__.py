"""Somebody else's release, judged: does it keep the plan's promise, and does the file itself give people away?

Claim. `audit` says of every privacy model of the plan whether a release keeps it under each reading of its hidden
cells (`readings.py`), what the release reaches of every other model, how its labels were read, and which accidents
are in the file (`columns.py`, `order.py`, `ends.py`). The verdict is the worst of all of them: `holds` only where
every promise holds under every reading and nothing of weight was found. What cannot be told is undecided, and is no
sign of safety.

Why it holds. Classes are formed anew from the cells as they are written. Nothing is believed of the program that
wrote them, and nothing is repaired. What the algorithm gives away to somebody who knows it is no part of this: that
needs the algorithm.

Cost. Reading, one fold of the rows, and what the parts say; distinct labels are read once.
"""

from __future__ import annotations

from openveil.workflow.audit.judging import Audit, audit

__all__ = ["Audit", "audit"]
