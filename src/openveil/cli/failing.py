"""Say what went wrong, for people and for machines.

Claim. What openveil raises on purpose is shown whole; of anything else only the type is told, for its text may
hold data.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator

from cyclopts import CycloptsError

from openveil.cli.answering import silence
from openveil.core.errors import GuaranteeError, OpenveilError, Problem, RequestError, refuse

DEFECT = 70


def tell(error: BaseException, *, as_json: bool) -> int:
    """Show `error` and return the exit code that belongs to it."""
    known = _as_ours(error)
    if known is None:
        message = f"openveil failed in a way it should not ({type(error).__name__})"
        hint = "Please report it. OPENVEIL_DEBUG=1 shows where it happened; what it shows may contain data."
        _show({"error": message, "problems": []}, [message + ".", hint], as_json=as_json)
        return DEFECT
    _show(_plain(known), list(_lines(known)), as_json=as_json)
    return known.exit_code


def _as_ours(error: BaseException) -> OpenveilError | None:
    if isinstance(error, OpenveilError):
        return error
    if isinstance(error, CycloptsError):
        error.verbose = False
        return refuse("command line", str(error).strip().rstrip("."), "See `openveil --help`")
    if isinstance(error, OSError) and error.strerror:
        return refuse("files", "the system refused", "Check paths, rights and free space", found=error.strerror)
    return None


def _plain(error: OpenveilError) -> dict[str, object]:
    if isinstance(error, RequestError):
        problems = [dataclasses.asdict(problem) for problem in error.problems]
        return {"error": f"the request has {_count(len(problems))}", "problems": problems}
    plain: dict[str, object] = {"error": str(error), "problems": []}
    if isinstance(error, GuaranteeError):
        plain |= {"model": error.model, "promised": error.promised, "reached": error.reached, "remedy": error.remedy}
    return plain


def _lines(error: OpenveilError) -> Iterator[str]:
    if isinstance(error, RequestError):
        yield f"This cannot be done as asked: {_count(len(error.problems))}."
        for problem in error.problems:
            yield from ("", *_of_problem(problem))
    elif isinstance(error, GuaranteeError):
        yield "The guarantee cannot be met. Nothing was published."
        yield ""
        yield f"  {error.model}: {error.promised} was asked for, {error.reached}."
        yield f"  > {error.remedy}."
    else:
        yield str(error)


def _of_problem(problem: Problem) -> Iterator[str]:
    found = f" (found {problem.found})" if problem.found else ""
    yield f"  {problem.where}"
    yield f"    {problem.what}{found}"
    yield f"  > {problem.remedy}"


def _count(problems: int) -> str:
    return "1 problem" if problems == 1 else f"{problems} problems"


def _show(plain: dict[str, object], lines: list[str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(plain, ensure_ascii=False, indent=2))
        return
    if sys.stderr is None:
        return
    from openveil.cli.showing import console

    terminal = console(sys.stderr)
    try:
        for number, line in enumerate(lines):
            style = "bold red" if number == 0 else "green" if line.startswith("  > ") else ""
            terminal.print(line, style=style)
    except OSError:
        # Where nobody can be told, the exit code still says it.
        silence(sys.stderr)
