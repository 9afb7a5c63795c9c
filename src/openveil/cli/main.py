"""The command line.

Claim. Exit code 0 means done and verified, 1 that a guarantee cannot be met or does not hold, 2 a wrong request,
70 a defect of openveil, 74 that the answer could not be written to standard output (what was asked for may well be
done), 130 interrupted, 141 nobody reads the output. Results go to standard output, everything
else to standard error; with `--json` one object goes to standard output and nothing else. No error shows data: of
an unexpected one only the type is told.

Why it holds. Every command returns through `main`, the only place where errors become exit codes.

Cost. Each command imports what it needs when it runs, so that help and version come at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

INTERRUPTED = 130

Json = Annotated[bool, Parameter(name="--json", negative=(), help="Print one JSON object and nothing else.")]
PlanFile = Annotated[Path, Parameter(help="The plan, a TOML file.")]


def _version() -> str:
    from importlib.metadata import version

    return f"openveil {version('openveil')}"


app = App(
    name="openveil",
    help="Publish tables about people so that nobody can be singled out, not even by someone who has read the code.",
    version=_version,
    version_flags=("--version",),
    help_format="plaintext",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
app["--help"].group = app["--version"].group = "Options"


@app.command
def scan(  # noqa: PLR0913  one parameter an option
    file: Annotated[Path, Parameter(help="The table: CSV, Parquet or Arrow.")],
    /,
    *,
    output: Annotated[
        Path | None, Parameter(("--output", "-o"), help="Where to write the plan; else printed.")
    ] = None,
    force: Annotated[bool, Parameter(negative=(), help="Replace a plan that is already there.")] = False,
    separator: Annotated[str | None, Parameter(help="What separates cells, such as ; (else detected).")] = None,
    encoding: Annotated[str | None, Parameter(help="The encoding, such as cp1252 (else detected).")] = None,
    decimal: Annotated[str | None, Parameter(help="The decimal mark, a point or a comma (else detected).")] = None,
    missing: Annotated[
        tuple[str, ...],
        Parameter(
            negative=(),
            allow_leading_hyphen=True,
            show_default=False,
            help="A spelling that means 'not known', such as n/a; may be given several times.",
        ),
    ] = (),
    json: Json = False,
) -> int:
    """Look at a table and propose a plan, with a reason for each column."""
    from openveil.cli import scanning

    asked = scanning.Asked(file, separator, encoding, decimal, missing)
    return scanning.run(asked, output, replace=force, as_json=json)


@app.command
def publish(
    plan: PlanFile,
    /,
    *,
    keep_secret: Annotated[
        Path | None, Parameter(help="A new file for the secret, to repeat the release; whoever has it can undo it.")
    ] = None,
    secret: Annotated[Path | None, Parameter(help="Repeat a release with the secret in this file.")] = None,
    json: Json = False,
) -> int:
    """Publish a table as a plan says, verified before anything is written."""
    from openveil.cli import publishing

    return publishing.run(plan, publishing.Keys(keep_secret, secret), as_json=json)


@app.command
def verify(
    folder: Annotated[Path, Parameter("DIR", help="The folder `openveil publish` wrote.")],
    /,
    *,
    public: Annotated[
        Path | None, Parameter(help="A table of everyone's quasi-identifiers: replay the method on it.")
    ] = None,
    plan: Annotated[
        Path | None, Parameter(help="The plan, for --public where the certificate is not enough.")
    ] = None,
    json: Json = False,
) -> int:
    """Measure a release again from its files alone, or replay its method on the quasi-identifiers."""
    from openveil.cli import verifying

    # The folder `.` has no name that messages could show.
    whole = folder if folder.name else folder.resolve()
    return verifying.run(whole, verifying.Replay(public, plan), as_json=json)


@app.command
def parts(
    kind: Annotated[str | None, Parameter(help="List only these, such as hierarchy or method.")] = None,
    /,
    *,
    json: Json = False,
) -> int:
    """List what is registered: privacy models, methods, preferences, hierarchies, utility, attacks."""
    from openveil.cli import catalogue

    return catalogue.show_parts(catalogue.kind_called(kind) if kind else None, as_json=json)


@app.command
def explain(
    name: Annotated[str | None, Parameter(help="The part; without one, the names are listed.")] = None, /
) -> int:
    """Say what a part does, why it holds, what it costs and where it comes from."""
    from openveil.cli import catalogue

    return catalogue.show_parts(None, as_json=False) if name is None else catalogue.explain(name)


@app.command
def hierarchies(
    plan: PlanFile,
    folder: Annotated[Path, Parameter("DIR", help="A new folder for the files.")],
    /,
    *,
    json: Json = False,
) -> int:
    """Write the hierarchy of each quasi-identifier as a CSV file `value;level1;...;*`, as ARX reads it."""
    from openveil.cli import exporting

    return exporting.run(plan, folder, as_json=json)


@app.command
def schema() -> int:
    """Print the JSON Schema of a plan, for editors."""
    from openveil.cli import catalogue

    return catalogue.show_schema()


@app.command
def demo(
    folder: Annotated[Path, Parameter("DIR", help="Where to put the files.")] = Path("openveil-demo"),
    /,
    *,
    json: Json = False,
) -> int:
    """Publish the bundled UCI Adult table and say what was done."""
    from openveil.cli import demonstrating

    return demonstrating.run(folder, as_json=json)


@app.command
def link(
    plan: PlanFile,
    external: Annotated[Path, Parameter(help="A table with names, as an adversary may hold it.")],
    /,
    *,
    who: Annotated[Path | None, Parameter(help="Write who is re-identified into this new file.")] = None,
    separator: Annotated[str | None, Parameter(help="What separates its cells, such as ; (else detected).")] = None,
    encoding: Annotated[str | None, Parameter(help="Its encoding, such as cp1252 (else detected).")] = None,
    decimal: Annotated[str | None, Parameter(help="Its decimal mark (else a point).")] = None,
    json: Json = False,
) -> int:
    """Try the linking attack: whom does an identified table find, before and after publishing as the plan says?"""
    from openveil.cli import linking, scanning

    asked = scanning.Asked(external, separator, encoding, decimal)
    return linking.run(plan, asked, who, as_json=json)


@Parameter(name="*")
@dataclass(frozen=True)
class Spelling:
    """How a file was written; what is not said is recognised."""

    separator: Annotated[str | None, Parameter(help="What separates its cells, such as ; (else detected).")] = None
    encoding: Annotated[str | None, Parameter(help="Its encoding, such as cp1252 (else detected).")] = None


@app.command
def attack(
    plan: PlanFile,
    /,
    *,
    seed: Annotated[int, Parameter(help="Draw another control group and another release.")] = 0,
    json: Json = False,
) -> int:
    """Try every attack on the table as it is, and on what the plan publishes; nothing is written."""
    from openveil.cli import attacking

    return attacking.run(plan, seed, as_json=json)


@app.command
def check(plan: PlanFile, /, *, json: Json = False) -> int:
    """Say what knowing the method adds to what the plan publishes; nothing is written."""
    from openveil.cli import checking

    return checking.run(plan, as_json=json)


@app.command
def audit(
    plan: PlanFile,
    release: Annotated[Path, Parameter(help="The release to judge, whoever made it: CSV, Parquet or Arrow.")],
    /,
    *,
    original: Annotated[Path | None, Parameter(help="The table it was made from; more can then be told.")] = None,
    count: Annotated[str | None, Parameter(help="The column that says how many people a row stands for.")] = None,
    page: Annotated[Path | None, Parameter(help="Write the audit into this new HTML file, too.")] = None,
    spelling: Spelling | None = None,
    json: Json = False,
) -> int:
    """Judge somebody else's release: does it keep the plan's promise, and does the file give people away?"""
    from openveil.cli import auditing, scanning

    written = spelling or Spelling()
    asked = scanning.Asked(release, written.separator, written.encoding, None)
    return auditing.run(plan, asked, auditing.Options(original, count, page), as_json=json)


@app.command(name="compare-strategies")
def compare_strategies(
    plan: PlanFile,
    /,
    *,
    chart: Annotated[Path | None, Parameter(help="Write a chart into this new file, as SVG.")] = None,
    json: Json = False,
) -> int:
    """Show what each disclosure strategy releases of one table and one sequence of functions, and at what cost."""
    from openveil.cli import comparing

    return comparing.run(plan, chart, as_json=json)


def run() -> None:
    """The entry point of the installed command."""
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(main(sys.argv[1:]))


def main(tokens: Sequence[str]) -> int:
    """Carry out one command; the exit code."""
    from openveil.cli import answering

    with answering.guarded() as answer:
        try:
            code = _carried_out(list(tokens))
            answer.flush()
        except answering.UnansweredError as error:
            return answering.given_up(error)
        return code


def _carried_out(tokens: list[str]) -> int:
    from openveil.cli.answering import UnansweredError

    try:
        return int(app(tokens, exit_on_error=False, print_error=False) or 0)
    except UnansweredError:
        raise
    except BaseException as error:  # noqa: BLE001  the one place where errors end
        return _ended(error, as_json="--json" in tokens)


def _terminated(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """A polite kill ends like an interrupt: everything on the way is undone."""
    raise KeyboardInterrupt


def _ended(error: BaseException, *, as_json: bool) -> int:
    from openveil.cli import failing
    from openveil.core.errors import OpenveilError

    if os.environ.get("OPENVEIL_DEBUG") and not isinstance(error, OpenveilError | CycloptsError | SystemExit):
        raise error
    if isinstance(error, KeyboardInterrupt):
        print("Interrupted. Nothing was left behind.", file=sys.stderr)
        return INTERRUPTED
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0
    return failing.tell(error, as_json=as_json)
