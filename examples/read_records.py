#!/usr/bin/env python3
"""Reads records of matches with pandas, as `propjit match --output` and `propjit.ray` write them.

    pip install pandas
    propjit match gdl/games/connectFour.kif --player random --player mcts:nodes=100 --games 20 --swap --seed 1 \
        --output records.jsonl
    examples/read_records.py records.jsonl
"""

import argparse

import pandas as pd


def read(paths):
    """A row for each player in each match that was played to its end."""
    records = pd.concat([pd.read_json(path, lines=True) for path in paths], ignore_index=True)
    records = records[records["end"] == "terminal"]
    records["moves"] = records["steps"].map(len)
    # Step by step, what each role did; then role by role.
    records["seconds"] = [
        [sum(move["seconds"] or 0 for move in moves) for moves in zip(*steps)] for steps in records["steps"]
    ]
    columns = ["game", "match", "moves", "roles", "players", "goals", "seconds"]
    rows = records[columns].explode(["roles", "players", "goals", "seconds"])
    rows = rows.rename(columns={"roles": "role", "players": "player", "goals": "goal"})
    # The role `random` has no player.
    rows = rows.dropna(subset="player")
    return rows.astype({"goal": float, "seconds": float})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+")
    rows = read(parser.parse_args().records)
    rows["seconds a move"] = rows["seconds"] / rows["moves"]
    by_role = rows.groupby(["game", "player", "role"])
    print(by_role.agg({"match": "count", "goal": ["mean", "sem"], "moves": "mean", "seconds a move": "mean"}).round(3))


if __name__ == "__main__":
    main()
