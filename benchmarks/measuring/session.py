"""What every benchmark script does: measure the cases asked for, print each figure keep them in the docs."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.cold import compiling
from measuring.inputs import SHARED
from measuring.lines import Line, markdown, took

DOCS = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"
Cases = Mapping[str, Callable[[], Iterator[Line]]]


@dataclass(frozen=True)
class Script:
    """Its name, which marks its figures in the docs, what it says of itself, what is run first, its cases."""

    name: str
    purpose: str
    first: str
    cases: Cases

    def run(self) -> int:
        """Measure the cases asked for; 1 when the data is not there."""
        asked = self._asked()
        if not (SHARED / "data").is_dir():
            print(f"The benchmarks need the data in {Path('..') / 'shared'} beside the repository; it is not there.")
            return 1
        setting = list(_setting(self.first))
        print(*setting, sep="\n", flush=True)
        lines = []
        for case in asked.cases or self.cases:
            for line in self.cases[case]():
                print(line.text(), flush=True)
                lines.append(line)
        if asked.markdown:
            self._tell("\n".join([*setting, "", markdown(lines)]), whole=not asked.cases)
        return 0

    def _asked(self) -> argparse.Namespace:
        parser = argparse.ArgumentParser(description=self.purpose.partition("\n")[0])
        parser.add_argument("cases", nargs="*", metavar="case", help=f"all by default: {', '.join(self.cases)}")
        said = "write the table into docs/benchmarks.md; of some cases only, print it"
        parser.add_argument("--markdown", action="store_true", help=said)
        asked = parser.parse_args()
        unknown = [case for case in asked.cases if case not in self.cases]
        if unknown:
            parser.error(f"no such case: {', '.join(unknown)}; choose from {', '.join(self.cases)}")
        return asked

    def _tell(self, figures: str, *, whole: bool) -> None:
        if not whole:
            print("", figures, sep="\n")
            return
        DOCS.write_text(between(DOCS.read_text(encoding="utf-8"), self.name, figures), encoding="utf-8")


def between(text: str, name: str, figures: str) -> str:
    """The text with these figures between the markers of that name, which are each on a line of its own."""
    first, last = f"<!-- {name}: begin", f"<!-- {name}: end"
    lines: Sequence[str] = text.splitlines()
    [start] = (number for number, line in enumerate(lines) if line.startswith(first))
    [end] = (number for number, line in enumerate(lines) if line.startswith(last))
    return "\n".join([*lines[: start + 1], "", figures, "", *lines[end:], ""])


def _setting(first: str) -> Iterator[str]:
    python, load = platform.python_version(), os.getloadavg()[0]
    yield f"One run, {os.cpu_count()} cores, Python {python}; load before it {load:.1f} (a quiet machine: below 0.3)."
    compiled, loaded = compiling(first)
    cost = f"{took(compiled)} (compiling), with a full one {took(loaded)}"
    yield f"First {first} with an empty cache of kernels {cost}."
