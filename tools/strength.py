#!/usr/bin/env python3
"""Plays a panel of games, the player as it is against the same player without one of its parts.

Usage: tools/strength.py RULESHEET... [--without OPTION] [--with OPTION] [--matches N] [--clock S] [--learn S]
       [--core N] [--seed N]

For each rulesheet, `propjit match` plays matches in one process on one core: sides change from match to match, nobody
thinks on the other's time, all random numbers follow from the seed. What players learn is kept in a folder of its own
for the time of the run; `propjit heuristics` learns before, for `--learn` seconds, as in a start clock on two cores of
which one learns. The table has a row for each game as it is done: the score, a draw counting as half a win, with its
95% interval, and what was said of the evaluation. Build the release before.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/propjit"


def run(core: int, folder: str, *arguments: str) -> dict:
    """What a command prints as JSON, run on one core with the settings of a folder."""
    command = ["taskset", "-c", str(core), str(PROGRAM), *arguments, "--format", "json"]
    environment = {**os.environ, "PROPJIT_CONFIG": folder}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rulesheets", nargs="+")
    parser.add_argument("--without", default="evaluation=false", help="an option of the other player")
    parser.add_argument("--with", dest="own", default="", help="options of the player itself")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--clock", type=float, default=0.2)
    parser.add_argument("--learn", type=float, default=3)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    common = "mcts:threads=1,ponder=false"
    players = [",".join(filter(None, [common, part])) for part in (options.own, options.without)]
    print("| game | matches | wins | draws | losses | score | 95% | time-outs | evaluation |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for rulesheet in options.rulesheets:
            seed = ["--seed", str(options.seed)]
            learned = run(options.core, folder, "heuristics", rulesheet, "--seconds", str(options.learn), *seed)
            played = run(options.core, folder, "match", rulesheet, "--player", players[0], "--player", players[1],
                         "--games", str(options.matches), "--swap", *seed, "--start-clock", "1",
                         "--play-clock", str(options.clock))
            own = played["standings"][0]
            low, high = own["interval"]
            print(f"| {Path(rulesheet).stem} | {played['matches']} | {own['wins']} | {own['draws']} | {own['losses']} |"
                  f" {100 * own['score']:.1f}% | {100 * low:.0f} to {100 * high:.0f} |"
                  f" {sum(player['timeouts'] for player in played['standings'])} | {learned['verdict']} |", flush=True)


if __name__ == "__main__":
    main()
