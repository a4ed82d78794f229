#!/usr/bin/env python3
"""What darkening brings in whole matches: playouts a second of CPU time, with it against without it.

For each game, as many playouts a move as a search makes in some time, in matches with the same random numbers with and
without darkening, so that the work differs in nothing else. The time is CPU time of the process, set-up and compiling
included; of several runs, the one that was least disturbed counts. Usage:

    tools/darkening.py RULESHEET... --seconds 1 --matches 3
"""

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path

from program import PROGRAM, require_program


def run(core: int, *arguments: str) -> tuple[float, str]:
    """The CPU time of a command on one core, and what it prints."""
    process = subprocess.Popen(["taskset", "-c", str(core), PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{PROGRAM} {' '.join(arguments)}: {errors.decode().strip()}")
    return usage.ru_utime + usage.ru_stime, output.decode()


def playouts_in(rulesheet: str, options: argparse.Namespace) -> int:
    """The number of playouts that tree search makes in the time for a move."""
    told = json.loads(run(options.core, "analyze", rulesheet, "--plain", "--seconds", "1", "--wait", "--format", "json")[1])
    return max(1, round(told["playouts"] / told["seconds"] * options.seconds))


def match(rulesheet: str, playouts: int, seed: int, darkening: bool, options: argparse.Namespace) -> float:
    """The CPU time of a match."""
    player = f"mcts:total-playouts={playouts},threads=1,evaluation=false,darkening={str(darkening).lower()}"
    clocks = ["--start-clock", "30", "--play-clock", "1000", "--max-steps", str(options.max_steps)]
    players = ["--player", player, "--player", player]
    return run(options.core, "match", rulesheet, *players, "--seed", str(seed), *clocks)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesheets", nargs="+", help="files with the rules, of games of two roles")
    parser.add_argument("--seconds", type=float, default=1.0, help="for a move")
    parser.add_argument("--matches", type=int, default=3, help="for each game")
    parser.add_argument("--max-steps", type=int, default=60, metavar="N", help="joint moves of a match at most")
    parser.add_argument("--runs", type=int, default=2, metavar="N", help="of each match")
    parser.add_argument("--core", type=int, default=0, help="the processor for all of this")
    options = parser.parse_args()
    require_program()
    print("| game | playouts a move | CPU time of a match | times as many playouts a second |")
    print("|---|---|---|---|", flush=True)
    logarithms = []
    for rulesheet in options.rulesheets:
        playouts = playouts_in(rulesheet, options)
        ratios = []
        for seed in range(1, options.matches + 1):
            # Which comes first alternates.
            order = [seed % 2 == 0, seed % 2 != 0] * options.runs
            times = {True: math.inf, False: math.inf}
            for darkening in order:
                times[darkening] = min(times[darkening], match(rulesheet, playouts, seed, darkening, options))
            ratios.append(times[False] / times[True])
        logarithms.append(sum(map(math.log, ratios)) / len(ratios))
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"| {Path(rulesheet).stem} | {playouts:,} | {times[True]:.1f} s | {math.exp(logarithms[-1]):.2f} ({each}) |", flush=True)
    mean = math.exp(sum(logarithms) / len(logarithms))
    print(f"| geometric mean | | | {mean:.3f} |")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
