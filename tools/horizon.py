#!/usr/bin/env python3
"""Measures how deep proof search sees in positions from play.

Usage: tools/horizon.py RULESHEET [--matches N] [--clock S] [--positions N] [--seconds S ...] [--records FILE]

The engine plays matches against itself, without local search; positions are taken 8 to 16 joint moves before the end.
Each role is asked whether it can force its greatest goal, by `propjit prove RULESHEET --role ROLE --moves MOVES`. For
each time the table tells the median of the joint moves that were searched completely, where a proof counts as more than
any number, the median where nothing was proved, and how often something was. With --records, matches are taken from a
file that `propjit match --output` has written. Build the release before, or set PROPJIT.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from bisect import bisect_right
from pathlib import Path

from program import PROGRAM, require_program

BEFORE_THE_END = range(8, 17, 2)


def run(*arguments: str) -> dict:
    """What a command prints as JSON."""
    done = subprocess.run([PROGRAM, *arguments, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"propjit {' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def play(rulesheet: str, matches: int, clock: float) -> list[dict]:
    """Records of matches of the engine against itself."""
    player = "mcts:threads=1,ponder=false,local=false"
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "records.jsonl")
        run("match", rulesheet, "--player", player, "--player", player, "--games", str(matches), "--seed", "1",
            "--start-clock", "1", "--play-clock", str(clock), "--output", file)
        return read(Path(file))


def read(file: Path) -> list[dict]:
    """The records in a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def positions(records: list[dict], count: int) -> list[tuple[str, list[str]]]:
    """Histories in the form of --moves, with the roles."""
    found = []
    for record in records:
        joints = [" | ".join(move["move"] for move in step) for step in record["steps"]]
        found += [("; ".join(joints[:-back]), record["roles"]) for back in BEFORE_THE_END if len(joints) > back]
    random.Random(1).shuffle(found)
    return found[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rulesheet")
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--clock", type=float, default=0.5, help="seconds a move")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seconds", type=float, nargs="+", default=[1.0, 15.0])
    parser.add_argument("--records", type=Path, help="matches that were played before")
    arguments = parser.parse_args()
    require_program()
    if arguments.records:
        records = read(arguments.records)
    else:
        records = play(arguments.rulesheet, arguments.matches, arguments.clock)
    reports = []
    for moves, roles in positions(records, arguments.positions):
        for role in roles:
            most = str(max(arguments.seconds))
            reports.append(run("prove", arguments.rulesheet, "--role", role, "--moves", moves, "--seconds", most))
            print(f"\r{len(reports)}", end="", file=sys.stderr)
    print("", file=sys.stderr)
    if not reports:
        sys.exit("no match is long enough")
    print(f"{Path(arguments.rulesheet).stem}: {len(reports)} questions")
    for seconds in sorted(arguments.seconds):
        reached, open_ones = [], []
        for report in reports:
            times = report["seconds_by_depth"]
            depth = bisect_right(times, seconds)
            decided = report["verdict"] in ("won", "lost") and depth == len(times)
            reached.append(float("inf") if decided else depth)
            open_ones += [] if decided else [depth]
        proved = len(reached) - len(open_ones)
        middle = statistics.median(open_ones) if open_ones else "-"
        print(f"{seconds:6.2f} s: median {statistics.median(reached)}, where open {middle}, proved {proved}")
    nodes = sum(report["nodes"] for report in reports)
    time = sum(report["seconds"] for report in reports)
    mean = lambda key: statistics.mean(report[key] for report in reports)
    print(f"{nodes / time:.0f} nodes a second, {mean('discharged'):.0%} discharged, lanes {mean('fill'):.0%} full")


if __name__ == "__main__":
    main()
