#!/usr/bin/env python3
"""Two searches play against each other, one of them with ten times the playouts.

    pip install ./bindings/python
    examples/two_searches.py
"""

import argparse

from propjit import Game, Search


def play(game, playouts, seed):
    """The goals of a match between searches with these numbers of playouts a move, by role."""
    state = game.initial
    searches = {role: Search(game, seed=seed + number) for number, role in enumerate(game.roles)}
    while not state.terminal:
        moves = {}
        for role in state.to_move:
            searches[role].run(playouts=playouts[role])
            moves[role] = searches[role].report(role).best
        state = state.apply(moves)
        for search in searches.values():
            # What was found out about the new state is kept.
            search.set_root(state)
    return state.goals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--playouts", type=int, default=20_000, help="for a move of the stronger one")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    game = Game.named("connectFour")
    game.wait()
    total = 0
    for match in range(args.matches):
        strong = game.roles[match % 2]
        playouts = {role: args.playouts if role == strong else max(args.playouts // 10, 1) for role in game.roles}
        goals = play(game, playouts, args.seed + 2 * match)
        total += goals[strong]
        print(f"match {match + 1}: {strong} gets {goals[strong]}")
    print(f"the stronger search gets {total / args.matches:.1f} of 100")


if __name__ == "__main__":
    main()
