"""Learning curves and positions as pictures, in SVG and without other packages.

>>> from propjit import Game, drawing
>>> picture = drawing.position(Game.named("connectFour").initial.apply("(drop 4)"))
>>> picture.startswith("<svg") and ">red<" in picture
True
>>> drawing.curve([1, 2, 4], {"score": [0.2, 0.5, 0.6]}, x="minutes").count("<polyline")
1
"""

from __future__ import annotations

from html import escape
from math import ceil, floor, isfinite, log10
from typing import List, Mapping, Optional, Sequence, Tuple

from ._native import State

#: Colours that people who do not see all of them tell apart (Okabe and Ito, 2008).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#b8a200"]


def position(state: State, *, size: int = 48) -> str:
    """A picture of the boards of a state, with the contents of their places, and what else holds below.

    The first row of a board is at the top. `size` is that of a place, in pixels. In a game without a board, what holds is
    listed.
    """
    planes = state.game.planes(relative=False)
    _, height, width = planes.shape
    numbers = set(state.numbers)
    contents: List[Tuple[int, int, int]] = []
    if height > 1:
        for channel, rows in enumerate(planes.index[0]):
            if len(set(rows.ravel().tolist()) - {-1, -2}) < 2:
                continue
            for row, line in enumerate(rows):
                contents += [(channel, row, column) for column, fluent in enumerate(line) if fluent in numbers]
    drawn = {int(planes.index[0][place]) for place in contents}
    rest = [state.game.fluents[number] for number in sorted(numbers - drawn)]
    board = height * size if height > 1 else 0
    parts = []
    if board:
        parts.append(f'<rect x="8" y="8" width="{width * size}" height="{board}" fill="#f4efe4"/>')
        grid = "".join(f"M8 {8 + row * size}h{width * size}" for row in range(height + 1))
        grid += "".join(f"M{8 + column * size} 8v{board}" for column in range(width + 1))
        parts.append(f'<path d="{grid}" stroke="#a89f8d" fill="none"/>')
    names = planes.names
    for channel, row, column in contents:
        x, y = 8 + (column + 0.5) * size, 8 + (row + 0.5) * size
        colour = COLOURS[channel % len(COLOURS)]
        text = names[channel].removeprefix("cell ")
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{0.42 * size:g}" fill="{colour}"/>'
            f'<text x="{x:g}" y="{y + 0.08 * size:g}" font-size="{0.22 * size:g}" text-anchor="middle" '
            f'fill="white">{escape(text[:8])}</text>'
        )
    top = board + 8
    for line, text in enumerate(rest, 1):
        parts.append(f'<text x="8" y="{top + 18 * line}" font-size="13" fill="#222">{escape(text)}</text>')
    longest = max([len(text) for text in rest], default=0)
    return _svg(max(width * size * (board > 0), 8 * longest) + 16, top + 18 * len(rest) + 8, parts)


def curve(
    values: Sequence[float],
    series: Mapping[str, Sequence[Optional[float]]],
    *,
    x: str = "",
    y: str = "",
    limits: Optional[Tuple[float, float]] = None,
    width: int = 640,
    height: int = 360,
) -> str:
    """A picture of curves: `series` has for each name the numbers that belong to `values`; missing ones are left out.
    `limits` are the least and the greatest number on the vertical axis."""
    points = {
        name: [
            (float(at), float(number))
            for at, number in zip(values, numbers)
            if number is not None and isfinite(number)
        ]
        for name, numbers in series.items()
    }
    everything = [point for curve in points.values() for point in curve]
    if not everything:
        raise ValueError("there are no numbers to draw")
    low, high = limits or (min(number for _, number in everything), max(number for _, number in everything))
    steps_y = _steps(low, high)
    steps_x = _steps(min(at for at, _ in everything), max(at for at, _ in everything))
    left, right, top, bottom = 60, width - 16, 28, height - 44
    low, high = min(low, steps_y[0]), max(high, steps_y[-1])
    first, last = steps_x[0], steps_x[-1]

    def place(at: float, number: float) -> Tuple[float, float]:
        across = left + (right - left) * (at - first) / (last - first)
        up = bottom - (bottom - top) * (number - low) / (high - low)
        return across, up

    parts = []
    for number in steps_y:
        up = place(first, number)[1]
        parts.append(f'<path d="M{left} {up:.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{up + 4:.1f}" text-anchor="end" font-size="12">{number:g}</text>')
    for at in steps_x:
        across = place(at, low)[0]
        parts.append(f'<path d="M{across:.1f} {bottom}v4" stroke="#888"/>')
        parts.append(
            f'<text x="{across:.1f}" y="{bottom + 18}" text-anchor="middle" font-size="12">{at:g}</text>'
        )
    parts.append(f'<text x="{(left + right) / 2:g}" y="{height - 8}" text-anchor="middle" font-size="13">{escape(x)}</text>')
    parts.append(f'<text x="{left}" y="12" text-anchor="middle" font-size="13">{escape(y)}</text>')
    for number, (name, of_curve) in enumerate(points.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [place(*point) for point in sorted(of_curve)]
        text = " ".join(f"{across:.1f},{up:.1f}" for across, up in places)
        parts.append(f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="{colour}"/>' for across, up in places]
        parts.append(
            f'<text x="{right}" y="{top + 16 * (number + 1)}" text-anchor="end" font-size="13" '
            f'fill="{colour}">{escape(name)}</text>'
        )
    return _svg(width, height, parts)


def _steps(low: float, high: float) -> List[float]:
    """Round numbers from one below to one above."""
    span = high - low or abs(high) or 1.0
    size = 10 ** floor(log10(span / 4))
    size *= next(factor for factor in (1, 2, 5, 10) if span / (factor * size) <= 6)
    first, last = floor(low / size), ceil(high / size)
    return [round(size * number, 12) for number in range(first, max(last, first + 1) + 1)]


def _svg(width: float, height: float, parts: List[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )
