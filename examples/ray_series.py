#!/usr/bin/env python3
"""A series of matches on the machines of a Ray cluster (https://ray.io): one match a task.

    ray_series.py GAME.kif RECORDS.jsonl --games 100 --seed 1 --player random --player mcts:nodes=1000 --swap

Options are those of `propjit match`, which each machine needs on its PATH, or where PROPJIT says. A match depends on its
number and the seed only, so the records are those of a series on one machine. What is in the file of records already is
not played again; at the end `propjit match --resume` prints the table.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ray

PROPJIT = os.environ.get("PROPJIT", "propjit")


@ray.remote
def play(name: str, rules: str, options: list[str], number: int) -> str:
    """The record of a match, as a line of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        rulesheet, record = Path(folder, name), Path(folder, "record.jsonl")
        rulesheet.write_text(rules)
        command = [PROPJIT, "match", str(rulesheet), *options, "--only", str(number), "--output", str(record)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"match {number}: {done.stderr}")
        return record.read_text()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesheet", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--games", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args, rest = parser.parse_known_args()
    options = ["--games", str(args.games), "--seed", str(args.seed), *rest]

    args.records.touch()
    played = {json.loads(line)["match"] for line in args.records.read_text().splitlines()}
    missing = [number for number in range(1, args.games + 1) if number not in played]
    ray.init(log_to_driver=False)
    rules = args.rulesheet.read_text()
    tasks = [play.remote(args.rulesheet.name, rules, options, number) for number in missing]
    with args.records.open("a") as file:
        while tasks:
            ended, tasks = ray.wait(tasks)
            file.write(ray.get(ended[0]))
            file.flush()
    table = [PROPJIT, "match", str(args.rulesheet), *options, "--resume", "--output", str(args.records)]
    return subprocess.run(table).returncode


if __name__ == "__main__":
    sys.exit(main())
