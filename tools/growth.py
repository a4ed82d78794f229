#!/usr/bin/env python3
"""How the cost of games grows with their size: propositions, gates, set-up time, time of a step and memory.

Rulesheets of each family are written by this script, for several sizes. The exponent of a figure is the slope of the line that
fits the logarithms best, by least squares, over the greater half of the sizes: small ones are dominated by what any game costs.

    tools/growth.py                                  a table on standard output
    tools/growth.py --picture docs/images/growth.svg also a picture of gates and of time a step
    tools/growth.py --families hex queens --write F  also the rulesheets, to a folder
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from itertools import pairwise, product
from pathlib import Path

from program import PROGRAM, require_program


def numbers(size: int) -> str:
    """The numbers from 1 on, and their order."""
    return "".join(f"(index {i})" for i in range(1, size + 1)) + "".join(f"(succ {i} {i + 1})" for i in range(1, size))


def turns(roles: list[str]) -> str:
    """Roles that take turns."""
    order = "".join(f"(after {a} {b})" for a, b in pairwise([*roles, roles[0]]))
    return "".join(f"(role {role})" for role in roles) + order + f"""(init (control {roles[0]}))
        (<= (next (control ?s)) (true (control ?r)) (after ?r ?s))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))"""


def line(length: int, dx: int, dy: int) -> str:
    """A line of one's own men in a direction."""
    cells = " ".join(f"(true (cell ?x{i if dx else 0} ?y{i if dy else 0} ?r))" for i in range(length))
    steps = []
    for i in range(length - 1):
        steps += [f"(succ ?x{i} ?x{i + 1})"] * (dx != 0)
        steps += [f"(succ ?y{i} ?y{i + 1})" if dy > 0 else f"(succ ?y{i + 1} ?y{i})"] * (dy != 0)
    return f"(<= (line ?r) {' '.join(steps)} {cells})"


def ends(length: int) -> str:
    """The end of a match of lines."""
    return "".join(line(length, *way) for way in ((1, 0), (0, 1), (1, 1), (1, -1))) + """
        (<= some-line (line ?r)) (<= terminal some-line) (<= terminal (not open))
        (<= (goal ?r 100) (line ?r)) (<= (goal ?r 0) (role ?r) some-line (not (line ?r)))
        (<= (goal ?r 50) (role ?r) (not some-line))"""


def lines(size: int, length: int, roles: list[str]) -> str:
    """Roles that mark places, and try to get some in a line."""
    return numbers(size) + turns(roles) + ends(length) + """
        (<= (taken ?x ?y) (true (cell ?x ?y ?r))) (<= open (index ?x) (index ?y) (not (taken ?x ?y)))
        (<= (legal ?r (mark ?x ?y)) (true (control ?r)) (index ?x) (index ?y) (not (taken ?x ?y)))
        (<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y))) (<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)))"""


def gomoku(size: int) -> str:
    return lines(size, 5, ["black", "white"])


def players(size: int) -> str:
    return lines(size + 2, 3, [f"r{i}" for i in range(size)])


def connect_four(size: int) -> str:
    return numbers(size) + turns(["red", "yellow"]) + ends(4) + f"""
        (<= (taken ?x ?y) (true (cell ?x ?y ?r))) (<= open (index ?x) (not (taken ?x {size})))
        (<= (legal ?r (drop ?x)) (true (control ?r)) (index ?x) (not (taken ?x {size})))
        (<= (falls ?x 1) (index ?x) (not (taken ?x 1)))
        (<= (falls ?x ?z) (succ ?y ?z) (taken ?x ?y) (not (taken ?x ?z)))
        (<= (next (cell ?x ?y ?r)) (does ?r (drop ?x)) (falls ?x ?y))
        (<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)))"""


def hex_game(size: int) -> str:
    return numbers(size) + turns(["red", "blue"]) + f"""
        (<= (taken ?x ?y) (true (cell ?x ?y ?r)))
        (<= (legal ?r (mark ?x ?y)) (true (control ?r)) (index ?x) (index ?y) (not (taken ?x ?y)))
        (<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y))) (<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)))
        (<= (near ?x ?y ?z ?y) (succ ?x ?z) (index ?y)) (<= (near ?x ?y ?x ?z) (succ ?y ?z) (index ?x))
        (<= (near ?x ?w ?z ?y) (succ ?x ?z) (succ ?y ?w))
        (<= (adjacent ?a ?b ?c ?d) (near ?a ?b ?c ?d)) (<= (adjacent ?c ?d ?a ?b) (near ?a ?b ?c ?d))
        (<= (joined red ?x 1) (true (cell ?x 1 red))) (<= (joined blue 1 ?y) (true (cell 1 ?y blue)))
        (<= (joined ?r ?c ?d) (joined ?r ?a ?b) (adjacent ?a ?b ?c ?d) (true (cell ?c ?d ?r)))
        (<= (wins red) (joined red ?x {size})) (<= (wins blue) (joined blue {size} ?y))
        (<= won (wins ?r)) (<= terminal won) (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (role ?r) (not (wins ?r)))"""


def breakthrough(size: int) -> str:
    men = [(x, y, role) for x in range(1, size + 1) for role, ranks in (("white", (1, 2)), ("black", (size - 1, size)))
           for y in ranks]
    return numbers(size) + turns(["white", "black"]) + "".join(f"(init (cell {x} {y} {role}))" for x, y, role in men) + f"""
        (<= (forward white ?y ?z) (succ ?y ?z)) (<= (forward black ?z ?y) (succ ?y ?z))
        (<= (beside ?x ?z) (succ ?x ?z)) (<= (beside ?z ?x) (succ ?x ?z))
        (<= (taken ?x ?y) (true (cell ?x ?y ?r)))
        (<= (legal ?r (move ?x ?y ?x ?z)) (true (control ?r)) (true (cell ?x ?y ?r)) (forward ?r ?y ?z) (not (taken ?x ?z)))
        (<= (legal ?r (move ?x ?y ?u ?z)) (true (control ?r)) (true (cell ?x ?y ?r)) (forward ?r ?y ?z) (beside ?x ?u)
            (not (true (cell ?u ?z ?r))))
        (<= (changed ?x ?y) (does ?r (move ?x ?y ?u ?z))) (<= (changed ?u ?z) (does ?r (move ?x ?y ?u ?z)))
        (<= (next (cell ?u ?z ?r)) (does ?r (move ?x ?y ?u ?z)))
        (<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)) (not (changed ?x ?y)))
        (<= (alive ?r) (true (cell ?x ?y ?r)))
        (<= (wins white) (true (cell ?x {size} white))) (<= (wins white) (not (alive black)))
        (<= (wins black) (true (cell ?x 1 black))) (<= (wins black) (not (alive white)))
        (<= won (wins ?r)) (<= terminal won) (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (role ?r) (not (wins ?r)))"""


def chess(size: int) -> str:
    """Kings, queens, rooks and knights: who takes the other's king wins, and after 40 moves nobody does."""
    ranks = ("rook", "knight", "queen", "king")
    men = [(x, y, role, ranks[min(x, size + 1 - x) % 4] if x != size // 2 else "king")
           for x in range(1, size + 1) for role, y in (("white", 1), ("black", size))]
    men = [(x, y, role, kind if x == size // 2 or kind != "king" else "queen") for x, y, role, kind in men]
    ways = [(dx, dy) for dx, dy in product((-1, 0, 1), repeat=2) if (dx, dy) != (0, 0)]
    step = {-1: "(succ ?{1} ?{0})", 0: "(index ?{0})(same ?{0} ?{1})", 1: "(succ ?{0} ?{1})"}
    rules = "".join(f"(<= (step w{i} ?x ?y ?u ?v) {step[dx].format('x', 'u')} {step[dy].format('y', 'v')})"
                    for i, (dx, dy) in enumerate(ways))
    slides = "".join(f"(slides queen w{i})" + (f"(slides rook w{i})" if 0 in way else "") for i, way in enumerate(ways))
    clock = "".join(f"(tick {i} {i + 1})" for i in range(40))
    return numbers(size) + turns(["white", "black"]) + rules + slides + clock + "".join(
        f"(init (cell {x} {y} {role} {kind}))" for x, y, role, kind in men) + """
        (init (time 0)) (<= (next (time ?u)) (true (time ?t)) (tick ?t ?u)) (<= late (true (time 40)))
        (<= (same ?x ?x) (index ?x)) (<= (two ?x ?z) (succ ?x ?y) (succ ?y ?z))
        (<= (by-one ?x ?y) (succ ?x ?y)) (<= (by-one ?y ?x) (succ ?x ?y))
        (<= (by-two ?x ?y) (two ?x ?y)) (<= (by-two ?y ?x) (two ?x ?y))
        (<= (leap ?x ?y ?u ?v) (by-one ?x ?u) (by-two ?y ?v)) (<= (leap ?x ?y ?u ?v) (by-two ?x ?u) (by-one ?y ?v))
        (<= (taken ?x ?y) (true (cell ?x ?y ?r ?k))) (<= (own ?r ?x ?y) (true (cell ?x ?y ?r ?k)))
        (<= (reach ?w ?x ?y ?u ?v) (taken ?x ?y) (step ?w ?x ?y ?u ?v))
        (<= (reach ?w ?x ?y ?s ?t) (reach ?w ?x ?y ?u ?v) (not (taken ?u ?v)) (step ?w ?u ?v ?s ?t))
        (<= (goes ?x ?y ?u ?v) (true (cell ?x ?y ?r ?k)) (slides ?k ?w) (reach ?w ?x ?y ?u ?v))
        (<= (goes ?x ?y ?u ?v) (true (cell ?x ?y ?r king)) (step ?w ?x ?y ?u ?v))
        (<= (goes ?x ?y ?u ?v) (true (cell ?x ?y ?r knight)) (leap ?x ?y ?u ?v))
        (<= (legal ?r (move ?x ?y ?u ?v)) (true (control ?r)) (own ?r ?x ?y) (goes ?x ?y ?u ?v) (not (own ?r ?u ?v)))
        (<= (changed ?x ?y) (does ?r (move ?x ?y ?u ?v))) (<= (changed ?u ?v) (does ?r (move ?x ?y ?u ?v)))
        (<= (next (cell ?u ?v ?r ?k)) (does ?r (move ?x ?y ?u ?v)) (true (cell ?x ?y ?r ?k)))
        (<= (next (cell ?x ?y ?r ?k)) (true (cell ?x ?y ?r ?k)) (not (changed ?x ?y)))
        (<= (alive ?r) (true (cell ?x ?y ?r king))) (<= lost (role ?r) (not (alive ?r)))
        (<= terminal lost) (<= terminal late)
        (<= (goal ?r 0) (role ?r) (not (alive ?r))) (<= (goal ?r 50) (alive ?r) (not lost)) (<= (goal ?r 100) (alive ?r) lost)"""


def queens(size: int) -> str:
    """A queen in each row, one after the other, none of which attacks another one."""
    return numbers(size) + f"""(role solver) (init (row 1)) (succ {size} {size + 1})
        (<= (next (row ?y)) (true (row ?x)) (succ ?x ?y)) (<= (next (queen ?x ?y)) (true (queen ?x ?y)))
        (<= (next (queen ?x ?y)) (true (row ?x)) (does solver (place ?y)))
        (<= (falling 1 ?y ?y) (index ?y)) (<= (falling ?u ?v ?d) (falling ?x ?y ?d) (succ ?x ?u) (succ ?v ?y))
        (<= (attacked ?x ?y) (true (row ?x)) (true (queen ?u ?y)))
        (<= (attacked ?u ?v) (attacks-down ?u ?v)) (<= (attacked ?u ?v) (attacks-up ?u ?v))
        (<= (attacks-up ?u ?v) (true (queen ?x ?y)) (succ ?x ?u) (succ ?y ?v))
        (<= (attacks-up ?u ?v) (attacks-up ?x ?y) (succ ?x ?u) (succ ?y ?v))
        (<= (attacks-down ?u ?v) (true (queen ?x ?y)) (succ ?x ?u) (succ ?v ?y))
        (<= (attacks-down ?u ?v) (attacks-down ?x ?y) (succ ?x ?u) (succ ?v ?y))
        (<= (legal solver (place ?y)) (true (row ?x)) (index ?y) (not (attacked ?x ?y)))
        (<= stuck (true (row ?x)) (not (can ?x))) (<= (can ?x) (legal solver (place ?y)) (true (row ?x)))
        (<= terminal stuck) (<= (goal solver 100) (true (row {size + 1}))) (<= (goal solver 0) (not (true (row {size + 1}))))"""


def sudoku(order: int) -> str:
    """Numbers in the places of an empty sudoku, in any order, none of which occurs twice."""
    size = order * order
    boxes = "".join(f"(box {x} {(x - 1) // order + 1})" for x in range(1, size + 1))
    return numbers(size) + boxes + """(role solver)
        (<= (taken ?x ?y) (true (cell ?x ?y ?n))) (<= (in-column ?x ?n) (true (cell ?x ?y ?n)))
        (<= (in-row ?y ?n) (true (cell ?x ?y ?n)))
        (<= (in-box ?a ?b ?n) (true (cell ?x ?y ?n)) (box ?x ?a) (box ?y ?b))
        (<= (legal solver (mark ?x ?y ?n)) (index ?x) (index ?y) (index ?n) (box ?x ?a) (box ?y ?b) (not (taken ?x ?y))
            (not (in-column ?x ?n)) (not (in-row ?y ?n)) (not (in-box ?a ?b ?n)))
        (<= (next (cell ?x ?y ?n)) (does solver (mark ?x ?y ?n))) (<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)))
        (<= can (legal solver (mark ?x ?y ?n))) (<= open (index ?x) (index ?y) (not (taken ?x ?y)))
        (<= terminal (not can)) (<= (goal solver 100) (not open)) (<= (goal solver 0) open)"""


# The rules of a size, the sizes, and what they count.
FAMILIES = {
    "breakthrough": (breakthrough, (6, 8, 12, 16, 24, 32), "ranks"),
    "gomoku": (gomoku, (8, 10, 15, 19, 26, 36), "ranks"),
    "hex": (hex_game, (5, 7, 9, 11, 14, 18), "ranks"),
    "connect four": (connect_four, (6, 8, 12, 16, 24, 32), "ranks"),
    "queens": (queens, (6, 8, 12, 16, 24, 32), "ranks"),
    "sudoku": (sudoku, (2, 3, 4, 5), "ranks of a box"),
    "chess-like": (chess, (5, 6, 8, 10, 12, 14), "ranks"),
    "n players in a row": (players, (2, 3, 4, 6, 8, 12), "players"),
}
# What is measured, and how it is written.
FIGURES = {
    "propositions": ("propositions", "{:,.0f}"),
    "gates": ("gates", "{:,.0f}"),
    "setup": ("set-up, s", "{:.3f}"),
    "step": ("step, ns", "{:.1f}"),
    "memory": ("memory, MiB", "{:.0f}"),
}
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#8a4fbf", "#e08e0b", "#5b6770", "#00a3a3", "#9c5221")


def run(*arguments: str) -> tuple[dict, float]:
    """What a command prints as JSON, and the most memory that it had, in MiB."""
    process = subprocess.Popen([PROGRAM, *arguments, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{PROGRAM} {' '.join(arguments)}: {errors.decode().strip()}")
    return json.loads(output), usage.ru_maxrss / 1024


def measure(rulesheet: str, seconds: float) -> dict[str, float]:
    """The figures of a rulesheet: a step is one of random playouts in all lanes, by the lane."""
    facts, _ = run("info", rulesheet, "--no-cache")
    played, memory = run("playout", rulesheet, "--seconds", str(seconds), "--seed", "1", "--wait", "--no-cache", "--threads", "1")
    return {
        "propositions": facts["propositions"],
        "gates": facts["circuit"]["gates"],
        "setup": played["setup_seconds"] + (played["code_seconds"] or 0.0),
        "step": 1e9 / played["state_changes_per_second"],
        "memory": memory,
    }


def exponent(sizes: list[int], values: list[float]) -> float:
    """The slope of logarithms over the greater half of the sizes."""
    points = [(math.log(n), math.log(v)) for n, v in zip(sizes, values)][-max(2, (len(sizes) + 1) // 2):]
    mean = [sum(of) / len(points) for of in zip(*points)]
    return sum((x - mean[0]) * (y - mean[1]) for x, y in points) / sum((x - mean[0]) ** 2 for x, _ in points)


def panel(left: int, key: str, families: dict[str, dict[int, dict]]) -> list[str]:
    """The curves of one figure over sizes, both on logarithmic axes."""
    title, width, height, top = FIGURES[key][0], 330, 300, 40
    sizes = [size for rows in families.values() for size in rows]
    values = [row[key] for rows in families.values() for row in rows.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    span = math.log(max(sizes) / min(sizes))

    def place(size: float, value: float) -> tuple[float, float]:
        x = left + width * math.log(size / min(sizes)) / span
        return x, top + height * (1 - (math.log10(value) - low) / (high - low))

    drawn = [f'<text x="{left}" y="{top - 16}" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        y = place(min(sizes), 10**power)[1]
        drawn.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>')
        drawn.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>' if power >= 0
                     else f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for size in (2, 4, 8, 16, 32):
        x = place(size, 1)[0]
        drawn.append(f'<path d="M{x:.1f} {top}v{height}" stroke="#eee"/>')
        drawn.append(f'<text x="{x:.1f}" y="{top + height + 16}" text-anchor="middle">{size}</text>')
    for colour, rows in zip(COLOURS, families.values()):
        points = [place(size, row[key]) for size, row in rows.items()]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return drawn


def picture(families: dict[str, dict[int, dict]]) -> str:
    """Gates, the time of a step and that of set-up over sizes."""
    drawn = [part for at, key in enumerate(("gates", "step", "setup")) for part in panel(80 + 420 * at, key, families)]
    for at, (colour, name) in enumerate(zip(COLOURS, families)):
        x, y = 80 + 300 * (at % 4), 380 + 20 * (at // 4)
        drawn.append(f'<circle cx="{x}" cy="{y - 4}" r="4" fill="{colour}"/><text x="{x + 10}" y="{y}">{name}</text>')
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 420" font-family="sans-serif" font-size="12">'
            '<rect width="1280" height="420" fill="#fff"/>' + "".join(drawn) + "</svg>\n")


def measured(names: list[str], folder: Path, seconds: float) -> dict[str, dict[int, dict[str, float]]]:
    """The figures of families, by size. Their rulesheets are written to a folder."""
    families = {}
    for name in names:
        rules, sizes, _ = FAMILIES[name]
        families[name] = {}
        for size in sizes:
            rulesheet = folder / f"{name.replace(' ', '-')}-{size}.kif"
            rulesheet.write_text(rules(size) + "\n", encoding="utf-8")
            families[name][size] = measure(str(rulesheet), seconds)
            print(f"  {name} {size}", file=sys.stderr)
    return families


def rows(families: dict[str, dict[int, dict[str, float]]]) -> list[list[str]]:
    """A table of the least and the greatest sizes, with exponents."""
    lines = [["family", "sizes", *(head for head, _ in FIGURES.values())]]
    for name, by_size in families.items():
        sizes = list(by_size)
        cells = [name, f"{sizes[0]} to {sizes[-1]} {FAMILIES[name][2]}"]
        for key, (_, form) in FIGURES.items():
            values = [row[key] for row in by_size.values()]
            cells.append(f"{form.format(values[0])} to {form.format(values[-1])}, n<sup>{exponent(sizes, values):.1f}</sup>")
        lines.append(cells)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES), metavar="NAME", help=", ".join(FAMILIES))
    parser.add_argument("--seconds", type=float, default=1.0, help="for the playouts of a size")
    parser.add_argument("--picture", metavar="FILE", help="write a picture there (SVG)")
    parser.add_argument("--write", metavar="FOLDER", help="write the rulesheets there")
    options = parser.parse_args()
    require_program()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(options.write or folder)
        place.mkdir(parents=True, exist_ok=True)
        families = measured(options.families, place, options.seconds)
    head, *lines = rows(families)
    for line in [head, ["---"] * len(head), *lines]:
        print(f"| {' | '.join(line)} |")
    if options.picture:
        Path(options.picture).write_text(picture(families), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
