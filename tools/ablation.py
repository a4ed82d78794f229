#!/usr/bin/env python3
"""Measures what the parts of proof search are good for, in positions from play.

Usage: tools/ablation.py RULESHEET [--matches N] [--clock S] [--positions N] [--seconds S] [--records FILE]

Positions and questions are those of tools/horizon.py. Each is searched by the whole search and without each of its
parts for the same time; then once more as far as all have come, to count the nodes. The table tells for each variant
the median of the joint moves that were searched completely, how many questions were decided, and the nodes for the same
horizon as a ratio to those of the search of all moves, as geometric mean. Build the release before, or set PROPJIT.
"""

import argparse
import statistics
import sys
from pathlib import Path

from horizon import play, positions, read, run
from program import require_program

# The first one is what nodes are compared with.
VARIANTS = [
    ("all moves", ["--mode", "full"]),
    ("all moves, without cubes", ["--mode", "full", "--without", "cubes"]),
    ("all moves, without fail cubes", ["--mode", "full", "--without", "fail-cubes"]),
    ("all moves, with reasons for illegal replies", ["--mode", "full", "--without", "illegal-replies"]),
    ("all moves, not ordered by influence", ["--mode", "full", "--without", "order"]),
    ("threats", ["--mode", "threats"]),
    ("all moves and threats", ["--mode", "both"]),
    ("proof numbers", ["--mode", "numbers"]),
    ("all of these", ["--mode", "all"]),
]
# Those that search all moves with ever more joint moves, so that nodes for a horizon can be compared.
COMPARED = 5


def is_decided(report: dict) -> bool:
    return report["verdict"] in ("won", "lost")


def horizon(report: dict) -> int:
    """The joint moves that were searched with all moves."""
    times = len(report["seconds_by_depth"])
    return times if report["threats"] is None and not report["by_numbers"] else times - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rulesheet")
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--clock", type=float, default=0.5, help="seconds a move")
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--records", type=Path, help="matches that were played before")
    options = parser.parse_args()
    require_program()
    records = read(options.records) if options.records else play(options.rulesheet, options.matches, options.clock)

    reports = {name: [] for name, _ in VARIANTS}
    nodes = {name: [] for name, _ in VARIANTS[:COMPARED]}
    count = 0
    for moves, roles in positions(records, options.positions):
        for role in roles:
            ask = ["prove", options.rulesheet, "--role", role, "--moves", moves]
            found = {name: run(*ask, *variant, "--seconds", str(options.seconds)) for name, variant in VARIANTS}
            for name, report in found.items():
                reports[name].append(report)
            least = min(horizon(found[name]) for name in nodes)
            if least > 0:
                for name, variant in VARIANTS[:COMPARED]:
                    nodes[name].append(run(*ask, *variant, "--depth", str(least))["nodes"])
            count += 1
            print(f"\r{count}", end="", file=sys.stderr)
    print("", file=sys.stderr)
    if not count:
        sys.exit("no match is long enough")
    print(f"{Path(options.rulesheet).stem}: {count} questions, {options.seconds} s each\n")
    print("| search | median horizon where open | decided | nodes |")
    print("|---|---|---|---|")
    first = VARIANTS[0][0]
    for name, _ in VARIANTS:
        open_ones = [horizon(report) for report in reports[name] if not is_decided(report)]
        # Some do not search all moves with ever more joint moves.
        middle = statistics.median(open_ones) if any(open_ones) else "-"
        decided = sum(map(is_decided, reports[name]))
        ratio = "-"
        if name in nodes and nodes[name]:
            ratios = [max(own, 1) / max(all_, 1) for own, all_ in zip(nodes[name], nodes[first])]
            ratio = f"{statistics.geometric_mean(ratios):.2f}"
        print(f"| {name} | {middle} | {decided} | {ratio} |")


if __name__ == "__main__":
    main()
