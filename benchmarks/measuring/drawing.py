"""Charts of what was measured, as SVG files; needs the extra `charts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Series = Mapping[str, Sequence[float]]


def lines(path: Path, title: str, across: tuple[str, Sequence[int]], up: str, series: Series) -> None:
    """One line a series over the same places."""
    figure, axes = _figure(title, across, up)
    for marker, (name, values) in zip("os^Dv", series.items(), strict=False):
        axes.plot(across[1], values, marker=marker, label=name)
    _save(figure, axes, path)


def bars(path: Path, title: str, across: tuple[str, Sequence[int]], up: str, series: Series) -> None:
    """One group of bars a place, one bar a series."""
    figure, axes = _figure(title, across, up)
    width = 0.8 / max(1, len(series))
    for number, (name, values) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * width
        axes.bar([place + shift for place in across[1]], values, width, label=name)
    _save(figure, axes, path)


def _figure(title: str, across: tuple[str, Sequence[int]], up: str) -> tuple[Any, Any]:
    import matplotlib as mpl

    # The same figures give the same file.
    mpl.rcParams["svg.hashsalt"] = "openveil"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(across[0])
    axes.set_ylabel(up)
    axes.set_xticks(list(across[1]))
    axes.grid(axis="y", alpha=0.3)
    return figure, axes


def _save(figure: Any, axes: Any, path: Path) -> None:
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None})
