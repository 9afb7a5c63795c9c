"""Lines in a frame, as SVG: what a benchmark needs of a chart, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

_WIDE, _HIGH, _LEFT, _BELOW, _ABOVE, _RIGHT = 640, 360, 56, 44, 34, 16
_COLOURS = ("#b2182b", "#e08214", "#2166ac", "#1b7837", "#762a83", "#4d4d4d")
Points = Sequence[tuple[float, float]]


def chart(
    path: Path, title: str, across: str, up: str, lines: Mapping[str, Points], limit: float | None = None
) -> None:
    """Write a chart of named lines; `limit` is drawn as a dashed line."""
    right = max((x for points in lines.values() for x, _ in points), default=1) or 1
    top = max([*(y for points in lines.values() for _, y in points), limit or 0, 1e-9]) * 1.05
    parts = [_head(title, across, up), *_grid(right, top)]
    if limit is not None:
        parts.append(_limit(limit, top))
    for number, (name, points) in enumerate(lines.items()):
        parts.append(_line(name, points, right, top, number))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")


def _place(x: float, y: float, right: float, top: float) -> tuple[float, float]:
    return (
        _LEFT + (_WIDE - _LEFT - _RIGHT) * x / right,
        _HIGH - _BELOW - (_HIGH - _BELOW - _ABOVE) * y / top,
    )


def _head(title: str, across: str, up: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" '
        'font-family="sans-serif" font-size="12">'
        f'<rect width="{_WIDE}" height="{_HIGH}" fill="white"/>'
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}</text>'
        f'<text x="{_WIDE / 2}" y="{_HIGH - 8}" text-anchor="middle">{escape(across)}</text>'
        f'<text transform="translate(14 {_HIGH / 2}) rotate(-90)" text-anchor="middle">{escape(up)}</text>'
    )


def _grid(right: float, top: float) -> list[str]:
    parts = []
    for step in range(6):
        x, bottom = _place(right * step / 5, 0, right, top)
        left, y = _place(0, top * step / 5, right, top)
        parts.append(f'<line x1="{left:.1f}" x2="{_WIDE - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{right * step / 5:,.4g}</text>')
        parts.append(f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{top * step / 5:.3g}</text>')
    return parts


def _limit(limit: float, top: float) -> str:
    left, y = _place(0, limit, 1, top)
    return f'<line x1="{left}" x2="{_WIDE - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#555" stroke-dasharray="5 4"/>'


def _line(name: str, points: Points, right: float, top: float, number: int) -> str:
    colour = _COLOURS[number % len(_COLOURS)]
    places = " ".join("{:.1f},{:.1f}".format(*_place(x, y, right, top)) for x, y in points)
    y = _ABOVE + 14 + 16 * number
    return (
        f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
        f'<text x="{_WIDE - _RIGHT - 6}" y="{y}" text-anchor="end" fill="{colour}">{escape(name)}</text>'
    )
